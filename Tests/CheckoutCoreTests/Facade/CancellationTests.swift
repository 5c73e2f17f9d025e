// Cancellations: the row decides every race, each row of the table, each twice.

import CheckoutCore
import Testing

@Suite struct CancellationTests {
  /// When the customer cancels.
  enum Moment {
    case onCall(CheckoutCore.Operation)
    case onStep(String)
    case atRest
  }

  /// A checkout that is cancelled twice at this moment.
  private func world(
    _ moment: Moment, _ script: [CheckoutCore.Operation: [Fate]] = [:],
    capture: CheckoutRequest.Capture = .automatic, _ prepare: (TestWorld) -> Void = { _ in }
  ) throws -> TestWorld {
    let world = TestWorld()
    world.script = script
    world.put(.request(try SagaSample.request(capture: capture), Fingerprint("1:a")))
    let twice: (TestWorld) -> Void = { world in
      world.cancel()
      world.put(.cancel(CheckoutKey(merchantID: "shop-eu", checkoutID: "chk_000001")), after: .seconds(1))
    }
    prepare(world)
    switch moment {
    case .onCall(let operation): world.onCall[operation] = twice
    case .onStep(let step): world.onStep[step] = twice
    case .atRest: break
    }
    #expect(world.run())
    if case .atRest = moment {
      twice(world)
      #expect(world.run())
    }
    #expect(world.violations.isEmpty)
    #expect(world.journal.violations.isEmpty)
    return world
  }

