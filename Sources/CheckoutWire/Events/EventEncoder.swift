// Events to bytes: CloudEvents 1.0 in Kafka's binary mode, bodies of fixed shape.
package import CheckoutCore

/// Encodes what the stages publish. Holds no state; any thread.
package struct EventEncoder: Sendable {
  private let shared: SharedHeaders

  /// The version all our events carry.
  static let schemaVersion: Int64 = 1

  /// `source` is a URI reference, the same for all workers of a deployment.
  package init(source: String = "/checkout-pipeline") {
    shared = SharedHeaders(source: source)
  }

  /// The event's topic, key, value and headers.
  package func encode(_ event: PipelineEvent) -> EncodedEvent {
    var writer = JSONWriter(capacity: event.body.sizeHint)
    writer.beginObject()
    writer.field("schema_version", Self.schemaVersion)
    writer.subject(event.subject)
    writer.body(event.body, type: event.type)
    writer.endObject()
    var builder = EncodedEventBuilder(value: writer.finished()) { $0.append(copying: event.subject.checkoutID) }
    headers(event, into: &builder)
    return builder.event(event.type.topic)
  }

  private func headers(_ event: PipelineEvent, into builder: inout EncodedEventBuilder) {
    let base = builder.append(shared.bytes)
    func place(_ range: Range<Int>) -> Range<Int> { base + range.lowerBound..<base + range.upperBound }
    builder.header(place(shared.specVersion.name), place(shared.specVersion.value))
    builder.header(place(shared.id), event.id)
    builder.header(place(shared.source.name), place(shared.source.value))
    builder.header(place(shared.type), event.type.rawValue)
    builder.header(place(shared.time)) { RFC3339.append(event.time, to: &$0) }
    builder.header(place(shared.origin)) { event.origin.position.append(to: &$0) }
    builder.header(place(shared.contentType.name), place(shared.contentType.value))
    if let trace = event.trace {
      builder.header(place(shared.traceParent), trace.parent)
      if let state = trace.state { builder.header(place(shared.traceState), state) }
    }
  }
}

/// What the headers of all events have in common, made once: the texts one after the other, and where each stands.
private final class SharedHeaders: Sendable {
  typealias Header = (name: Range<Int>, value: Range<Int>)

  let bytes: [UInt8]
  let specVersion: Header
  let id: Range<Int>
  let source: Header
  let type: Range<Int>
  let time: Range<Int>
  let origin: Range<Int>
  let contentType: Header
  let traceParent: Range<Int>
  let traceState: Range<Int>

  init(source: String) {
    var bytes: [UInt8] = []
    func add(_ text: String) -> Range<Int> {
      bytes.append(copying: text)
      return bytes.count - text.utf8.count..<bytes.count
    }
    specVersion = (add("ce_specversion"), add("1.0"))
    id = add("ce_id")
    self.source = (add("ce_source"), add(source))
    type = add("ce_type")
    time = add("ce_time")
    origin = add("ce_origin")
    contentType = (add("content-type"), add("application/json"))
    traceParent = add("traceparent")
    traceState = add("tracestate")
    self.bytes = bytes
  }
}

extension PipelineEvent.Body {
  // About how many bytes the event takes, key and headers included, so that its buffer need not grow.
  fileprivate var sizeHint: Int {
    switch self {
    case .validated(let requestJSON, _, _): requestJSON.count + 1536
    case .refused, .cancelRequested, .rejected, .outcome, .receiptPending, .parked, .pendingWork, .personsWord: 1536
    }
  }
}

extension JSONWriter {
  fileprivate mutating func subject(_ subject: EventSubject) {
    field("checkout_id", subject.checkoutID)
    field("merchant_id", subject.merchantID)
    field("idempotency_key", ifPresent: subject.idempotencyKey)
  }

  fileprivate mutating func body(_ body: PipelineEvent.Body, type: EventType) {
    switch body {
    case .validated(let requestJSON, let fingerprint, let decision):
      field("fingerprint", fingerprint.text)
      self.decision(decision)
      key("request")
      raw(requestJSON)
    case .refused(let fingerprint, let refusals, let decision):
      field("fingerprint", fingerprint.text)
      self.decision(decision)
      failures(refusals)
    case .cancelRequested(let cancel):
      field("reason", cancel.reason)
      field("requested_at", cancel.requestedAt)
      field("livemode", cancel.livemode)
    case .rejected(let refusals, let decision):
      if let decision { self.decision(decision) }
      failures(refusals)
      field("replayed", false)
    case .outcome(let attempt, let replayed):
      outcome(attempt, type: type)
      field("replayed", replayed)
    case .receiptPending(let attempt): receiptPendingNotice(attempt)
    case .parked(let attempt): parkedNotice(attempt)
    case .pendingWork(let work): pendingWork(work)
    case .personsWord(let word): personsWord(word)
    }
  }

  private mutating func decision(_ decision: Decision) {
    field("decided_at", decision.at)
    field("reference_version", decision.referenceVersion.text)
  }

  private mutating func failures(_ refusals: [Refusal]) {
    key("failures")
    beginArray()
    for refusal in refusals {
      beginObject()
      field("code", refusal.code.rawValue)
      field("path", refusal.path)
      field("message", refusal.message)
      evidence("expected", refusal.expected)
      evidence("actual", refusal.actual)
      endObject()
    }
    endArray()
  }

  private mutating func evidence(_ name: StaticString, _ evidence: Refusal.Evidence?) {
    switch evidence {
    case .integer(let value): field(name, value)
    case .text(let value): field(name, value)
    case nil: break
    }
  }

  private mutating func pendingWork(_ work: PendingWork) {
    field("not_before", ifPresent: work.notBefore.map(RFC3339.text))
    field("journal_id", work.journalID)
  }

  private mutating func personsWord(_ word: PersonsWord) {
    field("row_version", word.rowVersion)
    field("journal_id", word.journalID)
    field("resolve_as", ifPresent: word.resolution?.rawValue)
    field("who", word.who)
    field("note", word.note)
    field("refunded_outside", ifPresent: word.refundedOutside)
    field("receipt_url", ifPresent: word.receiptURL)
  }
}
