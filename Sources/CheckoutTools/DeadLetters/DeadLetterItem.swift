// A dead letter read back: where it came from, why it is there, and whether it can be sent again.

import CheckoutCore
package import WorkerEngine

/// A dead letter's place on its own topic: partition and offset.
package struct DeadLetterID: Hashable, Comparable, Sendable {
  /// Partition of the dead letters' topic.
  package let partition: Int32
  /// Offset in it.
  package let offset: Int64

  package init(partition: Int32, offset: Int64) {
    self.partition = partition
    self.offset = offset
  }

  /// `3-17`.
  package var text: String { "\(partition)-\(offset)" }

  package static func < (left: DeadLetterID, right: DeadLetterID) -> Bool {
    (left.partition, left.offset) < (right.partition, right.offset)
  }
}

/// One record of the dead letters' topic.
package struct DeadLetterItem: Sendable {
  /// What is the matter with it.
  package enum State: String, Hashable, CaseIterable, Sendable {
    /// Nobody has sent it again yet.
    case new
    /// Sent again already.
    case redriven
    /// Failed three times or more: sent again by force only.
    case parked
    /// No dead letter of ours.
    case foreign
  }

  /// Where the message stood when it failed.
  package struct Source: Hashable, Sendable {
    /// The topic it is sent to again.
    package let topic: String
    /// Nil: an output that came from no message.
    package let place: DeadLetterID?
    /// Milliseconds since the Unix epoch; nil: not known.
    package let timestampMilliseconds: Int64?
  }

  /// The record as it stands in the topic.
  package let record: TopicRecord
  /// True once it was sent again.
  package let isRedriven: Bool

  package init(_ record: TopicRecord, isRedriven: Bool) {
    self.record = record
    self.isRedriven = isRedriven
  }

  /// Its place on the dead letters' topic.
  package var id: DeadLetterID { DeadLetterID(partition: record.position.partition, offset: record.position.offset) }

  /// Nil: no dead letter of ours.
  package var source: Source? {
    guard let topic = text("topic"), !topic.isEmpty else { return nil }
    var place: DeadLetterID?
    if let partition = text("partition").flatMap({ Int32($0) }), let offset = text("offset").flatMap({ Int64($0) }),
      partition >= 0, offset >= 0
    {
      place = DeadLetterID(partition: partition, offset: offset)
    }
    return Source(topic: topic, place: place, timestampMilliseconds: text("timestamp").flatMap { Int64($0) })
  }

  /// Why it failed: a code, and a sentence.
  package var code: String { text("code") ?? "?" }
  /// One line for a person.
  package var detail: String { text("detail") ?? "" }
  /// Which stage and group gave it up.
  package var stage: String { text("stage") ?? "?" }
  /// How often the message has failed, from 1.
  package var generation: Int { text("generation").flatMap { Int($0) } ?? 1 }
  /// Its value is not whole, or not the original.
  package var isChanged: Bool {
    ["truncated", "redacted", "headers-dropped", "key-dropped"].contains { text($0) != nil }
  }
  /// Milliseconds since the Unix epoch; nil: not known.
  package var lastFailedAt: Int64? { text("last-failed-at").flatMap { Int64($0) } }

  /// What is the matter with it.
  package var state: State {
    if source == nil { return .foreign }
    if isRedriven { return .redriven }
    return text("parked") == "true" ? .parked : .new
  }

  /// The value of one of our headers, without its `dlq-`.
  package func text(_ name: String) -> String? { record.text("dlq-" + name) }

  /// The message's own headers: all but ours, as they were.
  package var originalHeaders: [Header] { record.headers.filter { !$0.isOurs } }
  /// Ours.
  package var ourHeaders: [Header] { record.headers.filter(\.isOurs) }
}

extension Header {
  /// True for a header that a dead letter was given here.
  var isOurs: Bool { name.slice.starts(with: "dlq-".utf8) }
}
