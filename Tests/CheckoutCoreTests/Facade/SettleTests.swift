// When "it was not there" is believed, and when a call may be sent again: from the moment at which a send can last have gone
// out, inside the provider's memory of the key, and never put off by what does not send.

import CheckoutCore
import Testing

@Suite struct SettleTests {
  private func world(
    _ script: [CheckoutCore.Operation: [Fate]] = [:], expiresAfter: TimeSpan? = nil,
    _ prepare: (TestWorld) -> Void = { _ in }
  ) throws -> TestWorld {
    let world = TestWorld()
    world.script = script
    world.put(.request(try SagaSample.request(expiresAfter: expiresAfter), Fingerprint("1:a")))
    prepare(world)
    #expect(world.run())
    #expect(world.violations.isEmpty)
    #expect(world.journal.violations.isEmpty)
    return world
  }

  private static let transient = Fate.trouble(.notApplied(.transient, detail: "503"))

  // MARK: From when

  // `settle_after` counted from the journaled intent. A call that stood in a queue for 8 s went out 8 s later than that, and
  // "not found" was believed while it could still be carried out.
  @Test("'not found' is believed from when the send came back, not from when its intent was journaled")
  func lateSend() throws {
    let world = try world([.charge: [.lostRequest]]) { $0.wireDelay = { _ in .seconds(8) } }
    #expect(world.story == ["completed"])
    let sentAt = Set(world.journal.writes.compactMap { $0.row.charge.lastSentAt }).sorted()
    #expect(sentAt.count == 2)
    // 8 s in the queue, 9 s until the time-out, then 11 s.
    #expect(sentAt[1] - sentAt[0] >= .seconds(28))
  }

