// Who may act on an attempt: leases, revokes, workers that stand still, a slow journal.

import CheckoutCore
import CheckoutSandbox
import CheckoutSimulation
import CheckoutStages
import CheckoutWire
import Testing
import WorkerEngine

@Suite("Ownership")
struct OwnershipTests {
  private func facade(_ world: StageWorld) throws -> SimulatedWorker {
    try #require(world.pipeline.workers(of: .facade).first)
  }

  @Test("the lease runs out while calls are queued: nothing is sent; renewed, the worker goes on, with one charge")
  func leaseRunsOut() throws {
    let world = try StageWorld()
    let worker = try facade(world)
    let request = world.send(Order())
    #expect(world.pipeline.run(atMost: .seconds(10)) { world.row()?.state == .charging })
    // The lease's renewal and the write of the charge's intent are answered when the lease is over.
    worker.journal?.setDelays(request: .zero, reply: .seconds(12))
    world.pipeline.run(for: .seconds(40))
    #expect(!world.hasEntry(.captured) || world.row()?.charge.status != .sent)
    worker.journal?.setDelays(request: .zero, reply: .zero)
    #expect(world.pipeline.settle(atMost: .seconds(120)))
    #expect(try world.answers(request) == ["checkout.completed"])
    #expect(try world.effects().captures == 1)
  }

