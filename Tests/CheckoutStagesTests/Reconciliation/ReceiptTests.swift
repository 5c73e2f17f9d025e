// Paid, and the receipt does not come: noticed, tried again, parked, a person's word.

import CheckoutCore
import CheckoutSandbox
import CheckoutSimulation
import CheckoutStages
import CheckoutWire
import Testing
import WorkerEngine

@Suite("Receipts and parked attempts")
struct ReceiptTests {
  private func word(
    _ world: StageWorld, _ resolution: ResolvedAs?, refundedOutside: String? = nil, version: Int64? = nil
  ) throws -> PersonsWord {
    let row = try #require(world.row())
    return PersonsWord(
      attempt: row.identity, rowVersion: version ?? row.version, journalID: world.pipeline.journal.id,
      resolution: resolution, who: "ana", note: "looked into it", refundedOutside: refundedOutside)
  }

  /// A paid checkout whose receipt was refused for good.
  private func parked() throws -> (world: StageWorld, request: String) {
    let world = try StageWorld()
    let request = world.send(Order(email: "receipt-permanent@example.com"))
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(request) == ["checkout.parked receipt_refused"])
    return (world, request)
  }

  @Test("an outage of the receipt service: one notice, one pending event, later the outcome")
  func outage() throws {
    let world = try StageWorld()
    let request = world.send(Order(email: "receipt-fail-3@example.com"))
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(request) == ["checkout.receipt_pending", "checkout.completed"])
    #expect(world.pendingTypes() == ["checkout.receipt.pending"])
    let effects = try world.effects()
    #expect(effects.captures == 1)
    #expect(effects.receipts == 1)
    #expect(effects.confirmedHolds == 1)
  }

  @Test("a receipt whose reply is lost is not sent twice")
  func lostReply() throws {
    let world = try StageWorld()
    let request = world.send(Order(email: "receipt-lost-reply@example.com"))
    #expect(world.pipeline.settle(atMost: .seconds(120)))
    #expect(try world.answers(request).last == "checkout.completed")
    #expect(try world.effects().receipts == 1)
  }

  @Test("a person's retry of what is refused for good parks it again, with a second notice")
  func retryRefused() throws {
    let (world, request) = try parked()
    world.say(try word(world, nil))
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(request) == ["checkout.parked receipt_refused", "checkout.parked receipt_refused"])
    #expect(Set(world.answerIDs()).count == 2)
    #expect(try world.effects().captures == 1)
  }

  @Test("parked with its budget spent, retried by a person: completed, one receipt")
  func retrySucceeds() throws {
    let world = try StageWorld { settings in
      settings.saga.receiptTries = 1
      settings.saga.reconciliationBudget = .milliseconds(1)
    }
    let request = world.send(Order(email: "receipt-fail-3@example.com"))
    #expect(world.pipeline.settle(atMost: .seconds(120)))
    #expect(try world.answers(request).last == "checkout.parked receipt_budget_spent")
    world.say(try word(world, nil))
    #expect(world.pipeline.settle(atMost: .seconds(120)))
    #expect(try world.answers(request).last == "checkout.completed")
    #expect(try world.effects().receipts == 1)
  }

  @Test("resolved as completed: the outcome, once, also if the word is said twice")
  func resolvedCompleted() throws {
    let (world, request) = try parked()
    let word = try word(world, .completed)
    world.say(word)
    world.say(word)
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(request) == ["checkout.parked receipt_refused", "checkout.completed"])
  }

  @Test("resolved as cancelled while money is held: no effect, unless it went back outside")
  func resolvedCancelled() throws {
    let (world, request) = try parked()
    world.say(try word(world, .cancelled))
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(request) == ["checkout.parked receipt_refused"])
    world.say(try word(world, .cancelled, refundedOutside: "bank-77"))
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(request) == ["checkout.parked receipt_refused", "checkout.cancelled"])
    let effects = try world.effects()
    #expect(effects.refundedMinor == 0)
    #expect(effects.openHolds + effects.confirmedHolds == 0)
  }

  @Test("a word about another version of the row has no effect")
  func otherVersion() throws {
    let (world, request) = try parked()
    world.say(try word(world, .completed, version: 1))
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(request) == ["checkout.parked receipt_refused"])
    #expect(world.row()?.parked != nil)
  }

  @Test("a cancellation of a paid, parked checkout: refunded, cancelled, its copy")
  func cancelParked() throws {
    let (world, request) = try parked()
    let cancel = world.cancel()
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(request) == ["checkout.parked receipt_refused", "checkout.cancelled"])
    #expect(try world.answers(cancel) == ["checkout.cancelled replayed"])
    #expect(try world.effects().refundedMinor == 1999)
  }

  @Test("a refund that the bank refuses: parked with what is owed, the stock given back or not hidden")
  func refundRefused() throws {
    let world = try StageWorld { settings in settings.saga.receiptTries = 1 }
    let request = world.send(Order(token: "pm_tok_refund_declined", email: "receipt-fail-3@example.com"))
    #expect(world.pipeline.run(atMost: .seconds(30)) { world.row()?.state == .receiptPending })
    world.cancel()
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(request) == ["checkout.receipt_pending", "checkout.parked refund_refused"])
    #expect(world.row()?.compensation?.status == .refused(detail: "the bank refuses the refund"))
  }
}
