// What a verification looks at: records of the topics, rows of the journal, entries of the services' ledger. Only what was
// written down; nothing the stages remember or conclude.

package import CheckoutCore
package import CheckoutSandbox
package import CheckoutWire
package import WorkerEngine

/// A place in one topic, without the record's time.
package struct Place: Hashable, Sendable {
  let topic: TopicRole
  let partition: Int32
  let offset: Int64
}

/// One message of `checkout.requests`.
struct MessageFact: Sendable {
  enum Kind: Hashable {
    /// No value: counted only.
    case tombstone
    case request(AttemptID, CheckoutKey, Fingerprint)
    case cancellation(CheckoutKey)
    /// Nothing that could be answered by its content: refused fields, or a dead letter.
    case other
  }

  let kind: Kind
  /// Fingerprint of the record's key; nil: it has none.
  let key: UInt64?
  let timestampMilliseconds: Int64
  let digest: RecordDigest
}

/// One outcome or notice.
struct AnswerFact: Sendable {
  let id: String
  let type: EventType
  let origin: Origin
  let digest: UInt64
  let view: OutcomeView
}

/// One dead letter.
struct LetterFact: Sendable {
  /// Where the message stood; nil: the letter does not say.
  let source: Place?
  /// The request it stands for.
  let origin: Place?
  let code: String
  let isTruncated: Bool
  let isRedacted: Bool
  let digest: RecordDigest
}

/// One message that validation passed on.
struct PassedFact: Sendable {
  let id: String
  let partition: Int32
  let origin: Position
}

/// One row of the journal, as far as it is looked at.
struct AttemptFact: Sendable {
  enum Ending: Hashable {
    case completed
    case unpaid
  }

  let checkout: CheckoutKey
  let origin: Place
  let fingerprint: Fingerprint
  let amount: Amount
  let createdAt: Timestamp
  let updatedAt: Timestamp
  /// Nil while it is open.
  let ending: Ending?
  let isParked: Bool
  /// A charge may still come to light.
  let isWatched: Bool
  /// The provider's id of the charge, if one is known.
  let chargeID: String?
  /// True while the charge's answer is not known.
  let isChargeOpen: Bool
  /// Origins of copies and cancellations that are to be answered with the outcome.
  let waiting: [Place]

  init(_ attempt: Attempt) {
    checkout = attempt.identity.checkout
    origin = Evidence.place(of: attempt.origin.position)
    fingerprint = attempt.fingerprint
    amount = attempt.request.total
    createdAt = attempt.createdAt
    updatedAt = attempt.updatedAt
    ending =
      switch attempt.state {
      case .completed: .completed
      case .failed, .cancelled: .unpaid
      case .reserving, .charging, .receipting, .receiptPending, .releasing, .refunding: nil
      }
    isParked = attempt.parked != nil
    isWatched = attempt.watch != nil
    switch attempt.charge.status {
    case .captured(let id, _), .authorised(let id, _), .actionRequired(let id): chargeID = id
    case .none, .notRequired, .sent, .declined, .refused, .absent: chargeID = nil
    }
    switch attempt.charge.status {
    case .sent, .actionRequired: isChargeOpen = true
    case .none, .notRequired, .captured, .authorised, .declined, .refused, .absent: isChargeOpen = false
    }
    waiting = attempt.waiting.map { Evidence.place(of: $0.origin.position) }
  }
}

/// Fingerprints of a record's bytes, enough to see that two are equal; headers of our own dead letters left out.
struct RecordDigest: Hashable, Sendable {
  let keyAndHeaders: UInt64
  let value: UInt64
  /// Of the first 64 KiB; equal to `value` if there is no more.
  let beginning: UInt64

  /// What a truncated letter keeps.
  static let beginningBytes = 65_536

