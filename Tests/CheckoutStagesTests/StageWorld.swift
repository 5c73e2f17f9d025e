// A pipeline in memory for the stages' tests: sends requests made of a few words, and reads the answers.

import CheckoutCore
import CheckoutSandbox
import CheckoutSimulation
import CheckoutStages
import CheckoutTools
import CheckoutWire
import Foundation
import WorkerEngine

/// Files of the repository that the tests read.
enum RepositoryFile {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: root.appending(path: path))) }

  static func reference() throws -> ReferenceData { try ReferenceFile.decode(try bytes("samples/reference.json")) }

  static func samples() throws -> SampleSet {
    try SampleSet(
      requests: try bytes("samples/requests.ndjson"), expected: try bytes("samples/expected.ndjson"),
      poison: try bytes("samples/poison.ndjson"))
  }
}

/// A request in a few words; the rest is as in the first sample.
struct Order {
  var checkout = "chk_1"
  var key = "key-0123456789-1"
  var token = "pm_tok_visa_ok"
  var email = "ana@example.com"
  var sku = "SKU-RED-42"
  var price = 1999
  var quantity = 1
  var capture = "automatic"

  var json: String {
    #"{"schema_version":1,"checkout_id":"\#(checkout)","idempotency_key":"\#(key)","merchant_id":"shop-eu","#
      + #""account_id":"acct_7781","email":"\#(email)","currency":"EUR","items":[{"line_id":"1","sku":"\#(sku)","#
      + #""quantity":\#(quantity),"unit_price_minor":\#(price)}],"tax_minor":0,"shipping_minor":0,"#
      + #""expected_total_minor":\#(price * quantity),"shipping_address":{"name":"Ana","line1":"Hauptstr. 5","#
      + #""city":"Berlin","postal_code":"10115","country":"DE"},"payment":{"method_token":"\#(token)","#
      + #""method_type":"card","capture":"\#(capture)"},"requested_at":"2026-11-30T12:00:00Z","livemode":false}"#
  }
}

/// One answer: `checkout.completed`, `checkout.rejected already_paid`, `checkout.cancelled replayed`, `dead-letter CODE`.
typealias AnswerText = String

/// A world with one worker for each stage, unless told otherwise.
final class StageWorld {
  let pipeline: InMemoryPipeline
  private var sent = 0

  init(startingAll: Bool = true, _ change: (inout PipelineSettings) -> Void = { _ in }) throws {
    var settings = PipelineSettings(reference: try RepositoryFile.reference())
    change(&settings)
    pipeline = InMemoryPipeline(settings)
    if startingAll {
      try pipeline.startAll()
      pipeline.run(for: .seconds(1))
    }
  }

  // MARK: Sending

  /// Sends a request and returns its place: `partition/offset`.
  @discardableResult
  func send(_ order: Order, partition: Int32 = 0) -> String {
    send(order.json, key: order.checkout, partition: partition)
  }

  @discardableResult
  func cancel(_ checkout: String = "chk_1", partition: Int32 = 0) -> String {
    send(
      #"{"type":"checkout.cancel_requested","schema_version":1,"checkout_id":"\#(checkout)","merchant_id":"shop-eu","#
        + #""livemode":false,"reason":"customer","requested_at":"2026-11-30T12:00:00Z"}"#,
      key: checkout, partition: partition)
  }

  @discardableResult
  func send(_ text: String?, key: String?, partition: Int32 = 0) -> String {
    let topic = TopicPartition(topic: pipeline.topics.name(.requests), partition: partition)
    let offset = pipeline.broker.endOffset(of: topic)
    pipeline.send(
      .requests, key: key.map { Bytes($0) }, value: text.map { Bytes($0) },
      headers: [Header("content-type", "application/json")], partition: partition)
    return "\(partition)/\(offset)"
  }

