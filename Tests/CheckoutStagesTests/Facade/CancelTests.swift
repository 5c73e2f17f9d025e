// Cancellations against every state a checkout can be in when they come.

import CheckoutCore
import CheckoutSandbox
import CheckoutSimulation
import CheckoutStages
import CheckoutWire
import Testing
import WorkerEngine

@Suite("Cancellations")
struct CancelTests {
  @Test("a cancellation during a slow charge: captured, then one refund; the cancellation gets a copy")
  func duringCharge() throws {
    let world = try StageWorld()
    let request = world.send(Order(token: "pm_tok_slow"))
    let isSent = world.pipeline.run(atMost: .seconds(10)) { world.hasEntry(.captured) }
    #expect(isSent)
    let cancel = world.cancel(partition: 1)
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(request) == ["checkout.cancelled"])
    #expect(try world.answers(cancel) == ["checkout.cancelled replayed"])
    let effects = try world.effects()
    #expect(effects.captures == 1)
    #expect(effects.refundedMinor == 1999)
    #expect(effects.receipts == 0)
    #expect(effects.openHolds == 0)
  }

  @Test("an authorisation is voided, not refunded")
  func authorised() throws {
    let world = try StageWorld()
    let request = world.send(Order(token: "pm_tok_slow", capture: "manual"))
    #expect(world.pipeline.run(atMost: .seconds(10)) { world.hasEntry(.authorised) })
    world.cancel()
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(request) == ["checkout.cancelled"])
    let effects = try world.effects()
    #expect(effects.voids == 1)
    #expect(effects.refundedMinor == 0)
    #expect(effects.openAuthorisations == 0)
  }

  @Test("two cancellations: one refund, an answer for each")
  func twice() throws {
    let world = try StageWorld()
    let request = world.send(Order(token: "pm_tok_slow"))
    #expect(world.pipeline.run(atMost: .seconds(10)) { world.hasEntry(.captured) })
    let first = world.cancel(partition: 1)
    let second = world.cancel(partition: 2)
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(request) == ["checkout.cancelled"])
    #expect(try world.answers(first) == ["checkout.cancelled replayed"])
    #expect(try world.answers(second) == ["checkout.cancelled replayed"])
    #expect(try world.effects().refundedMinor == 1999)
    #expect(world.pipeline.log(.outcomes).count == 3)
  }

  @Test("after the end it is too late, of what nobody knows there is nothing, after a decline nothing to cancel")
  func afterTheEnd() throws {
    let world = try StageWorld()
    world.send(Order(checkout: "chk_paid", key: "key-0123456789-1"))
    world.send(Order(checkout: "chk_declined", key: "key-0123456789-2", token: "pm_tok_declined_funds"))
    #expect(world.pipeline.settle(atMost: .seconds(30)))
    let late = world.cancel("chk_paid")
    let nothing = world.cancel("chk_declined")
    let unknown = world.cancel("chk_nobody")
    #expect(world.pipeline.settle(atMost: .seconds(30)))
    #expect(try world.answers(late) == ["checkout.rejected cancel_too_late"])
    #expect(try world.answers(nothing) == ["checkout.rejected nothing_to_cancel"])
    #expect(try world.answers(unknown) == ["checkout.rejected unknown_checkout"])
    #expect(try world.effects("chk_paid").refundedMinor == 0)
  }

  @Test("a cancellation of what was cancelled gets a copy, and a new key for it is closed")
  func cancelledAlready() throws {
    let world = try StageWorld()
    world.send(Order(token: "pm_tok_slow"))
    #expect(world.pipeline.run(atMost: .seconds(10)) { world.hasEntry(.captured) })
    world.cancel()
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    let again = world.cancel()
    let another = world.send(Order(key: "key-0123456789-2"))
    #expect(world.pipeline.settle(atMost: .seconds(30)))
    #expect(try world.answers(again) == ["checkout.cancelled replayed"])
    #expect(try world.answers(another) == ["checkout.rejected checkout_closed"])
  }

  @Test(
    "a cancellation while reconciliation holds a pending receipt: handed over anew, refunded, one outcome, one copy")
  func whileReceiptPending() throws {
    let world = try StageWorld { settings in
      // The receipt is not tried again before a minute is over.
      settings.saga.reconciliationBackoffFirst = .seconds(600)
      settings.saga.reconciliationBackoffMax = .seconds(600)
      settings.saga.receiptTries = 1
    }
    let request = world.send(Order(email: "receipt-fail-3@example.com"))
    let isHeld = world.pipeline.run(atMost: .seconds(120)) {
      world.row()?.state == .receiptPending && world.row()?.retry != nil
    }
    #expect(isHeld)
    let cancel = world.cancel()
    let isUndone = world.pipeline.run(atMost: .seconds(20)) { world.row()?.state == .cancelled }
    #expect(isUndone)
    #expect(world.pipeline.settle(atMost: .seconds(1200)))
    #expect(try world.answers(request) == ["checkout.receipt_pending", "checkout.cancelled"])
    #expect(try world.answers(cancel) == ["checkout.cancelled replayed"])
    let effects = try world.effects()
    #expect(effects.refundedMinor == effects.capturedMinor)
    #expect(effects.receipts == 0)
    #expect(effects.openHolds + effects.confirmedHolds == 0)
  }

  @Test("a cancellation right behind its request, before anything was sent: nothing is charged")
  func atOnce() throws {
    let world = try StageWorld { settings in
      settings.network.latencyMin = .seconds(1)
      settings.network.latencyMax = .seconds(1)
    }
    let request = world.send(Order())
    let cancel = world.cancel()
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(request) == ["checkout.cancelled"])
    #expect(try world.answers(cancel) == ["checkout.cancelled replayed"])
    #expect(try world.effects().charges == [])
    #expect(try world.effects().openHolds == 0)
  }
}