  @Test("without a lease nothing goes on the wire")
  func noLease() throws {
    let world = try StageWorld(startingAll: false)
    try world.pipeline.start(.validation)
    let worker = try world.pipeline.start(.facade)
    worker.journal?.setDelays(request: .zero, reply: .seconds(11))
    let request = world.send(Order())
    world.pipeline.run(for: .seconds(60))
    #expect(world.rows == [])
    #expect(worker.health.stageWantsPause)
    worker.journal?.setDelays(request: .zero, reply: .milliseconds(5))
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(request) == ["checkout.completed"])
  }

  // 2. The partition is taken away while a charge is on its way. The old owner stores what comes late; the new owner looks
  //    up and completes. Sending again, or waiting for the old owner's lease to end, would both be wrong.
  @Test("a revoke in the middle of a charge: the late answer is stored, the new owner completes with one charge")
  func revoked() throws {
    let world = try StageWorld { settings in settings.sandbox.slowChargeAfter = .seconds(8) }
    let pipeline = world.pipeline
    let old = try facade(world)
    let requests = (0..<6).map { number in
      world.send(Order(checkout: "chk_\(number)", key: "key-0123456789-\(number)", token: "pm_tok_slow"))
    }
    #expect(pipeline.run(atMost: .seconds(10)) { world.hasEntry(.captured, of: "chk_5") })
    try pipeline.start(.facade, instance: 2)
    #expect(pipeline.run(atMost: .seconds(10)) { old.health.counters.forgotten > 0 })
    #expect(pipeline.settle(atMost: .seconds(120)))
    for (number, request) in requests.enumerated() {
      #expect(try world.answers(request) == ["checkout.completed"])
      #expect(try world.effects("chk_\(number)").captures == 1)
      #expect(try world.effects("chk_\(number)").receipts == 1)
    }
  }

  // 7. Seed 96. The partition came back to the worker that had lost it. It asked to create the attempt under the same write id as
  //    before, the journal took that for its own repeat and said `written`, and the worker began anew with a row that was long
  //    out of date: it charged again without a look-up, could write nothing, was lost, asked again, for ever.
  @Test("a partition that comes back to the same worker: looked up, not charged again, and ended")
  func cameBack() throws {
    for delivery in [InMemoryJournal.Delivery.atOnce, .onFlush] {
      let world = try StageWorld { settings in
        settings.partitions = 1
        settings.sandbox.slowChargeAfter = .seconds(8)
        settings.journalDelivery = delivery
      }
      let pipeline = world.pipeline
      let first = try facade(world)
      let request = world.send(Order(token: "pm_tok_slow"))
      #expect(pipeline.run(atMost: .seconds(10)) { world.hasEntry(.captured) })
      let other = try pipeline.start(.facade, instance: 2)
      #expect(pipeline.run(atMost: .seconds(10)) { first.health.counters.assignments == 2 })
      #expect(other.health.partitions == 0)
      #expect(pipeline.settle(atMost: .seconds(60)))
      #expect(try world.answers(request) == ["checkout.completed"])
      #expect(try world.chargeSends(try #require(world.row())) == 1)
    }
  }

  // 8. Taken away in the middle of a call, with nobody to take over yet. The attempt was given up, then the call's late answer was
  //    stored with the row as the old worker had it, itself as the owner. It lived on, and so the next one waited for it, for ever.
  @Test("an answer that comes after the attempt was given up does not make the old worker its owner again")
  func lateAnswerOfALivingWorker() throws {
    let world = try StageWorld { settings in settings.sandbox.slowChargeAfter = .seconds(3) }
    let pipeline = world.pipeline
    let old = try facade(world)
    let request = world.send(Order(token: "pm_tok_slow"))
    #expect(pipeline.run(atMost: .seconds(10)) { world.hasEntry(.captured) })
    old.endpoint.expel(told: true)
    #expect(pipeline.run(atMost: .seconds(10)) { world.row()?.charge.status != .sent })
    #expect(world.row()?.owner == nil)
    try pipeline.start(.facade, instance: 2)
    #expect(pipeline.settle(atMost: .seconds(30)))
    #expect(try world.answers(request) == ["checkout.completed"])
    #expect(try world.effects().captures == 1)
  }

  @Test("a worker that stands still past its session and its lease: the new owner ends it, the sleeper harms nothing")
  func zombie() throws {
    for wakesTold in [true, false] {
      let world = try StageWorld { settings in settings.sandbox.slowChargeAfter = .seconds(3) }
      let pipeline = world.pipeline
      let sleeper = try facade(world)
      let request = world.send(Order(token: "pm_tok_slow"))
      #expect(pipeline.run(atMost: .seconds(10)) { world.hasEntry(.captured) })
      sleeper.isSuspended = true
      sleeper.endpoint.expel(told: wakesTold)
      try pipeline.start(.facade, instance: 2)
      #expect(pipeline.run(atMost: .seconds(60)) { world.row()?.state == .completed })
      sleeper.isSuspended = false
      pipeline.run(for: .seconds(5))
      sleeper.endpoint.rejoin()
      #expect(pipeline.settle(atMost: .seconds(60)))
      #expect(try world.answers(request) == ["checkout.completed"])
      #expect(try world.effects().captures == 1)
      #expect(try world.effects().receipts == 1)
    }
  }

  @Test("a journal that answers seconds late: slower, and otherwise as always")
  func slowJournal() throws {
    for (request, reply) in [(TimeSpan.seconds(2), TimeSpan.seconds(2)), (.zero, .seconds(3)), (.seconds(3), .zero)] {
      let world = try StageWorld()
      for worker in world.pipeline.workers { worker.journal?.setDelays(request: request, reply: reply) }
      let first = world.send(Order())
      let second = world.send(Order(checkout: "chk_2", key: "key-0123456789-2", token: "pm_tok_unknown_absent"))
      #expect(world.pipeline.settle(atMost: .seconds(300)))
      #expect(try world.answers(first) == ["checkout.completed"])
      #expect(try world.answers(second) == ["checkout.completed"])
      #expect(try world.report().doubleCharged == [])
      #expect(try world.report().charges == 2)
    }
  }

  @Test("another writer changes the row during the charge: the result goes onto the row as it is now")
  func journalConflict() throws {
    let world = try StageWorld()
    let request = world.send(Order(token: "pm_tok_slow"))
    #expect(world.pipeline.run(atMost: .seconds(10)) { world.hasEntry(.captured) })
    var row = try #require(world.row())
    row.version += 1
    let copy = Origin(Position(topic: "checkout.requests", partition: 2, offset: 0, timestampMilliseconds: 0))
    row.waiting.append(Waiter(origin: copy, listedBy: copy.position, afterEnd: false))
    world.pipeline.journal.submit(
      [JournalRequest(id: 1, command: .update(AttemptWrite(row: row, expectedEpoch: nil, writeID: "other", steps: [])))]
    ) { _ in }
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(request) == ["checkout.completed"])
    #expect(try world.answers("2/0") == ["checkout.completed replayed"])
    #expect(try world.effects().captures == 1)
  }
}
