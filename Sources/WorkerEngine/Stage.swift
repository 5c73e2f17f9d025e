// What the engine calls: one stage of a pipeline. A stage decides, the engine moves messages.

/// Names one message in flight; valid until the message is finished or its partition is gone.
package struct Ticket: Hashable, Sendable {
  /// The partition's index in its assignment.
  package let slot: Int
  /// The message's offset.
  package let offset: Int64
  /// The assignment it belongs to.
  package let generation: Int

  @inlinable
  package init(slot: Int, offset: Int64, generation: Int) {
    self.slot = slot
    self.offset = offset
    self.generation = generation
  }
}

/// A message handed to a stage: it is the earliest unfinished one of its key, or an interrupting one.
package struct Delivery: Sendable {
  /// The assignment it belongs to.
  package let generation: Int
  /// Where it came from.
  package let partition: TopicPartition
  /// The message.
  package let record: Record
  /// True if the group had no committed offset for the partition when it was assigned.
  package let offsetsWereLost: Bool

  package init(generation: Int, partition: TopicPartition, record: Record, offsetsWereLost: Bool) {
    self.generation = generation
    self.partition = partition
    self.record = record
    self.offsetsWereLost = offsetsWereLost
  }

  /// Names it when it is finished.
  @inlinable package var ticket: Ticket { Ticket(slot: record.slot, offset: record.offset, generation: generation) }
}

/// Where a message goes in the lanes.
package struct LaneRule: Sendable {
  /// Messages with equal lane keys are handed over in order; nil: no order is kept.
  package let key: Bytes?
  /// True: handed over once the earlier messages of its lane have *started*; false: once they are *finished*.
  package let interrupting: Bool

  package init(key: Bytes?, interrupting: Bool) {
    self.key = key
    self.interrupting = interrupting
  }
}

/// Why a message becomes a dead letter.
package struct DeadLetter: Hashable, Sendable {
  /// `dlq-code`.
  package let code: String
  /// `dlq-detail`; one line, no personal data; cut at 512 bytes.
  package let detail: String
  /// Replaces the original value where it must not be copied in clear (`dlq-redacted`); nil: the exact bytes.
  package let redactedValue: Bytes?

  package init(code: String, detail: String, redactedValue: Bytes? = nil) {
    self.code = code
    self.detail = detail
    self.redactedValue = redactedValue
  }
}

/// The time of one loop turn, read once.
package struct Moment: Hashable, Sendable {
  /// Nanoseconds since the Unix epoch.
  package let wall: Int64
  /// Nanoseconds of a clock that is never set and runs through suspend.
  package let boot: Int64

  package init(wall: Int64, boot: Int64) {
    self.wall = wall
    self.boot = boot
  }
}

/// A stage. The engine calls it on one thread and never two calls at once; a stage never blocks. Answers to what it has
/// started elsewhere (journal, services) come back through the `Inbox` it was made with, as `resume`.
package protocol Stage {
  /// What comes back from journal and services.
  associatedtype Event: Sendable

  /// Where a message goes in the lanes; cheap, looks at key and headers only.
  func lane(of record: Record) -> LaneRule
  /// New messages that may start.
  mutating func receive(_ deliveries: [Delivery], _ turn: inout Turn)
  /// What has come back.
  mutating func resume(_ events: [Event], _ turn: inout Turn)
  /// Called when the time asked for has come.
  mutating func tick(_ turn: inout Turn)
  /// Intake has stopped and the partitions will be given back: start nothing new that takes long; finish what can be.
  mutating func drain(_ turn: inout Turn)
  /// These messages are taken away unfinished: withdraw what was not sent, give their attempts up. `resume` still gets the answers.
  mutating func forget(_ tickets: [Ticket], _ turn: inout Turn)
  /// True while the stage cannot take more (a service or the journal is down): the engine pauses intake, polling goes on.
  var wantsPause: Bool { get }
}
