// The same request again, the same key with other content, the same checkout under another key.

import CheckoutCore
import CheckoutSandbox
import CheckoutSimulation
import CheckoutStages
import CheckoutWire
import Testing
import WorkerEngine

@Suite("Repeats")
struct RepeatTests {
  @Test("the same request on two partitions at the same instant: one set of effects, both answered")
  func twoPartitions() throws {
    let world = try StageWorld()
    let first = world.send(Order(), partition: 0)
    let second = world.send(Order(), partition: 1)
    #expect(world.pipeline.settle(atMost: .seconds(30)))
    let answers = [try world.answers(first), try world.answers(second)].sorted { $0[0] < $1[0] }
    #expect(answers == [["checkout.completed"], ["checkout.completed replayed"]])
    let effects = try world.effects()
    #expect(effects.charges.count == 1)
    #expect(effects.receipts == 1)
    #expect(effects.confirmedHolds == 1)
  }

  // 1. Both copies of one validated request reach two facade workers before either has written anything: both insert, one
  //    insert is refused with `exists`, and its message lists its origin. Without the list the second got no answer.
  @Test("two facade workers meet one request at the same instant: one set of effects, both answered")
  func twoWorkers() throws {
    let world = try StageWorld(startingAll: false) { $0.journalDelivery = .onFlush }
    let pipeline = world.pipeline
    try pipeline.start(.validation)
    world.send(Order(token: "pm_tok_slow"))
    pipeline.run(for: .seconds(1))
    let original = try #require(pipeline.log(.validated).first)
    let copyOrigin = "\(pipeline.topics.name(.requests))/2/0/1796040000000"
    let other = TopicPartition(
      topic: original.partition.topic, partition: (original.partition.partition + 1) % 3)
    pipeline.broker.append(
      other, key: original.key, value: original.value,
      headers: original.headers.map { $0.name == Bytes("ce_origin") ? Header("ce_origin", copyOrigin) : $0 })
    try pipeline.start(.facade, instance: 1)
    try pipeline.start(.facade, instance: 2)
    try pipeline.start(.reconciliation)
    #expect(pipeline.settle(atMost: .seconds(30)))
    let answers = [try world.answers("0/0"), try world.answers("2/0")].sorted { $0[0] < $1[0] }
    #expect(answers == [["checkout.completed"], ["checkout.completed replayed"]])
    #expect(try world.effects().charges.count == 1)
    #expect(try world.effects().receipts == 1)
  }

  @Test("a copy after the end gets the first result, marked replayed; nothing is charged again")
  func afterTheEnd() throws {
    let world = try StageWorld()
    world.send(Order())
    #expect(world.pipeline.settle(atMost: .seconds(30)))
    let copy = world.send(Order(), partition: 2)
    #expect(world.pipeline.settle(atMost: .seconds(30)))
    #expect(try world.answers(copy) == ["checkout.completed replayed"])
    #expect(try world.effects().charges.count == 1)
  }

