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
