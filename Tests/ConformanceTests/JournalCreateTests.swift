// Creating attempts: one row for each key, one blocking attempt for each checkout.

import CheckoutCore
import JournalSamples
import Testing

@Suite struct JournalCreateTests {
  @Test("a new attempt is written and found again, whole", arguments: JournalKind.allCases)
  func createAndFind(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let attempt = try #require(SampleAttempts.new("key-0000000000000001"))
    #expect(await bench.ask(.create(AttemptWrite(attempt, "w1"))) == .written)
    let view = AttemptView(attempt: attempt, ownedUntil: nil)
    #expect(await bench.ask(.find(attempt.identity.attemptID)) == .found(view))
    #expect(await bench.ask(.findCheckout(attempt.identity.checkout, limit: 5)) == .listed([view]))
  }

  @Test("what was never written is not found", arguments: JournalKind.allCases)
  func findNothing(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    #expect(await bench.ask(.find(AttemptID(merchantID: "m", idempotencyKey: "k"))) == .found(nil))
    #expect(await bench.ask(.findCheckout(CheckoutKey(merchantID: "m", checkoutID: "c"), limit: 5)) == .listed([]))
  }

  @Test("the same key again answers with the row that is there", arguments: JournalKind.allCases)
  func exists(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let first = try #require(SampleAttempts.new("key-0000000000000001", checkout: "chk_a"))
    let second = try #require(SampleAttempts.new("key-0000000000000001", checkout: "chk_b"))
    let results = await bench.ask([.create(AttemptWrite(first, "w1")), .create(AttemptWrite(second, "w2"))]).map(
      \.result)
    #expect(results == [.written, .exists(AttemptView(attempt: first, ownedUntil: nil))])
    #expect(await bench.row(second) == first)
  }

  @Test(
    "the same create after a lost reply is recognised, also when the row has moved on", arguments: JournalKind.allCases)
  func repeatedCreate(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let attempt = try #require(SampleAttempts.new("key-0000000000000001"))
    let write = AttemptWrite(attempt, "w1")
    #expect(await bench.ask(.create(write)) == .written)
    #expect(await bench.ask(.create(write)) == .written)
    let moved = attempt.next { $0.state = .charging }
    #expect(await bench.ask(.update(AttemptWrite(moved, "w2"))) == .written)
    #expect(await bench.ask(.create(write)) == .written)
    #expect(await bench.row(attempt) == moved)
  }

  @Test("an open attempt blocks its checkout for other keys", arguments: JournalKind.allCases)
  func blocked(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let first = try #require(SampleAttempts.new("key-0000000000000001"))
    let second = try #require(SampleAttempts.new("key-0000000000000002"))
    let results = await bench.ask([.create(AttemptWrite(first, "w1")), .create(AttemptWrite(second, "w2"))]).map(
      \.result)
    #expect(results == [.written, .blocked(AttemptView(attempt: first, ownedUntil: nil))])
    #expect(await bench.row(second) == nil)
  }

  @Test("another merchant's checkout of the same name is another checkout", arguments: JournalKind.allCases)
  func otherMerchant(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let first = try #require(SampleAttempts.new("key-0000000000000001"))
    #expect(await bench.ask(.create(AttemptWrite(first, "w1"))) == .written)
    let other = CheckoutKey(merchantID: "shop-us", checkoutID: first.identity.checkoutID)
    #expect(await bench.ask(.findCheckout(other, limit: 5)) == .listed([]))
  }

  @Test(
    "a checkout whose attempts ended without money may be tried again; found: the blocking one, then the latest back",
    arguments: JournalKind.allCases)
  func triedAgain(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let first = try #require(SampleAttempts.new("key-0000000000000001"))
    let second = try #require(SampleAttempts.new("key-0000000000000002"))
    let third = try #require(SampleAttempts.new("key-0000000000000003"))
    let over = first.next { $0.state = .failed(.outOfStock) }
    let overToo = second.next { $0.state = .failed(.paymentDeclined) }
    func found(_ limit: Int) async -> JournalResult? {
      await bench.ask(.findCheckout(first.identity.checkout, limit: limit))
    }
    func views(_ attempts: Attempt...) -> JournalResult {
      .listed(attempts.map { AttemptView(attempt: $0, ownedUntil: nil) })
    }
    #expect(await bench.ask(.create(AttemptWrite(first, "w1"))) == .written)
    #expect(await bench.ask(.update(AttemptWrite(over, "w2"))) == .written)
    #expect(await found(5) == views(over))
    #expect(await bench.ask(.create(AttemptWrite(second, "w3"))) == .written)
    #expect(await found(5) == views(second, over))
    #expect(await bench.ask(.update(AttemptWrite(overToo, "w4"))) == .written)
    #expect(await found(5) == views(overToo, over))
    #expect(await bench.ask(.create(AttemptWrite(third, "w5"))) == .written)
    #expect(await found(5) == views(third, overToo, over))
    #expect(await found(2) == views(third, overToo))
    #expect(await found(1) == views(third))
  }

  @Test(
    "an attempt that ended unpaid but is watched, or ever held money, still blocks", arguments: JournalKind.allCases)
  func watchedBlocks(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let euro = try #require(Currency(code: "EUR"))
    let marks: [(inout Attempt) -> Void] = [
      { $0.watch = Watch(lookUpsDone: 0, nextAt: SampleAttempts.start + .hours(1)) },
      {
        $0.charge.status = .captured(chargeID: "ch_1", amount: Amount(minor: 9038, currency: euro))
        $0.compensation = Compensation(
          kind: .refund, chargeID: "ch_1", amount: Amount(minor: 9038, currency: euro), status: .done(reference: "re_1")
        )
      },
    ]
    for (index, mark) in marks.enumerated() {
      let checkout = "chk_marked_\(index)"
      let first = try #require(SampleAttempts.new("key-of-the-first-\(index)", checkout: checkout))
      let second = try #require(SampleAttempts.new("key-of-the-second-\(index)", checkout: checkout))
      let ended = first.next {
        $0.state = .failed(.requestExpired)
        mark(&$0)
      }
      #expect(await bench.ask(.create(AttemptWrite(first, "w1-\(index)"))) == .written)
      #expect(await bench.ask(.update(AttemptWrite(ended, "w2-\(index)"))) == .written)
      let answer = await bench.ask(.create(AttemptWrite(second, "w3-\(index)")))
      #expect(answer == .blocked(AttemptView(attempt: ended, ownedUntil: nil)))
    }
  }

  @Test(
    "two creates of one checkout in two batches at once: one is written, one is blocked",
    arguments: JournalKind.allCases)
  func race(kind: JournalKind) async throws {
    let bench = try JournalUnderTest(kind)
    let first = try #require(SampleAttempts.new("key-0000000000000001"))
    let second = try #require(SampleAttempts.new("key-0000000000000002"))
    async let one = bench.ask(.create(AttemptWrite(first, "w1")))
    async let two = bench.ask(.create(AttemptWrite(second, "w2")))
    let results = await [one, two]
    #expect(results.count { $0 == .written } == 1)
    #expect(results.contains { if case .blocked = $0 { true } else { false } })
  }
}