  @Test("a copy while the receipt is pending is answered together with the outcome")
  func whileOpen() throws {
    let world = try StageWorld()
    let first = world.send(Order(email: "receipt-fail-3@example.com"))
    let isPending = world.pipeline.run(atMost: .seconds(30)) { world.row()?.state == .receiptPending }
    #expect(isPending)
    let copy = world.send(Order(email: "receipt-fail-3@example.com"), partition: 1)
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(first) == ["checkout.receipt_pending", "checkout.completed"])
    #expect(try world.answers(copy) == ["checkout.completed replayed"])
    #expect(try world.effects().receipts == 1)
  }

  @Test("the same key with other content is refused, and the first result stays")
  func conflict() throws {
    let world = try StageWorld()
    let first = world.send(Order(quantity: 1))
    let other = world.send(Order(quantity: 2))
    let repeated = world.send(Order(quantity: 1))
    #expect(world.pipeline.settle(atMost: .seconds(30)))
    #expect(try world.answers(first) == ["checkout.completed"])
    #expect(try world.answers(other) == ["checkout.rejected idempotency_conflict"])
    #expect(try world.answers(repeated) == ["checkout.completed replayed"])
    #expect(try world.effects().capturedMinor == 1999)
  }

  @Test(
    "a repeat after a price change, or after the account was closed, gets the first result; only new requests are refused",
    arguments: [
      (#""unit_price_minor": 1999"#, #""unit_price_minor": 2099"#, "checkout.rejected price_changed"),
      (#""status": "enabled""#, #""status": "disabled""#, "checkout.rejected disabled_account"),
    ])
  func afterReferenceChange(from: String, to: String, refusal: String) throws {
    let world = try StageWorld()
    let first = world.send(Order())
    #expect(world.pipeline.settle(atMost: .seconds(30)))
    for worker in world.pipeline.workers(of: .validation) { world.pipeline.kill(worker) }
    let text = String(decoding: try RepositoryFile.bytes("samples/reference.json"), as: UTF8.self)
    let changed = text.replacing(from, with: to)
    #expect(changed != text)
    try world.pipeline.start(.validation, reference: try ReferenceFile.decode(Array(changed.utf8)))
    let repeated = world.send(Order())
    let conflicting = world.send(Order(quantity: 2))
    let new = world.send(Order(checkout: "chk_2", key: "key-0123456789-2"))
    #expect(world.pipeline.settle(atMost: .seconds(30)))
    #expect(try world.answers(first) == ["checkout.completed"])
    #expect(try world.answers(repeated) == ["checkout.completed replayed"])
    #expect(try world.answers(conflicting) == ["checkout.rejected idempotency_conflict"])
    #expect(try world.answers(new) == [refusal])
    #expect(try world.effects().charges.count == 1)
    #expect(try world.effects("chk_2").charges.count == 0)
  }

  // A refusal carried the time at which it was given: the same one given again had the same id and other bytes.
  @Test("a refusal given twice is equal to the byte, however much later")
  func refusedTwice() throws {
    let world = try StageWorld()
    world.send(Order(key: "key-0123456789-1"))
    let second = world.send(Order(key: "key-0123456789-2"))
    let nobody = world.cancel("chk_nobody")
    #expect(world.pipeline.settle(atMost: .seconds(30)))
    world.pipeline.run(for: .seconds(5))
    // As a validation worker without transactions repeats it.
    for record in world.pipeline.log(.validated) {
      world.pipeline.broker.append(record.partition, key: record.key, value: record.value, headers: record.headers)
    }
    #expect(world.pipeline.settle(atMost: .seconds(30)))
    #expect(try world.answers(second) == Array(repeating: "checkout.rejected already_paid", count: 2))
    #expect(try world.answers(nobody) == Array(repeating: "checkout.rejected unknown_checkout", count: 2))
    var byID: [String: StoredRecord] = [:]
    for record in world.pipeline.log(.rejections) {
      let id = try #require(record.header("ce_id"))
      if let first = byID[id] {
        #expect(first.value == record.value)
        #expect(first.headers == record.headers)
      }
      byID[id] = record
    }
    #expect(byID.count == 2)
  }

  @Test("a paid checkout under a new key: already paid")
  func alreadyPaid() throws {
    let world = try StageWorld()
    world.send(Order(key: "key-0123456789-1"))
    let second = world.send(Order(key: "key-0123456789-2"))
    #expect(world.pipeline.settle(atMost: .seconds(30)))
    #expect(try world.answers(second) == ["checkout.rejected already_paid"])
    #expect(try world.effects().charges.count == 1)
  }

  @Test("after a decline a new key is a new attempt, and the old key keeps its result")
  func afterDecline() throws {
    let world = try StageWorld()
    let declined = world.send(Order(key: "key-0123456789-1", token: "pm_tok_declined_funds"))
    let paid = world.send(Order(key: "key-0123456789-2"))
    let repeated = world.send(Order(key: "key-0123456789-1", token: "pm_tok_declined_funds"))
    #expect(world.pipeline.settle(atMost: .seconds(30)))
    #expect(try world.answers(declined) == ["checkout.failed payment_declined"])
    #expect(try world.answers(paid) == ["checkout.completed"])
    #expect(try world.answers(repeated) == ["checkout.failed payment_declined replayed"])
    let effects = try world.effects()
    #expect(effects.charges.count == 1)
    #expect(effects.openHolds == 0)
  }

  @Test("two keys for one checkout while the first is open: the second is told so")
  func inProgress() throws {
    let world = try StageWorld { settings in settings.sandbox.lookUpLag = .seconds(120) }
    let first = world.send(Order(key: "key-0123456789-1", token: "pm_tok_unknown_captured"))
    let isWithReconciliation = world.pipeline.run(atMost: .seconds(60)) { world.row()?.custody == .reconciliation }
    #expect(isWithReconciliation)
    let second = world.send(Order(key: "key-0123456789-2"))
    #expect(world.pipeline.settle(atMost: .seconds(600)))
    #expect(try world.answers(second) == ["checkout.rejected checkout_in_progress"])
    #expect(try world.answers(first) == ["checkout.completed"])
    #expect(try world.effects().charges.count == 1)
  }
}