  init(_ record: TopicRecord) {
    var envelope: [UInt8] = record.key.map { [1] + $0.slice } ?? [0]
    for header in record.headers where !header.name.slice.starts(with: "dlq-".utf8) {
      envelope.append(contentsOf: [0xFF, UInt8(truncatingIfNeeded: header.name.count)] + header.name.slice)
      envelope.append(contentsOf: header.value.map { [1] + $0.slice } ?? [0])
    }
    keyAndHeaders = RecordDigest.digest(envelope[...])
    let bytes = record.value?.slice ?? []
    value = RecordDigest.digest(bytes)
    beginning =
      bytes.count > RecordDigest.beginningBytes
      ? RecordDigest.digest(bytes.prefix(RecordDigest.beginningBytes)) : value
  }

  /// The first 64 bits of a SHA-256.
  static func digest(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    SHA256.digest(Array(bytes)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// What one partition holds.
package struct PartitionSpan: Sendable {
  /// First offset there is.
  package let start: Int64
  /// Next offset to come when the reading began.
  package let end: Int64

  /// A span of its two offsets.
  package init(start: Int64, end: Int64) {
    self.start = start
    self.end = end
  }
}

/// Everything that was found. About 1.5 KB for each checkout.
package struct Evidence: Sendable {
  /// How things are judged that are still moving.
  let now: Timestamp
  let grace: TimeSpan
  /// What the partitions read hold, by topic.
  private var spans: [TopicRole: [Int32: PartitionSpan]] = [:]
  var messages: [Place: MessageFact] = [:]
  var digests: [Place: RecordDigest] = [:]
  var answers: [AnswerFact] = []
  var letters: [LetterFact] = []
  var passed: [PassedFact] = []
  /// Checkouts whose parked attempt a person has ended: what they settled elsewhere is in no ledger.
  var resolved: Set<CheckoutKey> = []
  /// Records of ours that could not be read: a fault by itself.
  var unreadable: [String] = []
  /// All attempts; nil: no journal was looked at.
  var attempts: [AttemptID: AttemptFact]?
  /// All effects at the services; nil: there is no ledger to ask.
  var ledger: [LedgerEntry]?
  private let topics: TopicRoles
  private let decoder = InboundDecoder(payloadBytesMax: .max)

  /// No evidence yet. `now` is the wall clock; what is younger than `grace` may still be on its way.
  package init(topics: TopicRoles, now: Timestamp, grace: TimeSpan) {
    self.topics = topics
    self.now = now
    self.grace = grace
  }

  /// Says where a partition begins; records before it are gone.
  package mutating func note(_ partition: TopicPartition, _ span: PartitionSpan) {
    guard let role = topics.role(of: partition.topic) else { return }
    spans[role, default: [:]][partition.partition] = span
  }

  /// Adds the journal's rows.
  package mutating func add(_ attempt: Attempt) {
    attempts = attempts ?? [:]
    attempts?[attempt.identity.attemptID] = AttemptFact(attempt)
  }

  /// Says that a journal is looked at, even if it is empty.
  package mutating func beginJournal() { attempts = attempts ?? [:] }

  /// Adds the services' effects.
  package mutating func add(_ entries: [LedgerEntry]) { ledger = (ledger ?? []) + entries }

  /// Adds a record of any of the topics.
  package mutating func add(_ record: TopicRecord) {
    guard let role = topics.role(of: record.position.topic) else { return }
    let place = Place(topic: role, partition: record.position.partition, offset: record.position.offset)
    switch role {
    case .requests: addMessage(record, at: place)
    case .validated: addPassed(record, at: place)
    case .outcomes, .rejections: addAnswer(record)
    case .deadLetters: addLetter(record)
    case .pending: addPending(record, at: place)
    }
  }

  private mutating func addPending(_ record: TopicRecord, at place: Place) {
    digests[place] = RecordDigest(record)
    guard record.text("ce_type") == EventType.parkedResolve.rawValue, let value = record.value?.slice,
      let word = try? JSONValue(parsing: value), let merchantID = word["merchant_id"]?.string,
      let checkoutID = word["checkout_id"]?.string
    else { return }
    resolved.insert(CheckoutKey(merchantID: merchantID, checkoutID: checkoutID))
  }

  private mutating func addMessage(_ record: TopicRecord, at place: Place) {
    let kind: MessageFact.Kind
    switch decoder.decode(record.message) {
    case .tombstone: kind = .tombstone
    case .request(let inbound):
      let identity = inbound.request.identity
      kind = .request(identity.attemptID, identity.checkout, inbound.fingerprint)
    case .cancel(let inbound): kind = .cancellation(inbound.cancel.checkout)
    case .refused, .deadLetter: kind = .other
    }
    messages[place] = MessageFact(
      kind: kind, key: record.key.map { RecordDigest.digest($0.slice) },
      timestampMilliseconds: record.position.timestampMilliseconds, digest: RecordDigest(record))
  }

  private mutating func addPassed(_ record: TopicRecord, at place: Place) {
    digests[place] = RecordDigest(record)
    guard let id = record.text("ce_id"), let origin = record.text("ce_origin").flatMap({ Position(text: $0) }) else {
      unreadable.append("\(record.position.text): no ce_id or ce_origin")
      return
    }
    passed.append(PassedFact(id: id, partition: place.partition, origin: origin))
  }

  private mutating func addAnswer(_ record: TopicRecord) {
    do throws(MalformedEvent) {
      let event = try EventDecoder.outcome(record.message)
      answers.append(
        AnswerFact(
          id: event.id, type: event.type, origin: event.origin,
          digest: RecordDigest.digest(record.value?.slice ?? []), view: event.content))
    } catch {
      unreadable.append("\(record.position.text): \(error.detail)")
    }
  }

  private mutating func addLetter(_ record: TopicRecord) {
    var source: Place?
    if let topic = record.text("dlq-topic").flatMap({ topics.role(of: $0) }),
      let partition = record.text("dlq-partition").flatMap({ Int32($0) }),
      let offset = record.text("dlq-offset").flatMap({ Int64($0) })
    {
      source = Place(topic: topic, partition: partition, offset: offset)
    }
    let carried = record.text("ce_origin").flatMap { Position(text: $0) }
    let origin = source?.topic == .requests ? source : carried.map { Evidence.place(of: $0) }
    letters.append(
      LetterFact(
        source: source, origin: origin, code: record.text("dlq-code") ?? "",
        isTruncated: record.text("dlq-truncated") != nil, isRedacted: record.text("dlq-redacted") != nil,
        digest: RecordDigest(record)))
  }
}

extension Evidence {
  /// Where a request stands that an event names as its origin.
  static func place(of origin: Position) -> Place {
    Place(topic: .requests, partition: origin.partition, offset: origin.offset)
  }

  /// True if a place lies before what its topic still holds.
  func isGone(_ place: Place) -> Bool {
    guard let span = spans[place.topic]?[place.partition] else { return false }
    return place.offset < span.start
  }

  /// True if a place lies behind what its topic held when the reading began.
  func isAhead(_ place: Place) -> Bool {
    guard let span = spans[place.topic]?[place.partition] else { return false }
    return place.offset >= span.end
  }

  /// True if a topic no longer holds all that was ever in it.
  func hasLost(_ role: TopicRole) -> Bool { spans[role]?.values.contains { $0.start > 0 } ?? false }

  /// True if what happened at `time` may still be on its way. A time ahead of our clock says nothing about age.
  func isYoung(_ time: Timestamp) -> Bool { time <= now && time + grace > now }

  /// The same for a record's timestamp.
  func isYoung(milliseconds: Int64) -> Bool { isYoung(Timestamp(milliseconds: milliseconds)) }
}

/// Full names of the pipeline's topics, and which is which.
package struct TopicRoles: Sendable {
  private let roles: [String: TopicRole]

  /// `name` gives each topic its full name.
  package init(_ name: (TopicRole) -> String) {
    var roles: [String: TopicRole] = [:]
    for role in TopicRole.allCases { roles[name(role)] = role }
    self.roles = roles
  }

  func role(of topic: String) -> TopicRole? { roles[topic] }
}
