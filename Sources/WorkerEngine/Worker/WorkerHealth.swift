// What a worker tells about itself: counters for metrics, a picture of its state for readiness, notices for the log.

/// Counted since the worker began.
package struct WorkerCounters: Hashable, Sendable {
  /// Messages taken in; seen twice; finished by an earlier owner; of an older assignment or of none.
  package var accepted = 0
  /// Seen twice: dropped.
  package var duplicates = 0
  /// Finished by an earlier owner.
  package var skipped = 0
  /// Of an older assignment, or of none.
  package var ignored = 0
  /// Messages given to the stage, finished, and among these dead letters.
  package var started = 0
  /// Done, dead letters among them.
  package var finished = 0
  /// Gone to the dead letters.
  package var deadLetters = 0
  /// Taken away unfinished after they had started.
  package var forgotten = 0
  /// Requests of the stage about messages that were finished or gone.
  package var staleRequests = 0
  /// Commit jobs that ended well, were dropped by the group, and had an output refused.
  package var commits = 0
  /// Jobs the group no longer accepted.
  package var commitsDropped = 0
  /// Outputs refused for their own sake.
  package var outputsRefused = 0
  /// Outputs in jobs that ended well.
  package var outputsCommitted = 0
  /// Times partitions were assigned.
  package var assignments = 0
  /// Times they were asked back.
  package var revocations = 0
  /// Times they were gone already.
  package var losses = 0
  /// Partitions whose committed offset could not be gone on from.
  package var startsOver = 0

  package init() {}

  mutating func add(_ assignment: AssignmentCounters) {
    accepted += assignment.accepted
    duplicates += assignment.duplicates
    skipped += assignment.skipped
    ignored += assignment.ignored
    started += assignment.started
    finished += assignment.finished
    deadLetters += assignment.deadLetters
    staleRequests += assignment.staleRequests
  }
}

/// One assigned partition, as it was within the last second.
package struct PartitionHealth: Hashable, Sendable {
  /// Which one.
  package let partition: TopicPartition
  /// Everything before it is done and committed; nil: nothing was seen and nothing is committed.
  package let frontier: Int64?
  /// Offsets between the frontier and the newest one seen.
  package let windowDepth: Int
  /// Its intake is paused.
  package let isPaused: Bool

  package init(partition: TopicPartition, frontier: Int64?, windowDepth: Int, isPaused: Bool) {
    self.partition = partition
    self.frontier = frontier
    self.windowDepth = windowDepth
    self.isPaused = isPaused
  }
}

/// A worker's state at the end of its latest turn.
package struct WorkerHealth: Hashable, Sendable {
  /// True while partitions are assigned, also while draining.
  package var assigned = false
  /// How many.
  package var partitions = 0
  /// Each of them; looked at once a second.
  package var partitionList: [PartitionHealth] = []
  /// Intake has stopped; the partitions will be given back.
  package var draining = false
  /// The stage cannot take more: a service or the journal is down.
  package var stageWantsPause = false
  /// Partitions whose intake is paused.
  package var paused = 0
  /// With the stage; parked there; may start; behind others of their lane.
  package var inFlight = 0
  /// With the stage, outside the budget.
  package var parked = 0
  /// May start; wait for room.
  package var ready = 0
  /// Behind others of their lane.
  package var waiting = 0
  /// The deepest window and all open lanes.
  package var windowDepth = 0
  /// Open lanes of all partitions.
  package var lanes = 0
  /// Bytes of records and outputs that are not committed.
  package var heldBytes = 0
  /// True while finished work waits for a commit to end; and since when a job runs (boot clock).
  package var uncommitted = false
  /// Since when a commit job runs (boot clock); nil: none runs.
  package var commitRunningSince: Int64?
  /// Boot clock: the latest turn; the latest time something was finished or committed, or there was nothing to do; the latest
  /// commit.
  package var lastTurn: Int64 = 0
  /// Boot clock: the latest time something was finished or committed, or there was nothing to do.
  package var lastProgress: Int64 = 0
  /// Boot clock: the end of the latest commit; nil: none yet.
  package var lastCommit: Int64?
  /// Since the worker began.
  package var counters = WorkerCounters()

  package init() {}

  /// True if the loop turns: a worker stuck in a call is not polling although its library may be.
  package func isPolling(at boot: Int64, within limitNanoseconds: Int64 = 10_000_000_000) -> Bool {
    boot - lastTurn <= limitNanoseconds
  }

  /// True unless there is work and none of it has moved for too long.
  package func isProgressing(at boot: Int64, within limitNanoseconds: Int64 = 60_000_000_000) -> Bool {
    boot - lastProgress <= limitNanoseconds
  }

  /// What a readiness probe asks.
  package func isReady(at boot: Int64) -> Bool {
    assigned && !draining && isPolling(at: boot) && isProgressing(at: boot)
  }
}

/// What a worker has to say; the application turns it into log lines and metrics.
package enum WorkerNotice: Hashable, Sendable {
  case assigned(generation: Int, partitions: [TopicPartition])
  /// The group has no committed offset for these: they were never consumed, or their offsets have expired.
  case offsetsMissing([TopicPartition])
  /// Partitions given back; `unfinished` messages had started and go to the next owner.
  case released(generation: Int, unfinished: Int, lost: Bool)
  /// A commit's metadata is not used: foreign or damaged. Finished messages beyond the frontier come again.
  case finishedSetIgnored(TopicPartition, reason: String)
  /// The committed offset could not be gone on from; as the settings ask, the partition begins at this end of its log.
  case startedOver(TopicPartition, LogPlace, reason: String)
  /// Partitions committed under another context were taken over, as the settings allow.
  case contextAdopted(TopicPartition, from: String)
  /// A commit has ended well, so long after it began.
  case committed(outputs: Int, nanoseconds: Int64)
  /// A message went to the dead letters.
  case deadLettered(code: String)
  /// The group has moved on: a job was dropped.
  case commitDropped(detail: String)
  /// The broker refused an output; its message (nil: an output without one) went to the dead letters.
  case outputRefused(TopicPartition?, detail: String)
  case stopping
}
