// What the engine needs of Kafka. The adapter implements it on librdkafka, the simulation in memory.

/// A partition as assigned, with what was committed for it.
package struct AssignedPartition: Sendable {
  /// Which partition.
  package let partition: TopicPartition
  /// The committed offset: the next to be consumed; nil if the group has none for it.
  package let committed: Int64?
  /// The metadata committed with it; empty if none.
  package let metadata: String

  package init(partition: TopicPartition, committed: Int64?, metadata: String) {
    self.partition = partition
    self.committed = committed
    self.metadata = metadata
  }
}

/// What arrives from the broker. The order of events is the order in which they are to be handled.
package enum BrokerEvent: Sendable {
  /// New messages; `generation` is the assignment they belong to (older ones are dropped by the engine).
  case records([Record], generation: Int)
  /// Partitions are ours from now on, in this order (`Record.slot`). Replaces any earlier assignment. Consumption starts when
  /// the engine calls `start`.
  case assigned([AssignedPartition], generation: Int)
  /// The broker wants all partitions back: drain, commit, then call `release`. Commits are still accepted meanwhile.
  case revoked(generation: Int)
  /// The partitions are gone already: drop everything, no commit, then call `release`.
  case lost(generation: Int)
  /// A commit job ended.
  case commitEnded(job: Int, CommitResult)
  /// The consumer's position is outside the log (retention, truncation, a topic made again).
  case outOfRange(slot: Int, generation: Int, detail: String)
  /// This worker cannot go on; `exit` says how the process should end.
  case fatal(WorkerFailure)
}

/// Why a worker has to stop for good.
package struct WorkerFailure: Error, Hashable, Sendable {
  /// What it means for the process's exit code.
  package enum Kind: Hashable, Sendable {
    /// Another live worker has our identity (exit 4).
    case fenced
    /// The environment is wrong: authorisation, unknown topic, unsupported broker (exit 3).
    case environment
  }

  /// Decides the exit code.
  package let kind: Kind
  /// One line: what is wrong and what to do.
  package let message: String

  package init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}

/// An end of a log.
package enum LogPlace: String, Hashable, Sendable {
  /// The first message there is.
  case earliest
  /// The next one to come.
  case latest
}

/// The committed state of one partition.
package struct PartitionCommit: Hashable, Sendable {
  /// Which partition.
  package let partition: TopicPartition
  /// The frontier: everything before it is done.
  package let offset: Int64
  /// Which offsets beyond the frontier are done; at most 4,096 characters.
  package let metadata: String

  package init(partition: TopicPartition, offset: Int64, metadata: String) {
    self.partition = partition
    self.offset = offset
    self.metadata = metadata
  }
}

/// Outputs of finished messages and the offsets that say so: one atomic step (exactly-once), or outputs first and offsets
/// once they are delivered (at-least-once). The job is done beside the loop, on the adapter's commit thread.
package struct CommitJob: Sendable {
  /// Given back in `BrokerEvent.commitEnded`.
  package let id: Int
  /// The assignment the offsets belong to.
  package let generation: Int
  /// Names the outputs to a broker that sends ahead (`Broker.send`); 0: none of them was offered.
  package let batch: Int
  /// Messages to publish, in order.
  package let outputs: [Output]
  /// At most one for each partition.
  package let offsets: [PartitionCommit]

  package init(id: Int, generation: Int, batch: Int = 0, outputs: [Output], offsets: [PartitionCommit]) {
    self.id = id
    self.generation = generation
    self.batch = batch
    self.outputs = outputs
    self.offsets = offsets
  }
}

/// How a commit job ended.
package enum CommitResult: Hashable, Sendable {
  /// Outputs and offsets are durable.
  case committed
  /// The group has moved on (unknown member, illegal generation): nothing was committed, drop it; the next owner does
  /// the work again.
  case dropped(detail: String)
  /// One output is refused for its own sake (index into `outputs`, for example too large): nothing was committed.
  case refused(output: Int, detail: String)
  /// These outputs are refused for their own sake; all others are durable and need not come again. No offset was committed.
  case deliveredExcept([RefusedOutput])
}

/// An output that a broker will not take, whenever it comes.
package struct RefusedOutput: Hashable, Sendable {
  /// Index into the job's `outputs`.
  package let output: Int
  /// What the broker says about it.
  package let detail: String

  package init(output: Int, detail: String) {
    self.output = output
    self.detail = detail
  }
}

/// One consumer and one producer under one identity. All calls come from the worker's loop; only what `waker` returns may
/// be called from any thread. No call blocks longer than its `wait`.
package protocol Broker: AnyObject {
  /// Joins the group and subscribes.
  func subscribe() throws(WorkerFailure)
  /// Returns what has arrived, at most `maxRecords` messages; waits up to `waitNanoseconds` if there is nothing, less if woken.
  func poll(maxRecords: Int, waitNanoseconds: Int64) -> [BrokerEvent]
  /// Ends a waiting `poll` early, or the next one if none is waiting. Any thread may call the closure, at any time, also
  /// after `close`; it holds nothing that must not be shared.
  var waker: @Sendable () -> Void { get }
  /// Answers `assigned`: consumption starts at the committed offsets (or where the reset policy says). Partitions in `oneBefore`
  /// start one offset earlier if that is still in the log, so that the engine can see whether it is the same log.
  func start(generation: Int, oneBefore slots: [Int])
  /// Ends the present assignment, of which nothing follows any more, and offers its partitions again (`assigned`): `slots` without
  /// a committed offset and to be started at `place`, the others as they are committed by then. No other member notices.
  func startOver(generation: Int, slots: [Int], at place: LogPlace)
  /// Answers `revoked` and `lost`: gives the partitions back.
  func release(generation: Int)
  /// Stops the delivery of some partitions (slots of the present assignment).
  func pause(_ slots: [Int])
  /// Restarts the delivery of paused partitions.
  func resume(_ slots: [Int])
  /// True if outputs may leave before their commit job, because no transaction holds them together with the offsets: the engine
  /// calls `send` then. Never changes.
  var sendsAhead: Bool { get }
  /// All outputs so far that the commit job of this batch will have, from the first on; called again when there are more. The
  /// broker may send them now: in this order, and all of a batch before those of the next. What it has not sent by then goes
  /// with the job. Never blocks.
  func send(_ outputs: [Output], ofBatch batch: Int, generation: Int)
  /// Starts a commit job; at most one at a time. Its end arrives as `commitEnded`.
  func commit(_ job: CommitJob)
  /// Leaves the group and frees everything, within `limitNanoseconds`; what cannot end by then is abandoned.
  func close(limitNanoseconds: Int64)
}