  @Test("after a take-over it counts from there, once: neither the next take-over nor a put-back puts it off again")
  func countsOnce() throws {
    var row = try #require(
      try SagaRows.all().first { $0.charge.status == .sent && $0.cancel == nil && $0.parked == nil })
    let who = WhoAnswers(context: SagaRows.context)
    func takenOver(_ row: Attempt, at time: Timestamp) -> Attempt? {
      let asking = Asking(message: SagaRows.message, origin: row.origin, now: time, offsetsWereLost: false)
      let view = AttemptView(attempt: row, ownedUntil: nil)
      guard case .takeOver(let write, _) = who.met(view, fingerprint: row.fingerprint, asking) else { return nil }
      return write.row
    }
    let first = SagaSample.noon + .seconds(100)
    // From an earlier machine of the same worker: its lease goes on.
    #expect(try #require(takenOver(row, at: first)).charge.settlesFrom == first + .seconds(10))
    row.owner = WorkerID("other/1")
    let once = try #require(takenOver(row, at: first))
    #expect(once.charge.settlesFrom == first)
    #expect(try #require(takenOver(once, at: first + .seconds(60))).charge.settlesFrom == first)
    var saga = Saga(row: once, role: .facade, message: SagaRows.message, context: SagaRows.context)
    let early = SagaNow(time: first + .seconds(10), jitter: 0)
    guard case .call(let lookUp) = saga.handle(.tookOver, early), !lookUp.hasEffect else {
      Issue.record("no look-up")
      return
    }
    // 9 s of a call and 2 s of margin after the take-over.
    #expect(saga.handle(.payment(.notFound), early) == .wait(until: first + .seconds(11)))
  }

  @Test("a look-up that lags by five minutes: put back every minute, believed once, sent again once")
  func longLag() throws {
    let world = try world([.charge: [.lostRequest]]) { $0.traits = SagaSample.traits(lag: .seconds(300)) }
    #expect(world.story.last == "completed")
    #expect(world.operations.count { $0 == "charge" } == 2)
    #expect((5...12).contains(world.story.count { $0 == "charge.unknown" }))
  }

  @Test("a refund counts the same way")
  func refund() throws {
    let world = try world([.refund: [.lostRequest]]) {
      $0.payments.rule = .captureOnly(6000)
      $0.wireDelay = { _ in .seconds(8) }
    }
    #expect(world.row?.state == .failed(.amountMismatch))
    let sentAt = Set(world.journal.writes.compactMap { $0.row.compensation?.lastSentAt }).sorted()
    #expect(sentAt.count == 2)
    #expect(sentAt[1] - sentAt[0] >= .seconds(28))
  }

  // MARK: Inside the key window

  // The refund of a late success had no end: it was sent although the provider could have forgotten its key.
  @Test(
    "the refund of a late success carries the end of its key window, and outside it a person looks, nothing is sent")
  func lateSuccess() throws {
    let world = try world([.charge: [.slow(.seconds(1800))], .refund: [.lostRequest]], expiresAfter: .seconds(20)) {
      $0.traits = SagaSample.traits(compensationWindow: .seconds(90))
    }
    for _ in 0..<10 where world.row?.parked == nil { world.sweep(after: .seconds(1800)) }
    #expect(world.row?.parked?.reason == .refundUnknown)
    let refunds = world.calls.filter { $0.operation == .refund && $0.hasEffect }
    #expect(refunds.count == 1)
    let sentAt = try #require(world.row?.watch?.owed?.firstSentAt)
    #expect(refunds.first?.notAfter == sentAt + .seconds(90))
    #expect(world.row?.holdsMoney == true)
  }

  @Test("a refund that was certainly never carried out begins a key window of its own, however long the outage")
  func refundAfterOutage() throws {
    let world = try world([.refund: Array(repeating: Self.transient, count: 40)]) {
      $0.payments.rule = .captureOnly(6000)
      $0.traits = SagaSample.traits(compensationWindow: .seconds(90))
    }
    #expect(world.row?.state == .failed(.amountMismatch))
    #expect(world.payments.entries.map(\.refunds) == [[6000]])
  }

  // A receipt service without keys parked every checkout of an outage: the hand-over forgot that nothing had been sent.
  @Test("a receipt service that remembers no keys: an outage delays the receipt and parks nothing")
  func receiptOutage() throws {
    let world = try world([.receipt: Array(repeating: Self.transient, count: 9)]) {
      $0.traits = SagaSample.traits(receiptWindow: .zero)
    }
    #expect(world.story == ["receipt.pending", "receipt_pending", "completed"])
    #expect(world.receipts.sent.count == 1)
  }

  @Test("a receipt refused by a service without keys: a person's retry sends it, once")
  func receiptRetried() throws {
    let world = try world { world in
      world.traits = SagaSample.traits(receiptWindow: .zero)
      world.receipts.refuses = true
    }
    #expect(world.row?.parked?.reason == .receiptRefused)
    world.receipts.refuses = false
    world.tell(nil)
    world.run()
    #expect(world.story == ["parked", "completed"])
    #expect(world.receipts.sent.count == 1)
  }

  @Test("the worker dies with a receipt on its way to a service without keys: a person looks, none is sent twice")
  func receiptKilled() throws {
    let world = try world { world in
      world.traits = SagaSample.traits(receiptWindow: .zero)
      world.onCall[.receipt] = { $0.crash(.facade) }
    }
    #expect(world.row?.parked?.reason == .receiptUnknown)
    #expect(world.receipts.sent.count == 1)
  }

  @Test("a charge certainly not carried out is sent again after a hand-over too, where keys are not remembered")
  func chargeOutage() throws {
    let world = try world([.charge: Array(repeating: Self.transient, count: 25)]) {
      $0.traits = SagaSample.traits(chargeWindow: .zero)
      $0.stock.holdTime = .hours(10)
    }
    #expect(Set(world.story) == ["charge.unknown", "completed"])
    #expect(world.payments.entries.count == 1)
    #expect(world.row?.charge.everUnknown == false)
  }

  @Test(
    "a window too short for a second call is none", arguments: [TimeSpan.milliseconds(1), .seconds(5), .seconds(10)])
  func shortWindows(window: TimeSpan) throws {
    let traits = SagaSample.traits(chargeWindow: window, compensationWindow: window, receiptWindow: window)
    let good = try world { $0.traits = traits }
    #expect(good.story == ["completed"])
    let lost = try world([.charge: [.lostRequest]]) { $0.traits = traits }
    #expect(lost.row?.parked?.reason == .chargeUnknown)
    #expect(lost.operations.count { $0 == "charge" } == 1)
    let refund = try world([.refund: [.lostRequest]]) {
      $0.traits = traits
      $0.payments.rule = .captureOnly(6000)
    }
    #expect(refund.row?.parked?.reason == .refundUnknown)
  }

  // `not found` outside the key window was believed as soon as the customer had cancelled, or the request had expired: the
  // attempt ended unpaid, and a charge that had gone through was never found.
  @Test(
    "cancelled or expired, and not found outside the key window: a person looks first; a retry then ends it, watched",
    arguments: [true, false])
  func notFoundOutside(isCancelled: Bool) throws {
    let world = try world([.charge: [.lostRequest]], expiresAfter: isCancelled ? nil : .seconds(20)) { world in
      world.traits = SagaSample.traits(chargeWindow: .zero)
      if isCancelled { world.onCall[.charge] = { $0.cancel() } }
    }
    #expect(world.row?.parked?.reason == .chargeUnknown)
    #expect(world.story == ["parked"])
    world.tell(nil)
    world.run()
    #expect(world.row?.state == (isCancelled ? .cancelled : .failed(.requestExpired)))
    #expect(world.row?.watch != nil)
    #expect(world.operations.count { $0 == "charge" } == 1)
  }

  // MARK: Stock

  @Test("the hold runs out while the charge is unknown: not found, reserved again once, charged under the same key")
  func holdRunsOut() throws {
    let again = try world([.charge: [.lostRequest]]) { world in
      world.stock.holdTime = .seconds(15)
      world.onCall[.charge] = { $0.stock.holdTime = .seconds(600) }
    }
    #expect(again.story == ["completed"])
    #expect(again.row?.holds.map(\.generation) == [1, 2])
    #expect(Set(again.calls.filter { $0.operation == .charge }.map(\.key)).count == 1)
    let over = try world([.charge: [.lostRequest]]) { world in
      world.stock.holdTime = .seconds(15)
      world.onCall[.charge] = { $0.stock.holdTime = .seconds(5) }
    }
    #expect(over.row?.state == .failed(.reservationExpired))
    #expect(over.row?.charge.status == .absent)
    #expect(over.row?.watch != nil)
    #expect(over.payments.entries.isEmpty)
    let none = try world([.charge: [.lostRequest]]) { world in
      world.stock.holdTime = .seconds(15)
      world.onCall[.charge] = { $0.stock.available = 0 }
    }
    #expect(none.row?.state == .failed(.reservationExpired))
    #expect(none.row?.charge.status == .absent)
  }

  @Test("a payment service that refuses us until the hold has run out fails no checkout: reserved again, charged once")
  func misconfiguredForLong() throws {
    let world = try world([.charge: Array(repeating: .trouble(.misconfigured(detail: "401")), count: 400)]) { world in
      world.stock.holdTime = .seconds(120)
      world.schedule(.run { $0.script[.charge] = [] }, after: .seconds(1000))
      world.fate = { world, call in
        let isRefused = !call.hasEffect && world.now < SagaSample.noon + .seconds(1000)
        return isRefused ? .trouble(.misconfigured(detail: "401")) : .good
      }
      world.onCall[.charge] = { $0.stock.holdTime = .hours(10) }
    }
    #expect(world.story.last == "completed")
    #expect(world.payments.entries.count == 1)
    #expect(world.row?.holds.count == 2)
  }

  // A reserve carried out after the same key had been refused held stock for nobody until it ran out by itself.
  @Test("out of stock is no answer while an earlier reserve without an answer can still be carried out")
  func lateReserve() throws {
    let world = try world([.reserve: [.slow(.seconds(10))]]) { world in
      world.stock.available = 0
      world.schedule(.run { $0.stock.available = 1 }, after: .milliseconds(9900))
    }
    #expect(world.story == ["completed"])
    #expect(world.stock.holds.map(\.status) == [.confirmed])
    let none = try world0()
    #expect(none.row?.state == .failed(.outOfStock))
    #expect(none.stock.holds.isEmpty)
  }

  private func world0() throws -> TestWorld {
    try world([.reserve: [.lostRequest]]) { $0.stock.available = 0 }
  }

  @Test("stock that turns up after the attempt has failed is given back; the end stays and the checkout stays free")
  func lateHold() throws {
    let plain = try #require(
      try SagaRows.all().first { $0.state == .reserving && $0.cancel == nil && $0.parked == nil })
    var old = Saga(row: plain, role: .facade, message: SagaRows.message, context: SagaRows.context)
    guard case .call = old.handle(.created, SagaRows.now) else {
      Issue.record("no reserve")
      return
    }
    _ = old.handle(.giveUp, SagaRows.now)
    let reply = InventoryReply.reserved(id: "hold_9", expiresAt: SagaSample.noon + .seconds(600))
    guard case .write = old.handle(.inventory(reply), SagaRows.now) else {
      Issue.record("not stored")
      return
    }
    var failed = plain
    failed.version = 7
    failed.epoch = 2
    failed.owner = nil
    failed.state = .failed(.outOfStock)
    failed.endedAt = SagaSample.noon
    failed.holds[0].status = .refused
    guard case .write(let late) = old.handle(.conflicted(failed), SagaRows.now) else {
      Issue.record("not stored in the ended row")
      return
    }
    #expect(late.row.state == .failed(.outOfStock))
    #expect(late.row.hold.status == .held)
    #expect(late.row.watch?.nextAt == SagaRows.now.time)
    #expect(!late.row.blocksCheckout)
    var row = late.row
    row.epoch += 1
    row.owner = WorkerID("w/1")
    var watching = Saga(row: row, role: .watching, message: SagaRows.message, context: SagaRows.context)
    guard case .call(let release) = watching.handle(.tookOver, SagaRows.now) else {
      Issue.record("not released")
      return
    }
    #expect(release.command == .inventory(.release(reservationID: "hold_9")))
    guard case .write(let done) = watching.handle(.inventory(.released), SagaRows.now) else {
      Issue.record("not noted")
      return
    }
    #expect(done.row.hold.status == .released)
    #expect(done.row.watch == nil)
    #expect(watching.handle(.written, SagaRows.now) == .finish(.obligationsDone))
  }

  // MARK: Watch

  // A charge without an answer, sent again, was refused for good: the attempt ended as refused and nobody looked for the first.
  @Test("refused when it was sent again: the first send, carried out late, is found and given back")
  func refusedSecondTime() throws {
    let refused = Fate.trouble(.notApplied(.permanent, detail: "422"))
    let world = try world([.charge: [.slow(.seconds(1800)), refused]])
    #expect(world.row?.state == .failed(.paymentRefused))
    #expect(world.row?.watch != nil)
    for _ in 0..<3 { world.sweep(after: .hours(24)) }
    #expect(world.payments.entries.map(\.refunds) == [[9038]])
    #expect(world.story.filter { $0 == "failed" } == ["failed"])
  }

  // The refusal of a second try hid that the first one, whose answer was lost, had sent a receipt.
  @Test("a receipt refused after one without an answer: what may have been sent is not sent again without keys")
  func receiptRefusedSecondTime() throws {
    let refused = Fate.trouble(.notApplied(.permanent, detail: "422"))
    let world = try world([.receipt: [.trouble(.unknown(detail: "500")), refused]]) {
      $0.traits = SagaSample.traits(receiptWindow: .hours(24))
    }
    #expect(world.row?.parked?.reason == .receiptRefused)
    world.traits = SagaSample.traits(receiptWindow: .zero)
    world.tell(nil)
    world.run()
    #expect(world.row?.parked?.reason == .receiptUnknown)
    #expect(world.receipts.sent.isEmpty)
  }

  @Test("a key window shorter than a day is looked at when it ends, in its turn")
  func shortWatch() throws {
    let world = try world([.charge: [.lostRequest]], expiresAfter: .seconds(20)) {
      $0.traits = SagaSample.traits(chargeWindow: .hours(12))
    }
    let endedAt = try #require(world.row?.endedAt)
    let sentAt = try #require(world.row?.charge.firstSentAt)
    var due: [Timestamp?] = [world.row?.watch?.nextAt]
    for _ in 0..<3 {
      let next = try #require(world.row?.watch?.nextAt)
      world.sweep(after: next - world.now)
      due.append(world.row?.watch?.nextAt)
    }
    #expect(due == [endedAt + .hours(1), sentAt + .hours(12) - .seconds(60), endedAt + .hours(24), nil])
  }

  @Test("parked while watched, and the worker killed before the commit: the notice comes all the same, once")
  func watchParked() throws {
    let world = try world([.charge: [.slow(.seconds(1800))]], expiresAfter: .seconds(20)) {
      $0.payments.refusesRefunds = true
      $0.onStep["parked"] = { $0.crash(.reconciliation) }
    }
    world.sweep(after: .hours(1))
    #expect(world.row?.parked?.reason == .refundRefused)
    #expect(world.story == ["failed", "charge.unknown", "parked"])
    #expect(world.messages.filter { !$0.isCommitted }.isEmpty)
  }

  // MARK: Amounts

  @Test("captured in another currency: exactly that goes back, in that currency")
  func otherCurrency() throws {
    let yen = try SagaSample.yen(9038)
    let row = try #require(
      try SagaRows.all().first { $0.charge.status == .sent && $0.cancel == nil && $0.parked == nil })
    var saga = Saga(row: row, role: .facade, message: SagaRows.message, context: SagaRows.context)
    guard case .call = saga.handle(.tookOver, SagaRows.now),
      case .write(let write) = saga.handle(.payment(.captured(chargeID: "ch_1", amount: yen)), SagaRows.now)
    else {
      Issue.record("no write")
      return
    }
    #expect(write.row.state == .refunding(.amountMismatch))
    guard case .call(let refund) = saga.handle(.written, SagaRows.now) else {
      Issue.record("no refund")
      return
    }
    #expect(refund.command == .payment(.refund(chargeID: "ch_1", amount: yen)))
    guard case .write(let wrong) = saga.handle(.payment(.refunded(refundID: "re_1", amount: row.amount)), SagaRows.now)
    else {
      Issue.record("no write")
      return
    }
    #expect(wrong.row.parked?.reason == .refundRefused)
  }
}
