// Leases, giving up, and the sweep: all by the journal's own clock.

import CheckoutCore
import JournalSamples
import Testing

@Suite struct JournalLeaseTests {
  private static let workerA = WorkerID("worker-a/1")
  private static let workerB = WorkerID("worker-b/1")
  private static let start = SampleAttempts.start

  @Test("a lease ends at its time by the journal's clock, and is renewed from now", arguments: JournalKind.allCases)
  func lease(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let attempt = try #require(SampleAttempts.new("key-0000000000000001"))
    _ = await bench.ask(.create(AttemptWrite(attempt, "w1")))
    let end = Self.start + .seconds(10)
    #expect(await bench.ask(.lease(Self.workerA, duration: .seconds(10))) == .leased(until: end))
    #expect(
      await bench.ask(.find(attempt.identity.attemptID)) == .found(AttemptView(attempt: attempt, ownedUntil: end)))
    bench.clock.move(by: .seconds(4))
    let renewed = Self.start + .seconds(14)
    #expect(await bench.ask(.lease(Self.workerA, duration: .seconds(10))) == .leased(until: renewed))
    bench.clock.move(by: TimeSpan(nanoseconds: 9_999_999_999))
    #expect(
      await bench.ask(.find(attempt.identity.attemptID)) == .found(AttemptView(attempt: attempt, ownedUntil: renewed)))
    bench.clock.move(by: TimeSpan(nanoseconds: 1))
    #expect(
      await bench.ask(.find(attempt.identity.attemptID)) == .found(AttemptView(attempt: attempt, ownedUntil: nil)))
  }

  @Test("another worker's lease says nothing about this one's attempts", arguments: JournalKind.allCases)
  func otherLease(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let attempt = try #require(SampleAttempts.new("key-0000000000000001"))
    _ = await bench.ask([.create(AttemptWrite(attempt, "w1")), .lease(Self.workerB, duration: .seconds(10))])
    #expect(
      await bench.ask(.find(attempt.identity.attemptID)) == .found(AttemptView(attempt: attempt, ownedUntil: nil)))
  }

  @Test("a lease that is ended is over at once", arguments: JournalKind.allCases)
  func endLease(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let attempt = try #require(SampleAttempts.new("key-0000000000000001"))
    _ = await bench.ask([.create(AttemptWrite(attempt, "w1")), .lease(Self.workerA, duration: .seconds(10))])
    #expect(await bench.ask(.endLease(Self.workerA)) == .done)
    #expect(
      await bench.ask(.find(attempt.identity.attemptID)) == .found(AttemptView(attempt: attempt, ownedUntil: nil)))
  }

  @Test(
    "giving up clears the owner where it is this worker, and neither version nor epoch", arguments: JournalKind.allCases
  )
  func giveUp(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let mine = try #require(SampleAttempts.new("key-0000000000000001", checkout: "chk_mine"))
    let other = try #require(SampleAttempts.new("key-0000000000000002", checkout: "chk_other", owner: Self.workerB))
    _ = await bench.ask([.create(AttemptWrite(mine, "w1")), .create(AttemptWrite(other, "w2"))])
    let ids = [mine, other].map(\.identity.attemptID) + [AttemptID(merchantID: "nobody", idempotencyKey: "nothing")]
    #expect(await bench.ask(.giveUp(Self.workerA, ids)) == .done)
    var free = mine
    free.owner = nil
    #expect(await bench.row(mine) == free)
    #expect(await bench.row(other) == other)
    #expect(await bench.ask(.update(AttemptWrite(free.next(), "w3", epoch: 1))) == .written)
  }

  @Test(
    "a write made from a picture before giving up does not bring the owner back; one of the next epoch does",
    arguments: JournalKind.allCases)
  func givenUpStaysGivenUp(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let attempt = try #require(SampleAttempts.new("key-0000000000000001"))
    _ = await bench.ask([.create(AttemptWrite(attempt, "w1")), .lease(Self.workerA, duration: .seconds(10))])
    #expect(await bench.ask(.giveUp(Self.workerA, [attempt.identity.attemptID])) == .done)
    let late = attempt.next { $0.receipt.url = "https://receipts.example/1" }
    #expect(late.owner == Self.workerA)
    #expect(await bench.ask(.update(AttemptWrite(late, "w2"))) == .written)
    var stored = late
    stored.owner = nil
    let found = await bench.ask(.find(attempt.identity.attemptID))
    #expect(found == .found(AttemptView(attempt: stored, ownedUntil: nil)))
    let ended = stored.next {
      $0.owner = Self.workerA
      $0.state = .completed
    }
    #expect(await bench.ask(.update(AttemptWrite(ended, "w3"))) == .written)
    #expect(await bench.row(attempt)?.owner == nil)
    let taken = stored.next {
      $0.version = 4
      $0.epoch += 1
      $0.owner = Self.workerB
    }
    #expect(await bench.ask(.update(AttemptWrite(taken, "w4"))) == .written)
    #expect(await bench.row(attempt) == taken)
  }

  @Test("journal time does not go back when the clock does", arguments: JournalKind.allCases)
  func clockBack(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let before = try #require(await bench.ask([.lease(Self.workerA, duration: .seconds(10))]).first)
    bench.clock.move(by: .seconds(-3600))
    let after = try #require(await bench.ask([.lease(Self.workerA, duration: .seconds(10))]).first)
    #expect(before.at == Self.start)
    #expect(after.at == Self.start)
    #expect(after.result == .leased(until: Self.start + .seconds(10)))
  }

  @Test(
    "a sweep lists old open attempts without a living owner, oldest first, parked ones last",
    arguments: JournalKind.allCases)
  func sweepOpen(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    func made(
      _ name: String, age: Int64, owner: WorkerID = Self.workerA, _ change: (inout Attempt) -> Void = { _ in }
    )
      throws -> Attempt
    {
      var attempt = try #require(SampleAttempts.new("key-of-\(name)-0000000", checkout: "chk_\(name)", owner: owner))
      attempt.updatedAt = Self.start - .seconds(age)
      change(&attempt)
      return attempt
    }
    let older = try made("older", age: 900)
    let old = try made("old", age: 601)
    let young = try made("young", age: 600)
    let owned = try made("owned", age: 900, owner: Self.workerB)
    let ended = try made("ended", age: 900) { $0.state = .completed }
    let parked = try made("parked", age: 1000) {
      $0.parked = Parked(reason: .chargeUnknown, detail: "", at: Self.start)
    }
    let rows = [old, older, young, owned, ended, parked]
    _ = await bench.ask(rows.enumerated().map { .create(AttemptWrite($1, "w\($0)")) })
    _ = await bench.ask(.lease(Self.workerB, duration: .seconds(10)))
    let limit = Self.start - .seconds(600)
    func swept(_ most: Int) async -> [String]? {
      guard case .listed(let views)? = await bench.ask(.sweep(olderThan: limit, now: Self.start, limit: most)) else {
        return nil
      }
      return views.map(\.attempt.identity.checkoutID)
    }
    #expect(await swept(10) == ["chk_older", "chk_old", "chk_parked"])
    #expect(await swept(1) == ["chk_older"])
    #expect(await swept(0) == [])
    bench.clock.move(by: .seconds(10))
    #expect(await swept(10) == ["chk_older", "chk_owned", "chk_old", "chk_parked"])
  }

  @Test(
    "a sweep lists ended attempts whose watch is due, and neither kind starves the other",
    arguments: JournalKind.allCases)
  func sweepWatched(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    var rows: [Attempt] = []
    for number in 1...3 {
      let watched = try #require(SampleAttempts.new("key-of-watched-0\(number)", checkout: "chk_w\(number)"))
      rows.append(
        watched.next {
          $0.version = 1
          $0.state = .failed(.requestExpired)
          $0.watch = Watch(lookUpsDone: 0, nextAt: Self.start + .seconds(Int64(number)))
        })
      var open = try #require(SampleAttempts.new("key-of-the-open-0\(number)", checkout: "chk_o\(number)"))
      open.updatedAt = Self.start - .seconds(1000 - Int64(number))
      rows.append(open)
    }
    _ = await bench.ask(rows.enumerated().map { .create(AttemptWrite($1, "w\($0)")) })
    func swept(now: Int64, _ most: Int) async -> [String]? {
      let command = JournalCommand.sweep(olderThan: Self.start, now: Self.start + .seconds(now), limit: most)
      guard case .listed(let views)? = await bench.ask(command) else { return nil }
      return views.map(\.attempt.identity.checkoutID)
    }
    #expect(await swept(now: 0, 10) == ["chk_o1", "chk_o2", "chk_o3"])
    #expect(await swept(now: 2, 10) == ["chk_w1", "chk_w2", "chk_o1", "chk_o2", "chk_o3"])
    #expect(await swept(now: 3, 4) == ["chk_w1", "chk_w2", "chk_o1", "chk_o2"])
  }

  @Test("a watch that moves on or ends is seen by the next sweep", arguments: JournalKind.allCases)
  func watchMoves(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let attempt = try #require(SampleAttempts.new("key-0000000000000001"))
    let watched = attempt.next {
      $0.state = .failed(.requestExpired)
      $0.watch = Watch(lookUpsDone: 0, nextAt: Self.start)
    }
    let later = watched.next { $0.watch = Watch(lookUpsDone: 1, nextAt: Self.start + .hours(24)) }
    let over = later.next { $0.watch = nil }
    _ = await bench.ask([.create(AttemptWrite(attempt, "w1")), .update(AttemptWrite(watched, "w2"))])
    let due = JournalCommand.sweep(olderThan: Self.start, now: Self.start, limit: 10)
    let dueLater = JournalCommand.sweep(olderThan: Self.start, now: Self.start + .hours(24), limit: 10)
    #expect(await bench.ask(due) == .listed([AttemptView(attempt: watched, ownedUntil: nil)]))
    _ = await bench.ask(.update(AttemptWrite(later, "w3")))
    #expect(await bench.ask(due) == .listed([]))
    #expect(await bench.ask(dueLater) == .listed([AttemptView(attempt: later, ownedUntil: nil)]))
    _ = await bench.ask(.update(AttemptWrite(over, "w4")))
    #expect(await bench.ask(dueLater) == .listed([]))
  }
}
