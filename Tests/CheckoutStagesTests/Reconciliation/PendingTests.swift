// Pending work: held until it is due, put back, swept up when its message is lost.

import CheckoutCore
import CheckoutSandbox
import CheckoutSimulation
import CheckoutStages
import CheckoutWire
import Testing
import WorkerEngine

@Suite("Pending work")
struct PendingTests {
  // 6. More items than may be held, none of them due: each was put back at once, 56,000 times in half an hour for one item.
  @Test("an item that is not due is held, then put back, then done", arguments: [10_000, 1])
  func putBack(heldItemsMax: Int) throws {
    let world = try StageWorld { settings in
      settings.saga.receiptTries = 1
      settings.saga.holdMax = .seconds(10)
      settings.saga.reconciliationBackoffFirst = .seconds(300)
      settings.saga.reconciliationBackoffMax = .seconds(300)
      settings.heldItemsMax = heldItemsMax
    }
    let requests = (0..<3).map { number in
      world.send(
        Order(checkout: "chk_\(number)", key: "key-0123456789-\(number)", email: "receipt-fail-3@example.com"))
    }
    #expect(world.pipeline.settle(atMost: .seconds(3600)))
    for request in requests {
      #expect(try world.answers(request) == ["checkout.receipt_pending", "checkout.completed"])
    }
    #expect(Set(world.pendingTypes()) == ["checkout.receipt.pending"])
    // Put back at most every ten seconds, for each of three tries of three items.
    #expect((10..<300).contains(world.pendingTypes().count))
    #expect(try world.report().receiptsOfCharge.values.sorted() == [1, 1, 1])
  }

  @Test("a lost message: the sweep takes the attempt up, reconciliation ends it with one outcome")
  func sweep() throws {
    let world = try StageWorld()
    let pipeline = world.pipeline
    let request = loseMessage(world, Order())
    try pipeline.start(.facade)
    pipeline.run(for: .seconds(300))
    #expect(try world.answers(request) == [])
    pipeline.run(for: .seconds(400))
    #expect(pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(request) == ["checkout.completed"])
    #expect(try world.effects().captures == 1)
  }

  // 3. A rebalance set the stage draining, and only the next message ended that: on a quiet topic nothing was swept any more.
  @Test("the sweep goes on after a rebalance although no message comes")
  func sweepAfterRebalance() throws {
    let world = try StageWorld()
    let pipeline = world.pipeline
    let other = try pipeline.start(.reconciliation, instance: 2)
    pipeline.run(for: .seconds(5))
    pipeline.kill(other)
    let request = loseMessage(world, Order())
    pipeline.run(for: .seconds(700))
    #expect(pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(request) == ["checkout.completed"])
  }

  /// The facade dies once the attempt is created, and its message is skipped for good.
  private func loseMessage(_ world: StageWorld, _ order: Order) -> String {
    let pipeline = world.pipeline
    let request = world.send(order)
    #expect(pipeline.run(atMost: .seconds(10)) { world.hasEntry(.captured, of: order.checkout) })
    for worker in pipeline.workers(of: .facade) { pipeline.kill(worker) }
    for partition in pipeline.broker.partitions(of: [pipeline.input(.facade)]) {
      pipeline.broker.setCommitted(
        InMemoryPipeline.group(.facade), partition, offset: pipeline.broker.endOffset(of: partition))
    }
    return request
  }

  @Test(
    "an event for an attempt nobody knows: a dead letter; an event that does not decode: a dead letter; others unharmed"
  )
  func deadLetters() throws {
    let world = try StageWorld()
    let identity = AttemptIdentity(
      merchantID: "shop-eu", checkoutID: "chk_none", idempotencyKey: "key-0123456789-0")
    let origin = Origin(
      Position(topic: "checkout.requests", partition: 2, offset: 7, timestampMilliseconds: 1_796_040_000_000))
    let unknown = EventEncoder().encode(
      PipelineEvent(
        id: "event-1", type: .receiptPending, origin: origin, time: world.pipeline.now,
        subject: EventSubject(identity), trace: nil,
        body: .pendingWork(
          PendingWork(attempt: identity, notBefore: nil, journalID: world.pipeline.journal.id))))
    world.pipeline.send(
      .pending, key: Bytes(unknown.key), value: Bytes(unknown.value),
      headers: unknown.headers.map { Header($0.name, $0.value) }, partition: 0)
    world.pipeline.send(.pending, key: Bytes("chk_none"), value: Bytes("{}"), partition: 0)
    world.pipeline.send(.pending, key: Bytes("chk_none"), value: nil, partition: 0)
    let request = world.send(Order(email: "receipt-fail-3@example.com"))
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(
      world.pipeline.log(.deadLetters).compactMap { $0.header("dlq-code") }.sorted() == [
        "malformed_event", "unknown_attempt",
      ])
    #expect(try world.answers("2/7") == ["dead-letter unknown_attempt"])
    #expect(try world.answers(request) == ["checkout.receipt_pending", "checkout.completed"])
  }

  @Test("an event of another journal is a dead letter")
  func otherJournal() throws {
    let world = try StageWorld()
    world.send(Order(email: "receipt-permanent@example.com"))
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    let row = try #require(world.row())
    world.say(
      PersonsWord(
        attempt: row.identity, rowVersion: row.version, journalID: "another", resolution: nil, who: "ana", note: "",
        refundedOutside: nil))
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(world.pipeline.log(.deadLetters).compactMap { $0.header("dlq-code") } == ["malformed_event"])
  }

  // 4. A held item was taken away with its partition, and its job was kept for ever: it waited for a timer that was cleared.
  @Test("held items of a partition that is taken away are put to the next owner, and done once")
  func heldAndRevoked() throws {
    let world = try StageWorld { settings in
      settings.saga.receiptTries = 1
      settings.saga.reconciliationBackoffFirst = .seconds(40)
      settings.saga.reconciliationBackoffMax = .seconds(40)
      settings.saga.holdMax = .seconds(30)
    }
    let requests = (0..<8).map { number in
      world.send(
        Order(checkout: "chk_\(number)", key: "key-0123456789-\(number)", email: "receipt-fail-3@example.com"))
    }
    world.pipeline.run(for: .seconds(20))
    try world.pipeline.start(.reconciliation, instance: 2)
    world.pipeline.run(for: .seconds(10))
    try world.pipeline.start(.reconciliation, instance: 3)
    #expect(world.pipeline.settle(atMost: .seconds(600)))
    for request in requests { #expect(try world.answers(request).last == "checkout.completed") }
    #expect(try world.report().doubleReceipted == [])
    #expect(try world.report().doubleCharged == [])
  }
}
