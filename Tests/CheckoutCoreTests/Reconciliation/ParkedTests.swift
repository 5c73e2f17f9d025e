// People's words about parked attempts, and the sweep.

import CheckoutCore
import Testing

@Suite struct ParkedTests {
  private func world(_ prepare: (TestWorld) -> Void) throws -> TestWorld {
    let world = TestWorld()
    world.put(.request(try SagaSample.request(), Fingerprint("1:a")))
    prepare(world)
    #expect(world.run())
    return world
  }

  private func expectSound(_ world: TestWorld) {
    #expect(world.violations.isEmpty)
    #expect(world.journal.violations.isEmpty)
    #expect(world.messages.filter { !$0.isCommitted }.isEmpty)
  }

  @Test("retry goes on where it stopped, and answers the request")
  func retry() throws {
    let world = try world { $0.receipts.refuses = true }
    world.receipts.refuses = false
    world.tell(nil)
    world.run()
    #expect(world.story == ["parked", "completed"])
    #expect(world.payments.entries.count == 1)
    expectSound(world)
  }

  @Test("retry killed at any step: one outcome")
  func retryKilled() throws {
    for step in ["retried by a person", "completed"] {
      let world = try world { $0.receipts.refuses = true }
      world.receipts.refuses = false
      world.onStep[step] = { $0.crash(.reconciliation) }
      world.tell(nil)
      world.run()
      #expect(world.story == ["parked", "completed"], "killed after \(step)")
      expectSound(world)
    }
  }

  // A hand-over journaled for a person's message, its transaction lost, was never published again.
  @Test("a retried attempt put back, and the worker killed before the commit: the event comes all the same")
  func retryPutBackKilled() throws {
    let transient = Fate.trouble(.notApplied(.transient, detail: "503"))
    let world = try world { $0.receipts.refuses = true }
    world.receipts.refuses = false
    world.script[.receipt] = Array(repeating: transient, count: 30)
    world.onStep["put back"] = { $0.crash(.reconciliation) }
    world.tell(nil)
    world.run()
    #expect(world.story.last == "completed")
    expectSound(world)
  }

  @Test("a word about an older version has no effect")
  func stale() throws {
    let world = try world { $0.receipts.refuses = true }
    world.tell(.completed, version: 3)
    world.run()
    #expect(world.story == ["parked"])
    #expect(world.row?.parked != nil)
    expectSound(world)
  }

  @Test("unpaid while money is held is refused; with evidence that it went back it is not, and the stock goes back")
  func moneyHeld() throws {
    let world = try world { $0.receipts.refuses = true }
    for resolution in [ResolvedAs.failed, .cancelled] {
      world.tell(resolution)
      world.run()
      #expect(world.story == ["parked"])
    }
    world.payments.refundOutside()
    world.tell(.failed, refundedOutside: "bank 1")
    world.run()
    #expect(world.story == ["parked", "failed"])
    #expect(world.row?.state == .failed(.closedByPerson))
    #expect(world.row?.holdsMoney == false)
    #expect(world.stock.kept(at: world.now).isEmpty)
    #expect(world.row?.blocksCheckout == true)
    expectSound(world)
  }

  @Test("completed by hand, killed before the commit: one outcome, copies too")
  func completedByHand() throws {
    let world = try world {
      $0.receipts.refuses = true
      $0.onCall[.receipt] = { world in
        if let first = world.messages.first { world.put(first.content, origin: TestWorld.origin(7)) }
      }
    }
    world.onStep["resolved by a person"] = { $0.crash(.reconciliation) }
    world.tell(.completed)
    world.run()
    #expect(world.story == ["parked", "completed", "completed*"])
    expectSound(world)
  }

