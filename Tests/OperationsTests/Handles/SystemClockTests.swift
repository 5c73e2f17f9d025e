// Tests of the clocks: plausible, and an offset clock starts where it is told and goes on at its base's pace.

import Synchronization
import Testing

@testable import Operations

@Suite("Clocks")
struct SystemClockTests {
  @Test("the wall is after 2025 and the boot clock does not go back")
  func plausible() {
    let clock = SystemClock()
    #expect(clock.wallNanoseconds() > 1_735_689_600_000_000_000)
    let first = clock.bootNanoseconds()
    #expect(clock.bootNanoseconds() >= first)
  }

  @Test("an offset clock starts at its instant and follows the boot clock, not the wall")
  func offset() {
    let base = SteppedClock(wall: 5, boot: 1_000)
    let clock = OffsetClock(startingAt: 1_764_504_000_000_000_000, base: base)
    #expect(clock.wallNanoseconds() == 1_764_504_000_000_000_000)
    base.set(wall: 99_999, boot: 1_250)
    #expect(clock.wallNanoseconds() == 1_764_504_000_000_000_250)
    #expect(clock.bootNanoseconds() == 1_250)
  }

  @Test("an offset clock at the end of time saturates")
  func saturates() {
    let base = SteppedClock(wall: 0, boot: 0)
    let clock = OffsetClock(startingAt: .max, base: base)
    base.set(wall: 0, boot: 7)
    #expect(clock.wallNanoseconds() == .max)
  }
}

/// A clock that stands still until it is set.
final class SteppedClock: ProcessClock {
  private let times: Mutex<(wall: Int64, boot: Int64)>

  init(wall: Int64, boot: Int64) { times = Mutex((wall, boot)) }

  func set(wall: Int64, boot: Int64) { times.withLock { $0 = (wall, boot) } }

  func wallNanoseconds() -> Int64 { times.withLock { $0.wall } }

  func bootNanoseconds() -> Int64 { times.withLock { $0.boot } }
}
