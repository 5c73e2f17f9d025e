// A facade worker that dies at each interesting moment of a checkout: another one ends it, once.

import CheckoutCore
import CheckoutSandbox
import CheckoutSimulation
import CheckoutStages
import CheckoutWire
import Testing
import WorkerEngine

/// When the worker dies.
enum CrashPoint: String, CaseIterable, Sendable {
  case afterCreate
  case afterReserve
  case afterChargeIntent
  case afterChargeSent
  case afterChargeStored
  case afterReceiptSent
  case afterCompleted
  case duringCommit

  func isReached(_ world: StageWorld, _ worker: SimulatedWorker) -> Bool {
    switch self {
    case .afterCreate: world.row() != nil
    case .afterReserve: world.hasEntry(.reserved)
    case .afterChargeIntent: world.row()?.state == .charging
    case .afterChargeSent: world.hasEntry(.captured)
    case .afterChargeStored: world.row()?.state == .receipting
    case .afterReceiptSent: world.hasEntry(.receipted)
    case .afterCompleted: world.row()?.state == .completed
    case .duringCommit: world.row()?.state == .completed && worker.endpoint.hasPendingCommit
    }
  }
}

@Suite("Crashes of the facade")
struct CrashTests {
  @Test(
    "killed at any point and started again: one outcome, one charge, one receipt", arguments: CrashPoint.allCases,
    [PendingRequests.lost, .applied])
  func killed(at point: CrashPoint, pendingRequests: PendingRequests) throws {
    for pendingCommit in [PendingCommit.lost, .applied, .outputsOnly] {
      let world = try StageWorld()
      let worker = try #require(world.pipeline.workers(of: .facade).first)
      worker.journal?.setDelays(request: .milliseconds(3), reply: .milliseconds(3))
      let request = world.send(Order())
      let isReached = world.pipeline.run(atMost: .seconds(30)) { point.isReached(world, worker) }
      #expect(isReached)
      world.pipeline.kill(worker, pendingCommit: pendingCommit, pendingRequests: pendingRequests)
      world.pipeline.run(for: .seconds(1))
      try world.pipeline.start(.facade)
      #expect(world.pipeline.settle(atMost: .seconds(60)))
      #expect(Set(try world.answers(request)) == ["checkout.completed"])
      #expect(Set(world.answerIDs()).count == 1)
      let effects = try world.effects()
      #expect(effects.charges.count == 1)
      #expect(effects.receipts == 1)
      #expect(effects.confirmedHolds == 1)
    }
  }

  @Test("killed again and again, at one point after the other: still one outcome, one charge, one receipt")
  func killedRepeatedly() throws {
    let world = try StageWorld()
    let request = world.send(Order())
    for point in CrashPoint.allCases {
      let worker = try #require(world.pipeline.workers(of: .facade).first)
      if world.pipeline.run(atMost: .seconds(60), until: { point.isReached(world, worker) }) {
        world.pipeline.kill(worker)
        try world.pipeline.start(.facade)
      }
    }
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(request) == ["checkout.completed"])
    #expect(try world.effects().charges.count == 1)
    #expect(try world.effects().receipts == 1)
  }

  @Test("a stop in the middle of a charge: drained within the grace, answered by nobody twice")
  func stopped() throws {
    let world = try StageWorld()
    let worker = try #require(world.pipeline.workers(of: .facade).first)
    let request = world.send(Order(token: "pm_tok_slow"))
    #expect(world.pipeline.run(atMost: .seconds(10)) { world.hasEntry(.captured) })
    worker.requestStop()
    #expect(world.pipeline.run(atMost: .seconds(25)) { worker.status != .running })
    #expect(worker.status == .stopped(unfinished: 0, uncommitted: false))
    #expect(try world.answers(request) == ["checkout.completed"])
  }

  @Test("a stop in the middle of a charge longer than the grace: resumable, then one charge, one outcome")
  func stoppedTooLong() throws {
    let world = try StageWorld { settings in settings.sandbox.slowChargeAfter = .seconds(40) }
    let worker = try #require(world.pipeline.workers(of: .facade).first)
    let request = world.send(Order(token: "pm_tok_slow"))
    #expect(world.pipeline.run(atMost: .seconds(10)) { world.hasEntry(.captured) })
    worker.requestStop()
    #expect(world.pipeline.run(atMost: .seconds(25)) { worker.status != .running })
    #expect(worker.status == .stopped(unfinished: 1, uncommitted: false))
    try world.pipeline.start(.facade)
    #expect(world.pipeline.settle(atMost: .seconds(120)))
    #expect(try world.answers(request) == ["checkout.completed"])
    #expect(try world.effects().charges.count == 1)
  }
}