  private func expectUndone(_ world: TestWorld, _ comment: Comment) {
    #expect(world.answers(to: 0) == ["cancelled"], comment)
    #expect(world.row?.state == .cancelled, comment)
    #expect(world.payments.held(at: .distantFuture) == 0, comment)
    #expect(world.stock.kept(at: world.now).isEmpty, comment)
    let cancels = world.messages.indices.filter { if case .cancel = world.messages[$0].content { true } else { false } }
    #expect(cancels.count == 2, comment)
    for cancel in cancels { #expect(world.answers(to: cancel) == ["cancelled*"], comment) }
  }

  @Test("nobody knows the checkout: unknown_checkout, and nothing is remembered")
  func unknown() throws {
    let world = TestWorld()
    world.cancel()
    world.run()
    #expect(world.story == ["rejected unknown_checkout"])
    world.put(.request(try SagaSample.request(), Fingerprint("1:a")))
    world.run()
    #expect(world.story == ["rejected unknown_checkout", "completed"])
  }

  @Test("while reserving: settled, released, nothing charged")
  func reserving() throws {
    let world = try world(.onCall(.reserve))
    expectUndone(world, "reserving")
    #expect(world.operations == ["reserve", "release"])
  }

  @Test("before anything was sent: ends at once")
  func beforeReserve() throws {
    let world = try world(.onCall(.reserve), [.reserve: [.lostRequest, .lostRequest]])
    expectUndone(world, "reserve unknown")
    #expect(world.payments.entries.isEmpty)
  }

  @Test("while the charge is in flight: captured is refunded once, authorised is voided, declined is nothing to undo")
  func charging() throws {
    let captured = try world(.onCall(.charge))
    expectUndone(captured, "captured")
    #expect(captured.payments.entries.map(\.refunds) == [[9038]])
    let authorised = try world(.onCall(.charge), capture: .manual)
    expectUndone(authorised, "authorised")
    #expect(authorised.payments.entries.map(\.status) == [.voided])
    #expect(!authorised.operations.contains("refund"))
    let declined = try world(.onCall(.charge)) { $0.payments.rule = .decline }
    expectUndone(declined, "declined")
    #expect(!declined.operations.contains("refund"))
  }

  @Test("while the charge is unknown: settled first, then undone")
  func unknownCharge() throws {
    let slow = try world(.onCall(.charge), [.charge: [.slow(.seconds(10))]])
    expectUndone(slow, "slow")
    #expect(slow.payments.entries.map(\.refunds) == [[9038]])
    let lost = try world(.onCall(.charge), [.charge: [.lostRequest]])
    expectUndone(lost, "lost")
    #expect(lost.payments.entries.isEmpty)
  }

  @Test("a partial capture and a cancellation: exactly what was taken goes back")
  func partial() throws {
    let world = try world(.onCall(.charge)) { $0.payments.rule = .captureOnly(6000) }
    expectUndone(world, "partial")
    #expect(world.payments.entries.map(\.refunds) == [[6000]])
  }

  // A receipt's answer once completed an attempt whose cancellation was recorded while the call was in flight.
  @Test("while the receipt is being made: refunded, released, the receipt listed")
  func receipting() throws {
    for operation in [CheckoutCore.Operation.confirm, .receipt] {
      let world = try world(.onCall(operation))
      expectUndone(world, "\(operation.rawValue)")
      #expect(world.payments.entries.map(\.refunds) == [[9038]])
    }
    let listed = try world(.onCall(.receipt))
    #expect(listed.row?.receipt.url == "https://r.example/1")
  }

  @Test("a confirm or receipt refused after the cancellation parks nothing")
  func refusedAfterCancel() throws {
    let permanent = Fate.trouble(.notApplied(.permanent, detail: "422"))
    for operation in [CheckoutCore.Operation.confirm, .receipt] {
      expectUndone(try world(.onCall(operation), [operation: [permanent]]), "\(operation.rawValue)")
    }
  }

  @Test("with reconciliation: handed over anew, at once")
  func receiptPending() throws {
    let transient = Fate.trouble(.notApplied(.transient, detail: "503"))
    let world = try world(.onStep("handed over"), [.receipt: Array(repeating: transient, count: 40)])
    expectUndone(world, "receipt pending")
    #expect(world.now < SagaSample.noon + .seconds(60))
  }

  @Test("parked with money: refunded and released")
  func parkedWithMoney() throws {
    let world = try world(.atRest) { $0.receipts.refuses = true }
    #expect(world.story.first == "parked")
    expectUndone(world, "parked with money")
  }

  @Test("parked without money: recorded; a person's retry ends it as cancelled")
  func parkedWithoutMoney() throws {
    let world = try world(.atRest, [.charge: [.lostRequest]]) { $0.traits = SagaSample.traits(chargeWindow: .zero) }
    #expect(world.row?.parked?.reason == .chargeUnknown)
    #expect(world.answers(to: 0).isEmpty)
    world.tell(nil)
    world.run()
    expectUndone(world, "retried")
  }

  @Test("parked without money: a person's word stands")
  func resolvedAfterCancel() throws {
    let world = try world(.atRest, [.charge: [.lostRequest]]) { $0.traits = SagaSample.traits(chargeWindow: .zero) }
    world.tell(.failed)
    world.run()
    #expect(world.row?.state == .failed(.closedByPerson))
    #expect(world.stock.kept(at: world.now).isEmpty)
    #expect(world.answers(to: 0) == ["failed"])
  }

  @Test("releasing and refunding go on unchanged, once")
  func undoing() throws {
    let releasing = try world(.onCall(.release)) { $0.payments.rule = .decline }
    expectUndone(releasing, "releasing")
    #expect(releasing.operations == ["reserve", "charge", "release"])
    let refunding = try world(.onCall(.refund)) { $0.payments.rule = .captureOnly(6000) }
    expectUndone(refunding, "refunding")
    #expect(refunding.payments.entries.map(\.refunds) == [[6000]])
  }

  @Test("too late after completion, nothing to cancel after a failure")
  func afterTheEnd() throws {
    let completed = try world(.atRest)
    #expect(completed.story == ["completed", "rejected cancel_too_late", "rejected cancel_too_late"])
    let failed = try world(.atRest) { $0.payments.rule = .decline }
    #expect(failed.story == ["failed", "rejected nothing_to_cancel", "rejected nothing_to_cancel"])
  }

  @Test("recorded in the moment before completed is written: undone; after: too late")
  func race() throws {
    let after = try world(.onStep("completed"))
    #expect(after.answers(to: 0) == ["completed"])
    #expect(after.payments.held(at: .distantFuture) == 9038)
    let before = TestWorld()
    before.put(.request(try SagaSample.request(), Fingerprint("1:a")))
    before.onCall[.receipt] = { world in
      // The receipt's answer is on its way; the cancellation is written first.
      world.cancel()
    }
    before.run()
    #expect(before.row?.state == .cancelled)
    #expect(before.payments.held(at: .distantFuture) == 0)
  }

  // A cancellation whose transaction was lost came again after its attempt had been closed by hand and another one had begun, and
  // cancelled that one.
  @Test("a cancellation that comes again after its attempt has failed does not hit the one begun since")
  func comesAgain() throws {
    let world = TestWorld()
    world.settings.reconciliationBudget = .seconds(60)
    world.script[.reserve] = Array(repeating: .lostRequest, count: 200)
    world.put(.request(try SagaSample.request(), Fingerprint("1:a")))
    #expect(world.run())
    #expect(world.row?.parked?.reason == .reserveUnsettled)
    let cancel = world.cancel()
    world.run()
    world.tell(.failed)
    world.run()
    #expect(world.row?.state == .failed(.closedByPerson))
    #expect(world.answers(to: cancel) == ["failed*"])
    world.script[.reserve] = []
    let second = world.put(.request(try SagaSample.request(key: "key-0000000000000002"), Fingerprint("1:b")))
    world.onCall[.charge] = { world in
      world.messages[cancel].isCommitted = false
      world.schedule(.deliver(cancel), after: .zero)
    }
    #expect(world.run())
    #expect(world.answers(to: second) == ["completed"])
    #expect(world.answers(to: cancel) == ["failed*"])
    #expect(world.messages.filter { !$0.isCommitted }.isEmpty)
  }

  @Test("the worker dies at each call of a cancelled checkout: undone all the same")
  func crashes() throws {
    for operation in [CheckoutCore.Operation.reserve, .charge, .confirm, .receipt] {
      for victim in [CheckoutCore.Operation.reserve, .charge, .confirm, .receipt, .refund, .release] {
        let world = TestWorld()
        world.put(.request(try SagaSample.request(), Fingerprint("1:a")))
        world.onCall[victim] = { $0.crash(.facade) }
        let kill = world.onCall[victim]
        world.onCall[operation] = { world in
          world.cancel()
          if operation == victim { kill?(world) }
        }
        #expect(world.run())
        #expect(world.violations.isEmpty)
        #expect(world.row?.hasEnded == true, "cancelled at \(operation.rawValue), killed at \(victim.rawValue)")
        let isPaid = world.row?.state == .completed
        #expect(world.payments.held(at: .distantFuture) == (isPaid ? 9038 : 0))
        #expect(isPaid || world.stock.kept(at: world.now).isEmpty)
        #expect(world.answers(to: 0).count == 1)
        #expect(world.answers(to: 1).count == 1)
      }
    }
  }
}
