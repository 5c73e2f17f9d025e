// The clocks of the process, behind one small protocol: nothing else reads the time.

import Glibc

/// Two clocks: the wall, for dates people see, and one that is never set, for waiting.
package protocol ProcessClock: Sendable {
  /// Nanoseconds since 1970-01-01T00:00:00Z. May jump when somebody sets the clock: never measure spans with it.
  func wallNanoseconds() -> Int64
  /// Nanoseconds since the machine started, running on while it sleeps; never goes back.
  func bootNanoseconds() -> Int64
}

/// The machine's own clocks (`CLOCK_REALTIME`, `CLOCK_BOOTTIME`).
package struct SystemClock: ProcessClock {
  /// The machine's clocks; there is nothing to set up.
  package init() {}

  package func wallNanoseconds() -> Int64 { read(CLOCK_REALTIME) }

  package func bootNanoseconds() -> Int64 { read(CLOCK_BOOTTIME) }

  private func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    // SAFETY: the out-parameter lives on this stack; both clocks exist on every Linux we run on, so it cannot fail.
    unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

/// A wall clock that started at a chosen instant and goes on at the machine's pace: for a demo or a replay of dated
/// messages.
package struct OffsetClock: ProcessClock {
  private let base: any ProcessClock
  private let startWall: Int64
  private let startBoot: Int64

  /// A clock whose wall shows `wallNanoseconds` now; its boot clock is that of `base`.
  package init(startingAt wallNanoseconds: Int64, base: any ProcessClock = SystemClock()) {
    self.base = base
    startWall = wallNanoseconds
    startBoot = base.bootNanoseconds()
  }

  package func wallNanoseconds() -> Int64 {
    let (sum, overflow) = startWall.addingReportingOverflow(base.bootNanoseconds() - startBoot)
    return overflow ? .max : sum
  }

  package func bootNanoseconds() -> Int64 { base.bootNanoseconds() }
}
