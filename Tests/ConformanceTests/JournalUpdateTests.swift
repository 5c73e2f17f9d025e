// Conditional updates: by version, by epoch, repeated, in order, and refused for their data alone.

import CheckoutCore
import JournalSamples
import Testing

@Suite struct JournalUpdateTests {
  @Test("an update of the expected version is written", arguments: JournalKind.allCases)
  func update(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let attempt = try #require(SampleAttempts.new("key-0000000000000001"))
    let charging = attempt.next { $0.state = .charging }
    _ = await bench.ask(.create(AttemptWrite(attempt, "w1")))
    #expect(await bench.ask(.update(AttemptWrite(charging, "w2", epoch: 1))) == .written)
    #expect(await bench.row(attempt) == charging)
  }

  @Test("an update of another version answers with the present row", arguments: JournalKind.allCases)
  func otherVersion(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let attempt = try #require(SampleAttempts.new("key-0000000000000001"))
    let winner = attempt.next { $0.state = .charging }
    let loser = attempt.next { $0.state = .failed(.outOfStock) }
    let ahead = winner.next().next()
    _ = await bench.ask(.create(AttemptWrite(attempt, "w1")))
    _ = await bench.ask(.update(AttemptWrite(winner, "w2")))
    let present = JournalResult.conflict(AttemptView(attempt: winner, ownedUntil: nil))
    #expect(await bench.ask(.update(AttemptWrite(loser, "w3"))) == present)
    #expect(await bench.ask(.update(AttemptWrite(ahead, "w4"))) == present)
    #expect(await bench.row(attempt) == winner)
  }

  @Test("an update of an attempt that is not there is a conflict with nothing", arguments: JournalKind.allCases)
  func updateNothing(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let attempt = try #require(SampleAttempts.new("key-0000000000000001"))
    #expect(await bench.ask(.update(AttemptWrite(attempt.next(), "w1"))) == .conflict(nil))
  }

