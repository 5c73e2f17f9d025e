// The simulated world's time: it moves only when somebody moves it.

import Synchronization
package import WorkerEngine

/// A clock that a test or a simulation owns. Wall and boot time move together from a fixed start. Any thread may read it:
/// services and journal keep it in closures.
package final class VirtualClock: EngineClock, Sendable {
  private let moment: Mutex<Moment>

  /// Starts at 2026-11-30T12:00:00Z, the date of the samples, one hour after boot.
  package init(wall: Int64 = 1_796_040_000_000_000_000, boot: Int64 = 3_600_000_000_000) {
    moment = Mutex(Moment(wall: wall, boot: boot))
  }

  package func now() -> Moment { moment.withLock { moment in moment } }

  /// Lets time pass.
  package func advance(nanoseconds: Int64) {
    precondition(nanoseconds >= 0, "time does not go back")
    moment.withLock { moment in
      moment = Moment(wall: moment.wall + nanoseconds, boot: moment.boot + nanoseconds)
    }
  }

  /// Lets time pass.
  package func advance(milliseconds: Int64) { advance(nanoseconds: milliseconds * 1_000_000) }

  /// Lets time pass until this boot time; does nothing if it has passed.
  package func advance(toBoot boot: Int64) {
    let now = now().boot
    if boot > now { advance(nanoseconds: boot - now) }
  }
}

/// The clocks of one host: they differ from the world's, and its wall clock may be set. Any thread may read them.
package final class HostClock: EngineClock, Sendable {
  private let world: VirtualClock
  /// Added to the world's boot time: another machine was started at another time.
  package let bootOffset: Int64
  private let wallOffset: Atomic<Int64>

  /// A host's clocks, as far off as said (nanoseconds).
  package init(_ world: VirtualClock, wallOffset: Int64 = 0, bootOffset: Int64 = 0) {
    self.world = world
    self.bootOffset = bootOffset
    self.wallOffset = Atomic(wallOffset)
  }

  package func now() -> Moment {
    let now = world.now()
    return Moment(wall: now.wall + wallOffset.load(ordering: .relaxed), boot: now.boot + bootOffset)
  }

  /// Sets the wall clock: so far off the world's (nanoseconds).
  package func setWall(offset: Int64) { wallOffset.store(offset, ordering: .relaxed) }
}