  @Test("a receipt sent by hand is in the outcome, and the history names who closed it and by which event")
  func receiptByHand() throws {
    let parked = try world { $0.receipts.refuses = true }
    let row = try #require(parked.row)
    let word = PersonsWord(
      attempt: row.identity, rowVersion: row.version, journalID: "j", resolution: .completed, who: "ana@host",
      note: "by hand", refundedOutside: nil, receiptURL: "https://shop.example/r/1")
    let admission = WhoAnswers(context: parked.context(WorkerID("w/1"))).personsWord(
      AttemptView(attempt: row, ownedUntil: nil), word, eventID: "event-1", message: TestWorld.origin(9).position,
      now: parked.now)
    guard case .write(let write, then: .outcome(let closed)) = admission else {
      Issue.record("\(admission)")
      return
    }
    #expect(closed.receipt.url == "https://shop.example/r/1")
    #expect(
      write.steps == [
        Step(
          "resolved by a person",
          [
            .init("as", "completed"), .init("who", "ana@host"), .init("note", "by hand"), .init("word", "event-1"),
            .init("receipt", "https://shop.example/r/1"),
          ])
      ])
  }

  // Resolving an unknown charge as failed once opened the checkout for a second charge, and nobody watched the first.
  @Test("an unknown charge closed as failed is watched, and its checkout stays closed; a late success is refunded")
  func unknownClosed() throws {
    let world = try world {
      $0.script[.charge] = [.slow(.hours(2))]
      $0.traits = SagaSample.traits(chargeWindow: .seconds(15))
    }
    #expect(world.row?.parked?.reason == .chargeUnknown)
    world.tell(.failed)
    world.run()
    #expect(world.row?.state == .failed(.closedByPerson))
    #expect(world.row?.watch != nil)
    world.put(.request(try SagaSample.request(key: "key-0000000000000002"), Fingerprint("1:b")))
    world.run()
    #expect(world.story.last == "rejected checkout_closed")
    for _ in 0..<3 { world.sweep(after: .hours(24)) }
    #expect(world.payments.entries.map(\.refunds) == [[9038]])
    expectSound(world)
  }

  @Test("a late success whose refund is refused is parked; without evidence it cannot be closed")
  func watchParked() throws {
    let world = try world {
      $0.script[.charge] = [.slow(.seconds(1800))]
      $0.onCall[.charge] = { $0.cancel() }
      $0.payments.refusesRefunds = true
    }
    world.sweep(after: .hours(1))
    #expect(world.row?.parked?.reason == .refundRefused)
    world.tell(.failed)
    world.run()
    #expect(world.row?.parked != nil)
    world.payments.refusesRefunds = false
    world.tell(nil)
    world.run()
    #expect(world.row?.parked == nil)
    #expect(world.payments.entries.map(\.refunds) == [[9038]])
    #expect(world.story.filter { $0.hasPrefix("cancelled") }.count == 2)
    expectSound(world)
  }

  // MARK: Sweep

  @Test("an attempt nobody works on gets one new event; copies of it are one execution")
  func sweep() throws {
    let world = TestWorld()
    world.put(.request(try SagaSample.request(), Fingerprint("1:a")))
    world.onStep["captured"] = { world in
      world.crash(.facade)
      // Its message never comes again: the offset was committed by a bug, or the topic is gone.
      world.messages[0].isCommitted = true
    }
    world.run()
    #expect(world.story.isEmpty)
    world.sweep(after: .seconds(599))
    #expect(world.story.isEmpty)
    world.now = world.now + .seconds(60)
    world.sweep()
    // The event is lost with the sweep's transaction.
    world.messages[1].isCommitted = true
    world.sweep(after: .seconds(601))
    #expect(world.story == ["receipt.pending", "receipt.pending", "completed"])
    #expect(world.published[0] == world.published[1])
    expectSound(world)
  }

  @Test("parked, ended and owned attempts are left alone by the sweep")
  func sweepLeaves() throws {
    let parked = try world { $0.receipts.refuses = true }
    parked.sweep(after: .hours(1))
    #expect(parked.story == ["parked"])
    let completed = try world { _ in }
    completed.sweep(after: .hours(1))
    #expect(completed.story == ["completed"])
    let busy = try world { $0.script[.charge] = [.slow(.seconds(9))] }
    busy.settings.sweepAge = .seconds(1)
    busy.sweep(after: .seconds(5))
    #expect(busy.story == ["completed"])
  }
}
