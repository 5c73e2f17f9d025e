// Which dead letters a person means.

/// A choice of dead letters.
package struct DeadLetterSelection: Hashable, Sendable {
  /// One letter, a stretch of a partition, or where its message came from.
  package enum Place: Hashable, Sendable {
    case one(DeadLetterID)
    /// Both ends included.
    case range(partition: Int32, ClosedRange<Int64>)
    /// A topic's message that failed.
    case source(topic: String, DeadLetterID)
  }

  /// Any of these; empty: everywhere.
  package var places: [Place]
  /// `dlq-code`; nil: any.
  package var code: String?
  /// `dlq-stage`; nil: any.
  package var stage: String?
  /// `dlq-topic`; nil: any.
  package var topic: String?

  package init(places: [Place] = [], code: String? = nil, stage: String? = nil, topic: String? = nil) {
    self.places = places
    self.code = code
    self.stage = stage
    self.topic = topic
  }

  /// True if the letter is meant.
  package func contains(_ item: DeadLetterItem) -> Bool {
    if let code, item.code != code { return false }
    if let stage, item.stage != stage { return false }
    if let topic, item.source?.topic != topic { return false }
    return places.isEmpty || places.contains { $0.contains(item) }
  }

  /// Reads `3-17`, `3-17..42`, `TOPIC-3-17` and `TOPIC-3-17..42`; nil: not of these forms. With the dead letters' own topic, or
  /// none, it is a letter's place; with another topic that of the message that failed.
  package static func place(_ text: String, deadLetters: String) -> Place? {
    let halves = text.split(separator: "..", maxSplits: 1, omittingEmptySubsequences: false)
    let parts = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count >= 2, let offset = number(parts[parts.count - 1]),
      let partition = number(parts[parts.count - 2]).flatMap({ Int32(exactly: $0) })
    else { return nil }
    let topic = parts.dropLast(2).joined(separator: "-")
    let id = DeadLetterID(partition: partition, offset: offset)
    let isOwn = topic.isEmpty || topic == deadLetters
    guard halves.count == 2 else { return isOwn ? .one(id) : .source(topic: topic, id) }
    let last = halves[1].split(separator: "-").last.flatMap(number)
    guard isOwn, let last, last >= offset else { return nil }
    return .range(partition: partition, offset...last)
  }

  private static func number(_ text: Substring) -> Int64? {
    text.allSatisfy { $0.isASCII && $0.isNumber } ? Int64(text) : nil
  }
}

extension DeadLetterSelection.Place {
  func contains(_ item: DeadLetterItem) -> Bool {
    switch self {
    case .one(let id): item.id == id
    case .range(let partition, let offsets): item.id.partition == partition && offsets.contains(item.id.offset)
    case .source(let topic, let id): item.source?.topic == topic && item.source?.place == id
    }
  }
}
