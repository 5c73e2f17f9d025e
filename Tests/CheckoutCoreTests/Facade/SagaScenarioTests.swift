// The saga's table, row by row: what each answer of each service leads to.

import CheckoutCore
import Testing

@Suite struct SagaScenarioTests {
  /// One checkout with these fates, run to its rest; nobody cancels.
  private func world(
    _ script: [Operation: [Fate]] = [:], capture: CheckoutRequest.Capture = .automatic, isFree: Bool = false,
    expiresAfter: TimeSpan? = nil, _ prepare: (TestWorld) -> Void = { _ in }
  ) throws -> TestWorld {
    let world = TestWorld()
    world.script = script
    world.put(
      .request(
        try SagaSample.request(capture: capture, isFree: isFree, expiresAfter: expiresAfter), Fingerprint("1:a")))
    prepare(world)
    #expect(world.run())
    #expect(world.violations.isEmpty)
    #expect(world.journal.violations.isEmpty)
    return world
  }

  private static let transient = Fate.trouble(.notApplied(.transient, detail: "503"))
  private static let permanent = Fate.trouble(.notApplied(.permanent, detail: "422"))

  // MARK: A good day

  @Test("a good checkout takes four durable writes and four calls")
  func goodDay() throws {
    let world = try world()
    #expect(world.story == ["completed"])
    #expect(world.journal.writes.count == 4)
    #expect(world.operations == ["reserve", "charge", "confirm", "receipt"])
    #expect(world.row?.hold.status == .confirmed)
  }

  @Test("a service without confirm is not asked to")
  func noConfirm() throws {
    let world = try world { $0.traits = SagaSample.traits(confirms: false) }
    #expect(world.operations == ["reserve", "charge", "receipt"])
    #expect(world.story == ["completed"])
  }

  @Test("nothing to pay: no charge, the rest as always")
  func free() throws {
    let world = try world(isFree: true)
    #expect(world.operations == ["reserve", "confirm", "receipt"])
    #expect(world.row?.charge.status == .notRequired)
    #expect(world.story == ["completed"])
  }

  @Test("manual capture: an authorisation of the full amount counts as paid")
  func manual() throws {
    let world = try world(capture: .manual)
    #expect(world.story == ["completed"])
    #expect(world.row?.charge.status == .authorised(chargeID: "ch_1", amount: try SagaSample.euro(9038)))
  }

  // MARK: Reserving

