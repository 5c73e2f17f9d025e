// An event as bytes, and the topic it goes to.
package import CheckoutCore

/// The topics of the pipeline by what they are for; configuration gives them names.
package enum TopicRole: Hashable, CaseIterable, Sendable {
  case requests
  case validated
  case rejections
  case outcomes
  case pending
  case deadLetters

  /// The name without the configured prefix (`--topic-prefix`, default `checkout.`).
  package var suffix: String {
    switch self {
    case .requests: "requests"
    case .validated: "validated"
    case .rejections: "rejections"
    case .outcomes: "outcomes"
    case .pending: "pending"
    case .deadLetters: "dead-letters"
    }
  }
}

extension TopicRole {
  /// Its place among all cases.
  package var index: Int {
    switch self {
    case .requests: 0
    case .validated: 1
    case .rejections: 2
    case .outcomes: 3
    case .pending: 4
    case .deadLetters: 5
    }
  }
}

extension EventType {
  /// Where our own stages publish this type. (A cancellation comes in on `requests` and goes on to `validated`.)
  package var topic: TopicRole {
    switch self {
    case .requested: .requests
    case .cancelRequested, .validated, .refused: .validated
    case .rejected: .rejections
    case .completed, .failed, .cancelled, .receiptPendingNotice, .parked: .outcomes
    case .receiptPending, .chargeUnknown, .reservePending, .compensationPending, .parkedRetry, .parkedResolve:
      .pending
    }
  }
}

/// An event ready to be produced: the same event always gives the same bytes.
///
/// Value, key and headers stand one after the other in one array, so that an event costs few allocations.
package struct EncodedEvent: Hashable, Sendable {
  /// One header; all of ours are text.
  package struct Header: Hashable, Sendable {
    /// Header name; ASCII.
    package let name: String
    /// Header value; text.
    package let value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Where a header stands in `storage`.
  package struct HeaderPlace: Hashable, Sendable {
    /// The name's bytes.
    package let name: Range<Int>
    /// The value's bytes.
    package let value: Range<Int>
  }

  /// Where it goes.
  package let topic: TopicRole
  /// The bytes of value, key and headers.
  package let storage: [UInt8]
  /// Where the JSON body stands in `storage`.
  package let valuePlace: Range<Int>
  /// Where the `checkout_id` stands in `storage`.
  package let keyPlace: Range<Int>
  /// Where the headers stand in `storage`, in a fixed order, trace last.
  package let headerPlaces: [HeaderPlace]

  /// An event made of its parts.
  package init(topic: TopicRole, key: [UInt8], value: [UInt8], headers: [Header]) {
    var builder = EncodedEventBuilder(value: value) { $0.append(contentsOf: key) }
    for header in headers { builder.header(named: header.name, header.value) }
    self = builder.event(topic)
  }

  fileprivate init(topic: TopicRole, _ builder: consuming EncodedEventBuilder) {
    self.topic = topic
    valuePlace = 0..<builder.valueEnd
    keyPlace = builder.valueEnd..<builder.keyEnd
    headerPlaces = builder.places
    storage = builder.bytes
  }

  /// A copy of the JSON body.
  package var value: [UInt8] { Array(storage[valuePlace]) }
  /// A copy of the `checkout_id`.
  package var key: [UInt8] { Array(storage[keyPlace]) }
  /// Copies of the headers.
  package var headers: [Header] {
    headerPlaces.map { Header(text(at: $0.name), text(at: $0.value)) }
  }

  private func text(at place: Range<Int>) -> String { String(decoding: storage[place], as: UTF8.self) }
}

/// Appends the parts of an event to its value.
struct EncodedEventBuilder {
  fileprivate var bytes: [UInt8]
  fileprivate let valueEnd: Int
  fileprivate let keyEnd: Int
  fileprivate var places: [EncodedEvent.HeaderPlace] = []

  /// An event with this value and the key that `appendKey` appends.
  init(value: consuming [UInt8], appendKey: (inout [UInt8]) -> Void) {
    bytes = value
    valueEnd = bytes.count
    appendKey(&bytes)
    keyEnd = bytes.count
    places.reserveCapacity(9)
  }

  /// Adds a header of any name.
  mutating func header(named name: String, _ value: String) {
    let start = bytes.count
    bytes.append(copying: name)
    let valueStart = bytes.count
    bytes.append(copying: value)
    places.append(EncodedEvent.HeaderPlace(name: start..<valueStart, value: valueStart..<bytes.count))
  }

  /// Adds texts that headers are made of; says where they begin.
  mutating func append(_ texts: [UInt8]) -> Int {
    defer { bytes.append(addingCapacity: texts.count) { $0.append(copying: texts.span) } }
    return bytes.count
  }

  /// Adds a header that stands in the event already.
  mutating func header(_ name: Range<Int>, _ value: Range<Int>) {
    places.append(EncodedEvent.HeaderPlace(name: name, value: value))
  }

  /// Adds a header whose name stands in the event already.
  mutating func header(_ name: Range<Int>, _ value: String) {
    let start = bytes.count
    bytes.append(copying: value)
    header(name, start..<bytes.count)
  }

  /// Adds a header whose name stands in the event already, and whose value `append` appends.
  mutating func header(_ name: Range<Int>, append: (inout [UInt8]) -> Void) {
    let start = bytes.count
    append(&bytes)
    header(name, start..<bytes.count)
  }

  /// The event, when nothing is to be added any more.
  consuming func event(_ topic: TopicRole) -> EncodedEvent { EncodedEvent(topic: topic, self) }
}
