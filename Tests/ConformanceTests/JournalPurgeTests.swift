// Purging: what is kept, what goes, what is never touched; and that a repeat is still recognised afterwards.

import CheckoutCore
import JournalQueue
import JournalSamples
import Testing

@Suite struct JournalPurgeTests {
  private static let durable: [JournalKind] = [.sqlite, .postgres]
  private static let start = SampleAttempts.start
  private static let later = start + .hours(1)

  /// An attempt that ended in its second version.
  private static func ended(
    _ name: String, _ state: AttemptState, _ change: (inout Attempt) -> Void = { _ in }
  ) throws -> [Attempt] {
    let first = try #require(SampleAttempts.new("key-of-\(name)-00000000", checkout: "chk_\(name)"))
    let last = first.next {
      $0.state = state
      $0.endedAt = start
      $0.owner = nil
      $0.lastTrouble = "some words"
      change(&$0)
    }
    return [first, last]
  }

  private static func write(_ bench: JournalUnderTest, _ attempts: [[Attempt]]) async {
    for versions in attempts {
      for row in versions {
        let write = AttemptWrite(row, "\(row.identity.idempotencyKey)/\(row.version)")
        #expect(await bench.ask(row.version == 1 ? .create(write) : .update(write)) == .written)
      }
    }
  }

  private static func money() throws -> Amount {
    Amount(minor: 9038, currency: try #require(Currency(code: "EUR")))
  }

  @Test("what held money keeps its narrow row, what failed without money goes, the dry run says so", arguments: durable)
  func forgets(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let money = try Self.money()
    let paid = try Self.ended("paid", .completed) {
      $0.charge.status = .captured(chargeID: "ch_1", amount: money)
      $0.receipt.url = "https://receipts.example/1"
    }
    let cancelled = try Self.ended("cancelled", .cancelled)
    let failed = try Self.ended("failed", .failed(.outOfStock)) { $0.holds = [Hold(generation: 1, status: .refused)] }
    let settled: (inout Attempt) -> Void = { $0.holds = [Hold(generation: 1, status: .released)] }
    let rows = [paid, cancelled, failed].map { versions in [versions[0], versions[1].changed(settled)] }
    await Self.write(bench, rows)
    let expected = PurgeCounts(narrowed: 2, removed: 1, historyEntries: 6)
    let dry = try JournalPurge(try bench.purgeable()).run(before: Self.later, isApplied: false)
    #expect(dry.counts == expected)
    #expect(dry.bytes > 3000)
    #expect(await bench.row(rows[0][1]) == rows[0][1])
    let applied = try JournalPurge(try bench.purgeable()).run(before: Self.later, isApplied: true)
    #expect(applied.counts == expected)
    #expect(await bench.row(rows[2][1]) == nil)
    for versions in rows[..<2] {
      guard case .narrow(let kept) = versions[1].retention(olderThan: Self.later) else {
        Issue.record("\(versions[1].identity.checkoutID) is not narrowed")
        continue
      }
      #expect(kept.request.request.email == nil && kept.fingerprint == versions[1].fingerprint)
      #expect(await bench.row(versions[1]) == kept)
    }
    #expect(try JournalPurge(try bench.purgeable()).run(before: Self.later, isApplied: true) == PurgeReport())
  }

  @Test("young, open, owed, parked, watched, unsettled: never touched", arguments: durable)
  func leavesAlone(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let money = try Self.money()
    let released = [Hold(generation: 1, status: .released)]
    let rows = [
      [try #require(SampleAttempts.new("key-of-the-open-0000", checkout: "chk_open"))],
      try Self.ended("young", .completed) {
        $0.holds = released
        $0.updatedAt = Self.later
      },
      try Self.ended("parked", .failed(.requestExpired)) {
        $0.holds = released
        $0.parked = Parked(reason: .refundUnknown, detail: "", at: Self.start)
      },
      try Self.ended("watched", .failed(.requestExpired)) {
        $0.holds = released
        $0.watch = Watch(lookUpsDone: 1, nextAt: Self.start)
      },
      try Self.ended("owed", .failed(.reservationExpired)) {
        $0.holds = released
        $0.charge.status = .captured(chargeID: "ch_1", amount: money)
        $0.compensation = Compensation(kind: .refund, chargeID: "ch_1", amount: money, status: .sent)
      },
      try Self.ended("sent", .failed(.requestExpired)) {
        $0.holds = released
        $0.charge.status = .sent
      },
      try Self.ended("unsettled", .failed(.requestExpired)),
    ]
    await Self.write(bench, rows)
    let report = try JournalPurge(try bench.purgeable()).run(before: Self.later, isApplied: true)
    #expect(report.counts == PurgeCounts())
    #expect(report.untouched == 5)
    for versions in rows { #expect(await bench.row(versions[0]) == versions.last) }
  }

  @Test(
    "after a purge a repeat still meets its attempt, another key is still blocked, and a copy is still listed",
    arguments: durable)
  func repeatAfterwards(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let money = try Self.money()
    let paid = try Self.ended("paid", .completed) {
      $0.holds = [Hold(generation: 1, status: .confirmed)]
      $0.charge.status = .captured(chargeID: "ch_1", amount: money)
    }
    await Self.write(bench, [paid])
    _ = try JournalPurge(try bench.purgeable()).run(before: Self.later, isApplied: true)
    guard case .narrow(let kept) = paid[1].retention(olderThan: Self.later) else {
      Issue.record("not narrowed")
      return
    }
    let view = AttemptView(attempt: kept, ownedUntil: nil)
    #expect(await bench.ask(.create(AttemptWrite(paid[0], "again"))) == .exists(view))
    let other = try #require(SampleAttempts.new("another-key-00000000", checkout: "chk_paid"))
    #expect(await bench.ask(.create(AttemptWrite(other, "other"))) == .blocked(view))
    #expect(await bench.ask(.findCheckout(other.identity.checkout, limit: 1)) == .listed([view]))
    let listed = kept.next {
      $0.waiting.append(
        Waiter(
          origin: Origin(SampleAttempts.position(40)), listedBy: SampleAttempts.position(41), afterEnd: true))
    }
    #expect(await bench.ask(.update(AttemptWrite(listed, "list"))) == .written)
    #expect(await bench.row(listed) == listed)
  }

  @Test("a row that changed between the look and the purge is left alone", arguments: durable)
  func changedMeanwhile(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let failed = try Self.ended("failed", .failed(.outOfStock)) { $0.holds = [Hold(generation: 1, status: .refused)] }
    await Self.write(bench, [failed])
    let journal = try bench.purgeable()
    let page = try journal.purgeCandidates(after: 0, olderThan: Self.later)
    let found = try #require(page.rows.first)
    let changed = failed[1].next { $0.watch = Watch(lookUpsDone: 0, nextAt: Self.start) }
    await Self.write(bench, [[changed]])
    #expect(try journal.purge([PurgeDecision(id: found.id, version: 2, kept: nil)]) == PurgeCounts())
    #expect(try journal.purge([PurgeDecision(id: found.id, version: 2, kept: failed[1])]) == PurgeCounts())
    #expect(await bench.row(changed) == changed)
  }
}

extension Attempt {
  /// This version, changed further.
  fileprivate func changed(_ change: (inout Attempt) -> Void) -> Attempt {
    var attempt = self
    change(&attempt)
    return attempt
  }
}