  @Test("out of stock, expired, refused: failed with its reason, nothing charged")
  func reserveRefusals() throws {
    let none = try world { $0.stock.available = 0 }
    #expect(none.row?.state == .failed(.outOfStock))
    #expect(none.row?.outOfStockLines == ["1", "2"])
    let late = try world(expiresAfter: .zero)
    #expect(late.row?.state == .failed(.requestExpired))
    #expect(late.operations.isEmpty)
    let refused = try world([.reserve: [Self.permanent]])
    #expect(refused.row?.state == .failed(.inventoryRefused))
    for world in [none, late, refused] { #expect(world.payments.entries.isEmpty) }
  }

  @Test("a reserve whose answer is lost goes on under the same key and holds stock once")
  func reserveUnknown() throws {
    let world = try world([.reserve: [.lostReply, Self.transient, .lostRequest]])
    #expect(world.story == ["completed"])
    #expect(world.stock.holds.count == 1)
    #expect(Set(world.calls.filter { $0.operation == .reserve }.map(\.key)).count == 1)
  }

  @Test("a reserve that stays unknown is handed over within its budget, and reconciliation goes on")
  func reservePending() throws {
    let world = try world([.reserve: Array(repeating: .lostRequest, count: 5)])
    #expect(world.story == ["reserve.pending", "completed"])
  }

  // MARK: Charging

  @Test("each refusal of a charge releases the hold and fails with its reason")
  func chargeRefusals() throws {
    let declined = try world { $0.payments.rule = .decline }
    #expect(declined.row?.state == .failed(.paymentDeclined))
    #expect(declined.operations == ["reserve", "charge", "release"])
    let refused = try world([.charge: [Self.permanent]])
    #expect(refused.row?.state == .failed(.paymentRefused))
    let action = try world { $0.payments.rule = .actionRequired }
    #expect(action.row?.state == .failed(.paymentActionRequired))
    #expect(action.operations == ["reserve", "charge", "void", "release"])
    for world in [declined, refused, action] {
      #expect(world.stock.holds.map(\.status) == [.released])
      #expect(world.row?.watch == nil)
    }
  }

  @Test("an open intent that the customer completed meanwhile counts as paid")
  func actionCompleted() throws {
    let world = try world { $0.payments.rule = .actionCompleted }
    #expect(world.story == ["completed"])
    #expect(world.operations == ["reserve", "charge", "void", "charge?", "confirm", "receipt"])
  }

  @Test("not applied and transient: the same key again while hold and expiry allow, then payment_unavailable")
  func chargeTransient() throws {
    let again = try world([.charge: [Self.transient, Self.transient]])
    #expect(again.story == ["completed"])
    #expect(again.payments.entries.count == 1)
    let over = try world([.charge: Array(repeating: Self.transient, count: 200)]) { $0.stock.holdTime = .seconds(20) }
    #expect(over.row?.state == .failed(.paymentUnavailable))
    #expect(over.row?.watch == nil)
    let expired = try world([.charge: Array(repeating: Self.transient, count: 200)], expiresAfter: .seconds(20))
    #expect(expired.row?.state == .failed(.requestExpired))
  }

  @Test("no time left for a charge: the hold is released and nothing is charged")
  func noTimeToCharge() throws {
    let world = try world(expiresAfter: .seconds(5))
    #expect(world.row?.state == .failed(.requestExpired))
    #expect(world.operations == ["reserve", "release"])
  }

  @Test("a hold too short for a charge: reserved again once, then reservation_expired")
  func shortHold() throws {
    let world = try world { $0.stock.holdTime = .seconds(5) }
    #expect(world.row?.state == .failed(.reservationExpired))
    #expect(world.operations == ["reserve", "release", "reserve", "release"])
    #expect(world.row?.holds.map(\.generation) == [1, 2])
    #expect(world.payments.entries.isEmpty)
  }

  @Test("its own short hold does not stand in the way of the next one")
  func ownHold() throws {
    let world = try world {
      $0.stock.holdTime = .seconds(5)
      $0.stock.available = 1
      $0.onCall[.release] = { $0.stock.holdTime = .seconds(600) }
    }
    #expect(world.story == ["completed"])
    #expect(world.stock.holds.map(\.status) == [.released, .confirmed])
  }

  @Test("a service that refuses us fails no checkout")
  func misconfigured() throws {
    let world = try world([.charge: Array(repeating: .trouble(.misconfigured(detail: "401")), count: 12)])
    #expect(world.story.last == "completed")
    #expect(world.payments.entries.count == 1)
  }

  @Test("another amount than asked goes back exactly, then the hold")
  func partial() throws {
    let world = try world { $0.payments.rule = .captureOnly(6000) }
    #expect(world.row?.state == .failed(.amountMismatch))
    #expect(world.payments.entries.map(\.refunds) == [[6000]])
    #expect(world.operations == ["reserve", "charge", "refund", "release"])
  }

  @Test("an authorisation where a capture was asked is voided, not refunded")
  func authorisedInstead() throws {
    let world = try world { $0.payments.rule = .authorise }
    #expect(world.row?.state == .failed(.amountMismatch))
    #expect(world.payments.entries.map(\.status) == [.voided])
    #expect(world.operations == ["reserve", "charge", "void", "release"])
  }

  // MARK: Receipting

  @Test("a hold gone at the confirm: reserved again and confirmed")
  func goneOnce() throws {
    let world = try world([.charge: [.slow(.seconds(9))]]) {
      $0.stock.holdTime = .seconds(11)
      $0.onCall[.confirm] = { world in
        world.now = world.now + .seconds(20)
        world.stock.holdTime = .seconds(600)
      }
    }
    #expect(world.story == ["completed"])
    #expect(world.row?.holds.map(\.status) == [.gone, .confirmed])
  }

  @Test("a hold gone and no stock left: refunded, reservation_expired, never payment_declined")
  func goneForGood() throws {
    let world = try world {
      $0.stock.holdTime = .seconds(11)
      $0.onCall[.confirm] = { world in
        world.now = world.now + .seconds(20)
        world.stock.available = 0
      }
    }
    #expect(world.row?.state == .failed(.reservationExpired))
    #expect(world.payments.entries.map(\.refunds) == [[9038]])
  }

  @Test("three receipt tries, then one notice, one pending event, and one completion")
  func receiptPending() throws {
    let world = try world([.receipt: [Self.transient, .lostReply, Self.transient]])
    #expect(world.story == ["receipt.pending", "receipt_pending", "completed"])
    #expect(world.receipts.sent.count == 1)
    #expect(world.row?.receiptPendingNotices == 1)
  }

  @Test("a receipt that is refused for good: parked at once, not tried for ever")
  func receiptRefused() throws {
    let world = try world { $0.receipts.refuses = true }
    #expect(world.story == ["parked"])
    #expect(world.row?.parked?.reason == .receiptRefused)
    #expect(world.operations.filter { $0 == "receipt" }.count == 1)
  }

  @Test("a receipt service that remembers no keys: tried again after a certain failure, a person after an unsure one")
  func receiptWithoutKeys() throws {
    let certain = try world([.receipt: [Self.transient]]) { $0.traits = SagaSample.traits(receiptWindow: .zero) }
    #expect(certain.story == ["completed"])
    let unsure = try world([.receipt: [.lostReply]]) { $0.traits = SagaSample.traits(receiptWindow: .zero) }
    #expect(unsure.row?.parked?.reason == .receiptUnknown)
    #expect(unsure.receipts.sent.count == 1)
  }

  @Test("receipts that never work: parked when the budget is spent")
  func receiptBudget() throws {
    let world = try world([.receipt: Array(repeating: Self.transient, count: 5000)]) {
      $0.traits = SagaSample.traits(receiptWindow: .hours(48))
    }
    #expect(world.row?.parked?.reason == .receiptBudgetSpent)
    #expect(world.story.filter { $0 == "receipt_pending" }.count == 1)
  }

  // MARK: Undoing

  @Test("a release that never works: parked after its budget, the obligation kept")
  func releaseBudget() throws {
    let world = try world([.release: Array(repeating: Self.transient, count: 5000)]) { $0.payments.rule = .decline }
    #expect(world.row?.parked?.reason == .releaseBudgetSpent)
    #expect(world.row?.state == .releasing(.paymentDeclined))
    #expect(world.row?.hold.status == .held)
    #expect(!world.story.contains("failed"))
  }

  @Test("a release or a refund refused for good: parked, what is owed stays owed")
  func refusedUndoing() throws {
    let release = try world {
      $0.payments.rule = .decline
      $0.stock.refusesReleases = true
    }
    #expect(release.row?.parked?.reason == .releaseRefused)
    #expect(release.row?.hold.status == .held)
    let refund = try world {
      $0.payments.rule = .captureOnly(6000)
      $0.payments.refusesRefunds = true
    }
    #expect(refund.row?.parked?.reason == .refundRefused)
    #expect(refund.row?.holdsMoney == true)
  }

  @Test("a refund whose answer is lost is looked up, not doubled")
  func refundLost() throws {
    let world = try world([.refund: [.lostReply]]) { $0.payments.rule = .captureOnly(6000) }
    #expect(world.row?.state == .failed(.amountMismatch))
    #expect(world.operations.filter { $0 == "refund" }.count == 1)
    #expect(world.payments.entries.map(\.refunds) == [[6000]])
  }

  @Test("a refund that is never carried out is parked after its budget, however often it was sent")
  func refundBudget() throws {
    let world = try world([.refund: Array(repeating: Self.transient, count: 5000)]) {
      $0.payments.rule = .captureOnly(6000)
      $0.traits = SagaSample.traits(compensationWindow: .hours(1000))
    }
    #expect(world.row?.parked?.reason == .refundBudgetSpent)
  }

  @Test("a void refused because the money was taken meanwhile: exactly that is refunded")
  func voidRefused() throws {
    let world = try world([.void: []]) {
      $0.payments.rule = .authorise
      $0.onCall[.void] = { $0.payments.captureAuthorised() }
    }
    #expect(world.row?.state == .failed(.amountMismatch))
    #expect(world.payments.entries.map(\.refunds) == [[9038]])
    #expect(world.operations == ["reserve", "charge", "void", "charge?", "refund", "release"])
  }
}
