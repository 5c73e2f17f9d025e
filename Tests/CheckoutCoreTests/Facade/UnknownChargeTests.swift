// Charges whose fate nobody knows: looked up, never sent again blindly, watched if they end unpaid.

import CheckoutCore
import Testing

@Suite struct UnknownChargeTests {
  private func world(
    _ script: [Operation: [Fate]], lookUps: [PaymentReply] = [], traits: ProviderTraits = SagaSample.traits(),
    expiresAfter: TimeSpan? = nil, _ prepare: (TestWorld) -> Void = { _ in }
  ) throws -> TestWorld {
    let world = TestWorld()
    world.script = script
    world.lookUps = lookUps
    world.traits = traits
    world.put(.request(try SagaSample.request(expiresAfter: expiresAfter), Fingerprint("1:a")))
    prepare(world)
    #expect(world.run())
    #expect(world.violations.isEmpty)
    #expect(world.journal.violations.isEmpty)
    return world
  }

  private func sends(_ world: TestWorld) -> Int { world.operations.count { $0 == "charge" } }

  @Test("a time-out, then in progress twice, then captured: paid, one charge")
  func inProgressTwice() throws {
    let world = try world([.charge: [.lostReply]], lookUps: [.inProgress, .inProgress])
    #expect(world.story == ["completed"])
    #expect(world.operations == ["reserve", "charge", "charge?", "charge?", "charge?", "confirm", "receipt"])
  }

  @Test("a charge carried out after its time-out is found, not sent again")
  func slow() throws {
    let world = try world([.charge: [.slow(.seconds(10))]])
    #expect(world.story == ["completed"])
    #expect(sends(world) == 1)
  }

  @Test("not found inside settle_after is no answer; after it, the same key is sent again")
  func notFoundSettles() throws {
    let world = try world([.charge: [.lostRequest]], lookUps: [.notFound])
    #expect(world.story == ["completed"])
    #expect(sends(world) == 2)
    let keys = Set(world.calls.filter { $0.operation == .charge }.map(\.key))
    #expect(keys.count == 1)
    let sentAt = world.journal.writes.compactMap { $0.row.charge.lastSentAt }
    #expect(Set(sentAt).count == 2)
    let second = try #require(sentAt.max())
    #expect(second - (try #require(sentAt.min())) >= .seconds(11))
  }

  @Test("a look-up lag longer than the time-out puts the second send off")
  func lag() throws {
    let world = try world([.charge: [.lostReply]], traits: SagaSample.traits(lag: .seconds(40)))
    #expect(world.story == ["charge.unknown", "completed"])
    #expect(sends(world) == 1)
  }

  @Test("outside the key window, or where keys are never remembered: a person, no second send")
  func outsideWindow() throws {
    for window in [TimeSpan.zero, .seconds(15)] {
      let world = try world([.charge: [.lostRequest]], traits: SagaSample.traits(chargeWindow: window))
      #expect(world.story.last == "parked")
      #expect(world.row?.parked?.reason == .chargeUnknown)
      #expect(sends(world) == 1)
    }
  }

  @Test("a window-less provider gets what it certainly did not carry out again")
  func transientWithoutKeys() throws {
    let world = try world(
      [.charge: [.trouble(.notApplied(.transient, detail: "503"))]], traits: SagaSample.traits(chargeWindow: .zero))
    #expect(world.story == ["completed"])
    #expect(sends(world) == 2)
  }

  @Test("cancelled while unknown: ends as not charged, with the hold released and the attempt watched")
  func cancelled() throws {
    let world = try world([.charge: [.lostRequest]]) { $0.onCall[.charge] = { $0.cancel() } }
    #expect(world.story == ["cancelled", "cancelled*"])
    #expect(sends(world) == 1)
    #expect(world.row?.charge.status == .absent)
    #expect(world.stock.holds.map(\.status) == [.released])
    #expect(world.row?.watch != nil)
  }

  @Test("expired while unknown: not sent again, ends as not charged, watched")
  func expired() throws {
    let world = try world([.charge: [.lostRequest]], expiresAfter: .seconds(20))
    #expect(world.row?.state == .failed(.requestExpired))
    #expect(sends(world) == 1)
    #expect(world.row?.watch?.lookUpsDone == 0)
    #expect(world.row?.blocksCheckout == true)
  }

  @Test("watched at 1 h, 24 h and the window's end, then let go")
  func watch() throws {
    let world = try world(
      [.charge: [.lostRequest]], traits: SagaSample.traits(chargeWindow: .hours(48)), expiresAfter: .seconds(20))
    let endedAt = try #require(world.row?.endedAt)
    #expect(world.row?.watch?.nextAt == endedAt + .hours(1))
    world.sweep(after: .hours(1))
    #expect(world.row?.watch == Watch(lookUpsDone: 1, nextAt: endedAt + .hours(24)))
    world.sweep(after: .hours(23))
    let sentAt = try #require(world.row?.charge.firstSentAt)
    #expect(world.row?.watch == Watch(lookUpsDone: 2, nextAt: sentAt + .hours(48) - .seconds(60)))
    world.sweep(after: .hours(24))
    #expect(world.row?.watch == nil)
    #expect(world.row?.blocksCheckout == false)
    #expect(world.story == ["failed", "charge.unknown", "charge.unknown", "charge.unknown"])
  }

  @Test("a success that shows an hour late is refunded once; the published outcome stays")
  func lateSuccess() throws {
    let world = try world([.charge: [.slow(.seconds(1800))]], expiresAfter: .seconds(20))
    #expect(world.story == ["failed"])
    for _ in 0..<4 { world.sweep(after: .hours(24)) }
    #expect(world.payments.entries.map(\.refunds) == [[9038]])
    #expect(world.row?.state == .failed(.requestExpired))
    #expect(world.story.filter { $0 == "failed" } == ["failed"])
    #expect(world.row?.blocksCheckout == true)
  }

  @Test("a watched charge that somebody gave back already owes nothing, and the watch ends", arguments: [true, false])
  func givenBackMeanwhile(isVoid: Bool) throws {
    let world = try world([.charge: [.lostRequest]], expiresAfter: .seconds(20))
    world.lookUps = [isVoid ? .voided : .refunded(refundID: "re_1", amount: try SagaSample.euro(9038))]
    world.sweep(after: .hours(1))
    #expect(world.row?.watch == nil)
    #expect(world.story == ["failed", "charge.unknown"])
    #expect(world.payments.entries.isEmpty)
  }

  @Test("a late refund that is never carried out is parked after its budget")
  func lateRefundBudget() throws {
    let traits = SagaSample.traits(compensationWindow: .hours(1000))
    let world = try world([.charge: [.slow(.seconds(1800))]], traits: traits, expiresAfter: .seconds(20)) {
      $0.fate = { _, call in
        call.operation == .refund && call.hasEffect ? .trouble(.notApplied(.transient, detail: "503")) : .good
      }
    }
    for _ in 0..<400 where world.row?.parked == nil { world.sweep(after: .seconds(600)) }
    #expect(world.row?.parked?.reason == .refundBudgetSpent)
    #expect(world.row?.holdsMoney == true)
  }

  @Test("a provider that forgets an open intent: ends as not charged, watched, no loop")
  func forgottenIntent() throws {
    let world = try world(
      [.void: [.trouble(.notApplied(.permanent, detail: "404"))]], lookUps: [.notFound, .notFound, .notFound]
    ) { $0.payments.rule = .actionRequired }
    #expect(world.row?.state == .failed(.paymentActionRequired))
    #expect(world.row?.watch != nil)
    #expect(sends(world) == 1)
  }
}
