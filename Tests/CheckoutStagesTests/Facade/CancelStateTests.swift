// Every state a checkout can be in when its customer cancels, each cancelled twice, as messages through the real stages.

import CheckoutCore
import CheckoutSandbox
import CheckoutSimulation
import CheckoutStages
import Testing
import WorkerEngine

/// Where a checkout stands when the first cancellation comes.
enum CancelMoment: String, CaseIterable, Sendable {
  case reserving, uncharged, sentCaptured, sentAuthorised, sentDeclined, unknownCaptured, unknownAbsent
  case receipting, receiptPending, parkedPaid, releasing, refunding, completed, failed

  var order: Order {
    switch self {
    case .reserving, .receipting, .completed: Order()
    case .uncharged: Order(sku: "SKU-SHORTHOLD", price: 2500)
    case .sentCaptured: Order(token: "pm_tok_slow")
    case .sentAuthorised: Order(token: "pm_tok_slow", capture: "manual")
    case .sentDeclined, .releasing, .failed: Order(token: "pm_tok_declined_funds")
    case .unknownCaptured: Order(token: "pm_tok_unknown_captured")
    case .unknownAbsent: Order(token: "pm_tok_unknown_absent")
    case .receiptPending: Order(email: "receipt-fail-3@example.com")
    case .parkedPaid: Order(email: "receipt-permanent@example.com")
    case .refunding: Order(token: "pm_tok_partial_60")
    }
  }

  /// Slow services, so that each state lasts; a receipt that is not tried again for long.
  func change(_ settings: inout PipelineSettings) {
    settings.network.latencyMin = .milliseconds(400)
    settings.network.latencyMax = .milliseconds(400)
    settings.saga.receiptTries = 1
    if self == .receiptPending {
      settings.saga.reconciliationBackoffFirst = .seconds(600)
      settings.saga.reconciliationBackoffMax = .seconds(600)
    }
  }

  func isReached(_ world: StageWorld) -> Bool {
    guard let row = world.row() else { return false }
    return switch self {
    case .reserving: row.state == .reserving
    case .uncharged: row.state == .charging && row.charge.status == .none
    case .sentCaptured, .sentAuthorised, .sentDeclined: row.state == .charging && row.charge.status == .sent
    case .unknownCaptured, .unknownAbsent:
      world.pipeline.now - (row.charge.lastSentAt ?? world.pipeline.now) > .seconds(9)
    case .receipting: row.state == .receipting
    case .receiptPending: row.state == .receiptPending && row.retry != nil
    case .parkedPaid: row.parked != nil && world.pipeline.isQuiet
    case .releasing: row.state == .releasing(.paymentDeclined)
    case .refunding: row.state == .refunding(.amountMismatch)
    case .completed, .failed: row.hasEnded && world.pipeline.isQuiet
    }
  }

  /// What the request is told, notices included.
  var outcomes: [AnswerText] {
    switch self {
    case .reserving, .uncharged, .sentCaptured, .sentAuthorised, .sentDeclined, .unknownCaptured, .unknownAbsent,
      .receipting, .releasing, .refunding:
      ["checkout.cancelled"]
    case .receiptPending: ["checkout.receipt_pending", "checkout.cancelled"]
    case .parkedPaid: ["checkout.parked receipt_refused", "checkout.cancelled"]
    case .completed: ["checkout.completed"]
    case .failed: ["checkout.failed payment_declined"]
    }
  }

  /// What each cancellation is told.
  var answer: AnswerText {
    switch self {
    case .reserving, .uncharged, .sentCaptured, .sentAuthorised, .sentDeclined, .unknownCaptured, .unknownAbsent,
      .receipting, .receiptPending, .parkedPaid, .releasing, .refunding:
      "checkout.cancelled replayed"
    case .completed: "checkout.rejected cancel_too_late"
    case .failed: "checkout.rejected nothing_to_cancel"
    }
  }

  /// Captured and refunded, in minor units.
  var money: (captured: Int64, refunded: Int64) {
    switch self {
    case .reserving, .uncharged, .sentAuthorised, .sentDeclined, .unknownAbsent, .releasing, .failed: (0, 0)
    case .sentCaptured, .unknownCaptured, .receipting, .receiptPending, .parkedPaid: (1999, 1999)
    case .refunding: (1199, 1199)
    case .completed: (1999, 0)
    }
  }
}