  @Test(
    "after a take-over a write with the older epoch is refused; one that looks at no epoch is written",
    arguments: JournalKind.allCases)
  func epochs(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let attempt = try #require(SampleAttempts.new("key-0000000000000001"))
    let taken = attempt.next {
      $0.epoch = 2
      $0.owner = WorkerID("worker-b/1")
    }
    let zombie = taken.next { $0.epoch = 1 }
    let late = taken.next { $0.lastTrouble = "a late definite reply" }
    _ = await bench.ask(.create(AttemptWrite(attempt, "w1")))
    #expect(await bench.ask(.update(AttemptWrite(taken, "w2", epoch: 1))) == .written)
    #expect(
      await bench.ask(.update(AttemptWrite(zombie, "w3", epoch: 1)))
        == .conflict(AttemptView(attempt: taken, ownedUntil: nil)))
    #expect(await bench.ask(.update(AttemptWrite(late, "w4"))) == .written)
    #expect(await bench.row(attempt) == late)
  }

  @Test(
    "the same update after a lost reply is recognised, also when the row has moved on", arguments: JournalKind.allCases)
  func repeatedUpdate(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let attempt = try #require(SampleAttempts.new("key-0000000000000001"))
    let second = AttemptWrite(attempt.next { $0.state = .charging }, "w2", epoch: 1)
    let third = AttemptWrite(second.row.next { $0.epoch = 2 }, "w3", epoch: 1)
    _ = await bench.ask(.create(AttemptWrite(attempt, "w1")))
    #expect(await bench.ask(.update(second)) == .written)
    #expect(await bench.ask(.update(second)) == .written)
    #expect(await bench.ask(.update(third)) == .written)
    #expect(await bench.ask(.update(second)) == .written)
    #expect(await bench.row(attempt) == third.row)
  }

  @Test("the same content under another write id is not recognised", arguments: JournalKind.allCases)
  func otherWriteID(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let attempt = try #require(SampleAttempts.new("key-0000000000000001"))
    let next = attempt.next()
    _ = await bench.ask(.create(AttemptWrite(attempt, "w1")))
    _ = await bench.ask(.update(AttemptWrite(next, "w2")))
    #expect(
      await bench.ask(.update(AttemptWrite(next, "w3"))) == .conflict(AttemptView(attempt: next, ownedUntil: nil)))
  }

  @Test("two writes of one attempt submitted together are applied in that order", arguments: JournalKind.allCases)
  func order(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let attempt = try #require(SampleAttempts.new("key-0000000000000001"))
    let second = attempt.next { $0.state = .charging }
    let third = second.next { $0.state = .receipting }
    let results = await bench.ask([
      .create(AttemptWrite(attempt, "w1")), .update(AttemptWrite(second, "w2", epoch: 1)),
      .update(AttemptWrite(third, "w3", epoch: 1)), .find(attempt.identity.attemptID),
    ]).map(\.result)
    #expect(results == [.written, .written, .written, .found(AttemptView(attempt: third, ownedUntil: nil))])
  }

  @Test("a row that is too big is refused alone; the others of its batch go on", arguments: JournalKind.allCases)
  func tooBig(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let rows = try (1...5).map { number in
      try #require(SampleAttempts.new("key-000000000000000\(number)", checkout: "chk_\(number)"))
    }
    var writes = rows.map { AttemptWrite($0, "w-\($0.identity.checkoutID)") }
    var big = rows[2]
    big.lastTrouble = String(repeating: "x", count: 8 << 20)
    writes[2] = AttemptWrite(big, "w-big")
    let results = await bench.ask(writes.map { .create($0) }).map(\.result)
    #expect(results == [.written, .written, .refused(detail: "the row is too big"), .written, .written])
    #expect(await bench.row(rows[2]) == nil)
    #expect(await bench.row(rows[4]) == rows[4])
  }

  @Test("an update that would give a checkout two blocking attempts is refused alone", arguments: JournalKind.allCases)
  func twoBlocking(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let first = try #require(SampleAttempts.new("key-0000000000000001"))
    let second = try #require(SampleAttempts.new("key-0000000000000002"))
    let third = try #require(SampleAttempts.new("key-0000000000000003", checkout: "chk_other"))
    let over = first.next { $0.state = .failed(.outOfStock) }
    let awake = over.next { $0.watch = Watch(lookUpsDone: 0, nextAt: SampleAttempts.start) }
    _ = await bench.ask([.create(AttemptWrite(first, "w1")), .create(AttemptWrite(third, "w2"))])
    _ = await bench.ask([.update(AttemptWrite(over, "w3")), .create(AttemptWrite(second, "w4"))])
    let results = await bench.ask([
      .update(AttemptWrite(awake, "w5")), .update(AttemptWrite(third.next(), "w6")),
    ]).map(\.result)
    #expect(results == [.refused(detail: "another attempt of this checkout is open or paid"), .written])
    #expect(await bench.row(first) == over)
  }

  @Test("every field of every shape of row comes back as written, created and updated", arguments: JournalKind.allCases)
  func roundTrip(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let rows = SampleAttempts.everyShape()
    #expect(rows.count > 80)
    let results = await bench.ask(rows.enumerated().map { .create(AttemptWrite($1, "w-\($0)")) }).map(\.result)
    #expect(results == rows.map { _ in .written })
    for row in rows { #expect(await bench.row(row) == row) }
    let plain = try #require(SampleAttempts.new("key-of-the-one-updated", checkout: "chk_updated"))
    _ = await bench.ask(.create(AttemptWrite(plain, "u-0")))
    var version = Int64(1)
    for (index, shape) in rows.enumerated() {
      version += 1
      let row = plain.with(shape, version: version)
      #expect(await bench.ask(.update(AttemptWrite(row, "u-\(index + 1)"))) == .written)
      #expect(await bench.row(plain) == row)
    }
  }
}

extension Attempt {
  /// This attempt with everything that can change taken from `other`.
  fileprivate func with(_ other: Attempt, version: Int64) -> Attempt {
    var attempt = self
    attempt.version = version
    attempt.epoch = other.epoch
    attempt.owner = other.owner
    attempt.custody = other.custody
    attempt.owedBy = other.owedBy
    attempt.handOver = other.handOver
    attempt.waiting = other.waiting
    attempt.state = other.state
    attempt.parked = other.parked
    attempt.holds = other.holds
    attempt.charge = other.charge
    attempt.compensation = other.compensation
    attempt.receipt = other.receipt
    attempt.cancel = other.cancel
    attempt.retry = other.retry
    attempt.watch = other.watch
    attempt.parkedNotices = other.parkedNotices
    attempt.receiptPendingNotices = other.receiptPendingNotices
    attempt.lastTrouble = other.lastTrouble
    attempt.outOfStockLines = other.outOfStockLines
    attempt.updatedAt = other.updatedAt
    attempt.endedAt = other.endedAt
    return attempt
  }
}
