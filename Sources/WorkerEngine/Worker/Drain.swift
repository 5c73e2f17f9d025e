// Draining: intake has stopped, started work may end and be committed, and there is a time by which it is over.

/// One drain, because the partitions are taken away or because the worker stops.
struct Drain {
  /// Until when started work may go on, and until when its last commits may take (boot clock).
  private(set) var workUntil: Int64
  private(set) var commitUntil: Int64
  /// The broker waits for `release`.
  let isRevoked: Bool

  init(workUntil: Int64, commitUntil: Int64, isRevoked: Bool) {
    self.workUntil = workUntil
    self.commitUntil = max(workUntil, commitUntil)
    self.isRevoked = isRevoked
  }

  /// The same drain with earlier ends.
  func limited(workUntil: Int64, commitUntil: Int64, isRevoked: Bool) -> Drain {
    Drain(
      workUntil: min(self.workUntil, workUntil), commitUntil: min(self.commitUntil, commitUntil), isRevoked: isRevoked)
  }

  /// True once the partitions can be given back. Parked messages are not waited for: they wait for something that takes long.
  func isOver(at boot: Int64, inFlight: Int, uncommitted: Bool) -> Bool {
    if boot >= commitUntil { return true }
    return !uncommitted && (inFlight == 0 || boot >= workUntil)
  }

  /// When it has to be looked at again.
  func nextLook(after boot: Int64) -> Int64 { boot < workUntil ? workUntil : commitUntil }
}