@Suite("Cancellations in every state")
struct CancelStateTests {
  @Test("cancelled twice: one outcome, an answer for each, everything undone once", arguments: CancelMoment.allCases)
  func twice(moment: CancelMoment) throws {
    let world = try StageWorld { moment.change(&$0) }
    let request = world.send(moment.order)
    let isReached = world.pipeline.run(atMost: .seconds(120)) { moment.isReached(world) }
    #expect(isReached)
    let first = world.cancel(partition: 1)
    world.pipeline.run(for: .milliseconds(300))
    let second = world.cancel(partition: 2)
    #expect(world.pipeline.settle(atMost: .seconds(1300)))
    #expect(try world.answers(request) == moment.outcomes)
    #expect(try world.answers(first) == [moment.answer])
    #expect(try world.answers(second) == [moment.answer])
    let effects = try world.effects()
    #expect(effects.capturedMinor == moment.money.captured)
    #expect(effects.refundedMinor == moment.money.refunded)
    #expect(effects.openAuthorisations == 0)
    #expect(effects.voids == (moment == .sentAuthorised ? 1 : 0))
    #expect(effects.openHolds == 0)
    #expect(effects.confirmedHolds == (moment == .completed ? 1 : 0))
  }

  @Test("nobody knows the checkout: refused twice, nothing remembered, a later request goes its way")
  func unknown() throws {
    let world = try StageWorld()
    let cancels = [world.cancel(), world.cancel(partition: 1)]
    #expect(world.pipeline.settle(atMost: .seconds(30)))
    for cancel in cancels { #expect(try world.answers(cancel) == ["checkout.rejected unknown_checkout"]) }
    #expect(world.rows.isEmpty)
    let request = world.send(Order())
    #expect(world.pipeline.settle(atMost: .seconds(30)))
    #expect(try world.answers(request) == ["checkout.completed"])
  }

  @Test(
    "parked without money: recorded and nothing more; a person's word ends it, and the cancellations with it",
    arguments: [nil, .failed, .cancelled] as [ResolvedAs?])
  func parkedUnpaid(resolution: ResolvedAs?) throws {
    let world = try StageWorld { settings in settings.sandbox.keyWindow = .zero }
    let request = world.send(Order(token: "pm_tok_unknown_absent"))
    #expect(world.pipeline.run(atMost: .seconds(120)) { world.row()?.parked != nil && world.pipeline.isQuiet })
    let cancels = [world.cancel(partition: 1), world.cancel(partition: 2)]
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(request) == ["checkout.parked charge_unknown"])
    for cancel in cancels { #expect(try world.answers(cancel) == []) }
    let row = try #require(world.row())
    #expect(row.cancel != nil)
    world.say(
      PersonsWord(
        attempt: row.identity, rowVersion: row.version, journalID: world.pipeline.journal.id, resolution: resolution,
        who: "ana", note: "", refundedOutside: nil))
    #expect(world.pipeline.settle(atMost: .seconds(120)))
    let outcome = resolution == .failed ? "checkout.failed closed_by_person" : "checkout.cancelled"
    #expect(try world.answers(request).last == outcome)
    for cancel in cancels { #expect(try world.answers(cancel) == ["\(outcome) replayed"]) }
    #expect(try world.effects().openHolds == 0)
    #expect(try world.effects().captures == 0)
  }

  @Test("cancelled already: each later cancellation gets its copy, and nothing is given back again")
  func cancelledAlready() throws {
    let world = try StageWorld()
    world.send(Order(token: "pm_tok_slow"))
    #expect(world.pipeline.run(atMost: .seconds(10)) { world.hasEntry(.captured) })
    world.cancel()
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    let later = [world.cancel(), world.cancel(partition: 2)]
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    for cancel in later { #expect(try world.answers(cancel) == ["checkout.cancelled replayed"]) }
    #expect(try world.effects().refundedMinor == 1999)
  }
}
