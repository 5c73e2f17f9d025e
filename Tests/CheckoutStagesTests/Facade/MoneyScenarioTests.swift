// What people report of such pipelines: stock sold twice or kept, money taken for a hold that ran out, undoing that fails quietly.

import CheckoutCore
import CheckoutSandbox
import CheckoutSimulation
import CheckoutStages
import CheckoutWire
import Testing
import WorkerEngine

@Suite("Stock and money")
struct MoneyScenarioTests {
  private func limitStock(_ world: StageWorld, to count: Int64) throws {
    try world.pipeline.ledger.transact { (store) throws(LedgerProblem) in
      try store.setStockLimit(count, ofSKU: "SKU-RED-42")
    }
  }

  private func say(_ world: StageWorld, _ resolution: ResolvedAs?) throws {
    let row = try #require(world.row())
    world.say(
      PersonsWord(
        attempt: row.identity, rowVersion: row.version, journalID: world.pipeline.journal.id, resolution: resolution,
        who: "ana", note: "", refundedOutside: nil))
  }

  @Test("one piece left and two checkouts at once: exactly one is paid, the other is out of stock and charged nothing")
  func lastPiece() throws {
    let world = try StageWorld()
    try limitStock(world, to: 1)
    let requests = (0..<2).map {
      world.send(Order(checkout: "chk_\($0)", key: "key-0123456789-\($0)"), partition: Int32($0))
    }
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    let answers = try requests.map { try world.answers($0) }.sorted { $0[0] < $1[0] }
    #expect(answers == [["checkout.completed"], ["checkout.failed out_of_stock"]])
    #expect(try world.report().charges == 1)
  }

  @Test("a declined payment gives its stock back: to the next checkout, and to its own next try")
  func stockComesBack() throws {
    let world = try StageWorld()
    try limitStock(world, to: 1)
    let declined = world.send(Order(token: "pm_tok_declined_funds"))
    let again = world.send(Order(key: "key-0123456789-2", token: "pm_tok_declined_funds"))
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    let other = world.send(Order(checkout: "chk_2", key: "key-0123456789-3"))
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(declined) == ["checkout.failed payment_declined"])
    #expect(try world.answers(again) == ["checkout.failed payment_declined"])
    #expect(try world.answers(other) == ["checkout.completed"])
    #expect(try world.effects().openHolds == 0)
  }

  @Test("a hold of three seconds and a charge of five: reserved again and sold, or not charged; never payment_declined")
  func holdShorterThanCharge() throws {
    for deadline in [TimeSpan.seconds(2), .seconds(10)] {
      let world = try StageWorld { settings in
        settings.sandbox.holdDuration = .seconds(3)
        settings.sandbox.slowChargeAfter = .seconds(5)
        settings.saga.callTotalTimeout = .seconds(2)
        settings.saga.chargeDeadline = deadline
      }
      let request = world.send(Order(token: "pm_tok_slow"))
      #expect(world.pipeline.settle(atMost: .seconds(60)))
      let effects = try world.effects()
      if deadline == .seconds(2) {
        #expect(try world.answers(request) == ["checkout.completed"])
        #expect(effects.captures == 1)
        #expect(effects.confirmedHolds == 1)
      } else {
        #expect(try world.answers(request) == ["checkout.failed reservation_expired"])
        #expect(effects.captures == 0)
      }
      #expect(effects.openHolds == 0)
    }
  }

  @Test("a charge of forty seconds whose worker dies after two: looked up until it is captured, sent once, paid")
  func slowCharge() throws {
    let world = try StageWorld { settings in
      settings.sandbox.slowChargeAfter = .seconds(40)
      settings.saga.callTotalTimeout = .seconds(2)
    }
    let request = world.send(Order(token: "pm_tok_slow"))
    #expect(world.pipeline.run(atMost: .seconds(10)) { world.hasEntry(.captured) })
    world.pipeline.run(for: .seconds(2))
    for worker in world.pipeline.workers(of: .facade) { world.pipeline.kill(worker) }
    try world.pipeline.start(.facade)
    #expect(world.pipeline.settle(atMost: .seconds(300)))
    #expect(try world.answers(request) == ["checkout.completed"])
    #expect(try world.effects().captures == 1)
    #expect(try world.chargeSends(try #require(world.row())) == 1)
  }

  @Test("stock that cannot be given back: parked with what is owed, not failed; a person's retry and word")
  func releaseRefused() throws {
    let prices = String(decoding: try RepositoryFile.bytes("samples/reference.json"), as: UTF8.self)
      .replacing("SKU-BLU-7", with: "SKU-RELEASE-FAILS")
    let reference = try ReferenceFile.decode(Array(prices.utf8))
    let world = try StageWorld { $0.reference = reference }
    let request = world.send(Order(token: "pm_tok_declined_funds", sku: "SKU-RELEASE-FAILS", price: 4550))
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(request) == ["checkout.parked release_refused"])
    #expect(world.row()?.state == .releasing(.paymentDeclined))
    #expect(world.row()?.hold.status == .held)
    try say(world, nil)
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(request) == Array(repeating: "checkout.parked release_refused", count: 2))
    try say(world, .failed)
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(request).last == "checkout.failed closed_by_person")
  }

  @Test("the reconciler dies between two tries of a receipt: the next one goes on, one receipt, one outcome")
  func reconcilerKilled() throws {
    let world = try StageWorld { settings in
      settings.saga.receiptTries = 1
      settings.saga.reconciliationBackoffFirst = .seconds(20)
    }
    let request = world.send(Order(email: "receipt-fail-3@example.com"))
    #expect(world.pipeline.run(atMost: .seconds(120)) { (world.row()?.retry?.tries ?? 0) == 1 })
    for worker in world.pipeline.workers(of: .reconciliation) { world.pipeline.kill(worker) }
    try world.pipeline.start(.reconciliation)
    #expect(world.pipeline.settle(atMost: .seconds(600)))
    #expect(try world.answers(request) == ["checkout.receipt_pending", "checkout.completed"])
    #expect(try world.effects().receipts == 1)
    #expect(Set(world.answerIDs()).count == 2)
  }

  @Test("a client's own price is not believed: refused with both prices, nothing is charged")
  func clientPrice() throws {
    let world = try StageWorld()
    let request = world.send(Order(price: 1))
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(request) == ["checkout.rejected price_changed"])
    let body = String(decoding: try #require(world.pipeline.log(.rejections).first?.value).array, as: UTF8.self)
    #expect(body.contains(#""expected":1999"#))
    #expect(body.contains(#""actual":1"#))
    #expect(world.rows.isEmpty)
    #expect(try world.report().charges == 0)
  }

  @Test("the same JSON in another order and spacing is the same request; null where nothing was is another one")
  func canonicalContent() throws {
    let world = try StageWorld()
    let order = Order()
    let first = world.send(order)
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(first) == ["checkout.completed"])
    let start = #"{"schema_version":1,"#
    #expect(order.json.hasPrefix(start))
    let rest = order.json.dropFirst(start.count).dropLast()
    let again = world.send("{ \(rest) ,\n \t\"schema_version\" : 1 }", key: order.checkout, partition: 1)
    let null = world.send(String(order.json.dropLast()) + #","metadata":null}"#, key: order.checkout, partition: 2)
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(again) == ["checkout.completed replayed"])
    #expect(try world.answers(null) == ["checkout.rejected idempotency_conflict"])
    #expect(try world.effects().charges.count == 1)
  }
}
