// The lease as the worker believes in it: never longer than the journal does.

import CheckoutCore
import Testing

@testable import CheckoutStages

@Suite("Worker lease")
struct WorkerLeaseTests {
  private static func boot(_ seconds: Int64) -> BootTime { BootTime(nanoseconds: seconds * 1_000_000_000) }

  @Test("never granted: not held, and asked for at once")
  func fresh() {
    var lease = WorkerLease(duration: .seconds(9))
    #expect(!lease.isHeld(at: Self.boot(0)))
    #expect(lease.end == BootTime(nanoseconds: .min))
    let asked1 = lease.ask(at: Self.boot(0))
    #expect(asked1)
  }

  @Test("its end is counted from before it was asked for, however late the answer comes")
  func lateAnswer() {
    var lease = WorkerLease(duration: .seconds(9))
    let asked2 = lease.ask(at: Self.boot(100))
    #expect(asked2)
    lease.granted()
    #expect(lease.end == Self.boot(109))
    #expect(lease.isHeld(at: Self.boot(108)))
    #expect(!lease.isHeld(at: Self.boot(109)))
  }

  @Test("it is renewed every third of it, by one request at a time")
  func renewal() {
    var lease = WorkerLease(duration: .seconds(9))
    let asked3 = lease.ask(at: Self.boot(100))
    #expect(asked3)
    #expect(lease.nextRenewal == .never)
    let asked4 = lease.ask(at: Self.boot(105))
    #expect(!asked4)
    lease.granted()
    #expect(lease.nextRenewal == Self.boot(103))
    let asked5 = lease.ask(at: Self.boot(102))
    #expect(!asked5)
    let asked6 = lease.ask(at: Self.boot(103))
    #expect(asked6)
    #expect(lease.end == Self.boot(109))
    lease.granted()
    #expect(lease.end == Self.boot(112))
  }

  @Test("a grant nobody asked for changes nothing")
  func unasked() {
    var lease = WorkerLease(duration: .seconds(9))
    lease.granted()
    #expect(!lease.isHeld(at: Self.boot(0)))
  }
}

@Suite("Journal clock")
struct JournalClockTests {
  private static func boot(_ milliseconds: Int64) -> BootTime { BootTime(nanoseconds: milliseconds * 1_000_000) }

  private static let wall = Timestamp(milliseconds: 70)

  @Test("before the first answer it is the wall clock, after it the journal's")
  func first() {
    var clock = JournalClock()
    #expect(clock.now(boot: Self.boot(5), wall: Self.wall) == Self.wall)
    clock.learn(Timestamp(milliseconds: 1_000), askedAt: Self.boot(8), at: Self.boot(10))
    #expect(clock.now(boot: Self.boot(15), wall: Self.wall) == Timestamp(milliseconds: 1_005))
  }

  // 5. Answers that came three seconds late were taken for a clock set back by three seconds: sends were journaled with times
  //    too early, so that a look-up's `not found` was believed too early.
  @Test("an answer that took longer does not set it back, however much longer; one that was faster sets it on")
  func delays() {
    var clock = JournalClock()
    clock.learn(Timestamp(milliseconds: 1_000), askedAt: Self.boot(0), at: Self.boot(10))
    clock.learn(Timestamp(milliseconds: 1_010), askedAt: Self.boot(15), at: Self.boot(60))
    #expect(clock.now(boot: Self.boot(60), wall: Self.wall) == Timestamp(milliseconds: 1_050))
    clock.learn(Timestamp(milliseconds: 1_070), askedAt: Self.boot(70), at: Self.boot(60_000))
    #expect(clock.now(boot: Self.boot(60_000), wall: Self.wall) == Timestamp(milliseconds: 60_990))
    clock.learn(Timestamp(milliseconds: 61_100), askedAt: Self.boot(60_100), at: Self.boot(60_101))
    #expect(clock.now(boot: Self.boot(60_101), wall: Self.wall) == Timestamp(milliseconds: 61_100))
  }

  @Test("a journal clock that was set back is followed, by as much as is certain")
  func setBack() {
    var clock = JournalClock()
    clock.learn(Timestamp(milliseconds: 100_000), askedAt: Self.boot(0), at: Self.boot(10))
    clock.learn(Timestamp(milliseconds: 98_000), askedAt: Self.boot(18), at: Self.boot(20))
    #expect(clock.now(boot: Self.boot(20), wall: Self.wall) == Timestamp(milliseconds: 98_002))
  }
}
