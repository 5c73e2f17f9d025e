// What an assignment looks like from outside: numbers for metrics and readiness.

extension Assignment {
  /// Each partition as it is now.
  func partitionHealth(paused: [Bool]) -> [PartitionHealth] {
    partitions.indices.map { slot in
      PartitionHealth(
        partition: partitions[slot].partition, frontier: partitions[slot].frontier,
        windowDepth: partitions[slot].window.count, isPaused: paused.indices.contains(slot) && paused[slot])
    }
  }
}

extension WorkerHealth {
  /// Fills in what an assignment knows.
  mutating func describe(_ assignment: borrowing Assignment, paused: [Bool]) {
    assigned = true
    partitions = assignment.partitions.count
    self.paused = paused.count { paused in paused }
    inFlight = assignment.inFlight
    parked = assignment.parked
    ready = assignment.ready
    waiting = assignment.waiting
    lanes = assignment.lanes.count
    heldBytes = assignment.heldBytes
    uncommitted = assignment.sent != nil || assignment.hasSomethingToCommit
    for slot in assignment.partitions.indices {
      windowDepth = max(windowDepth, assignment.partitions[slot].window.count)
    }
    counters.add(assignment.counters)
  }
}