  /// Publishes a person's word about a parked attempt, as the command line does.
  func say(_ word: PersonsWord) {
    let type: EventType = word.resolution == nil ? .parkedRetry : .parkedResolve
    let origin = Origin(
      Position(topic: pipeline.topics.name(.pending), partition: 0, offset: 0, timestampMilliseconds: -1))
    sent += 1
    let event = EventEncoder().encode(
      PipelineEvent(
        id: "word-\(sent)", type: type, origin: origin, time: pipeline.now, subject: EventSubject(word.attempt),
        trace: nil, body: .personsWord(word)))
    pipeline.send(
      .pending, key: Bytes(event.key), value: Bytes(event.value),
      headers: event.headers.map { Header($0.name, $0.value) })
  }

  // MARK: Reading

  var rows: [Attempt] { pipeline.journal.attempts() }

  func row(_ checkout: String = "chk_1") -> Attempt? { rows.last { $0.identity.checkoutID == checkout } }

  func report() throws -> LedgerReport { try LedgerReport(of: pipeline.ledger, at: pipeline.now) }

  func effects(_ checkout: String = "chk_1") throws -> LedgerReport.Checkout {
    try report().effects(of: CheckoutKey(merchantID: "shop-eu", checkoutID: checkout))
  }

  /// True once the services have an entry of this kind.
  func hasEntry(_ kind: LedgerEntry.Kind, of checkout: String = "chk_1") -> Bool {
    let key = CheckoutKey(merchantID: "shop-eu", checkoutID: checkout)
    return (try? pipeline.ledger.entries(ofCheckout: key))?.contains { $0.kind == kind } ?? false
  }

  /// How often the charge of an attempt arrived at the payment service; look-ups are none.
  func chargeSends(_ row: Attempt) throws -> Int {
    let key = Identifiers(digest: SHA256.digest).providerKey(row.identity.attemptID, .charge, generation: 1)
    var sends = 0
    try pipeline.ledger.transact { (store) throws(LedgerProblem) in
      sends = try store.record(ofKey: key.text)?.sends ?? 0
    }
    return sends
  }

  /// How often the journal says that it was going to be sent.
  func chargeIntents(_ row: Attempt) -> Int {
    pipeline.journal.history(of: row.identity.attemptID).flatMap(\.steps).count { step in
      step.name == "charge sent" || step.name == "charge sent again"
    }
  }

  /// Everything published that answers a message, by the place of its message on `checkout.requests`.
  func answers() throws -> [String: [AnswerText]] {
    var answers: [String: [AnswerText]] = [:]
    for record in pipeline.log(.rejections) + pipeline.log(.outcomes) {
      let event = try EventDecoder.outcome(record.message)
      var words = [event.type.rawValue] + event.content.codes
      if event.content.replayed { words.append("replayed") }
      answers[event.origin.position.place, default: []].append(words.joined(separator: " "))
    }
    for record in pipeline.log(.deadLetters) {
      let place =
        record.header("dlq-topic") == pipeline.topics.name(.requests)
        ? "\(record.header("dlq-partition") ?? "")/\(record.header("dlq-offset") ?? "")"
        : record.header("ce_origin").flatMap { Position(text: $0) }?.place ?? "?"
      answers[place, default: []].append("dead-letter \(record.header("dlq-code") ?? "")")
    }
    return answers
  }

  func answers(_ place: String) throws -> [AnswerText] { try answers()[place] ?? [] }

  /// `ce_id` of every answer, in the order of the topics.
  func answerIDs() -> [String] {
    (pipeline.log(.rejections) + pipeline.log(.outcomes)).compactMap { $0.header("ce_id") }
  }

  /// `ce_type` of everything on `checkout.pending`.
  func pendingTypes() -> [String] { pipeline.log(.pending).compactMap { $0.header("ce_type") } }
}

extension Position {
  /// `partition/offset`.
  var place: String { "\(partition)/\(offset)" }
}

extension StoredRecord {
  /// As Wire reads it.
  var message: InboundMessage {
    InboundMessage(value: value?.slice, headers: headers.map { (name: $0.name.slice, value: $0.value?.slice) })
  }

  /// As tools see it.
  var topicRecord: TopicRecord {
    TopicRecord(
      position: Position(
        topic: partition.topic, partition: partition.partition, offset: offset, timestampMilliseconds: timestamp),
      key: key, value: value, headers: headers)
  }
}
