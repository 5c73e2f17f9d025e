// Charges without an answer: looked up, never sent again blindly.

import CheckoutCore
import CheckoutSandbox
import CheckoutSimulation
import CheckoutStages
import CheckoutWire
import Testing
import WorkerEngine

@Suite("Unknown charges")
struct UnknownChargeTests {
  @Test("the reply is lost, the money was taken: found by the look-up, one charge")
  func captured() throws {
    let world = try StageWorld()
    let request = world.send(Order(token: "pm_tok_unknown_captured"))
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(request) == ["checkout.completed"])
    #expect(try world.effects().captures == 1)
  }

  @Test("the call never arrived: sent again under the same key once not-found can be believed, not before")
  func absent() throws {
    let world = try StageWorld()
    let request = world.send(Order(token: "pm_tok_unknown_absent"))
    #expect(world.pipeline.run(atMost: .seconds(10)) { world.row()?.charge.status == .sent })
    let sentAt = try #require(world.row()?.charge.lastSentAt)
    #expect(world.pipeline.run(atMost: .seconds(60)) { world.hasEntry(.captured) })
    // Longest time of a call 9 s, margin 2 s.
    #expect(world.pipeline.now - sentAt >= .seconds(11))
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(request) == ["checkout.completed"])
    #expect(try world.effects().captures == 1)
  }

  @Test("a look-up that lags by two minutes: not-found is no answer, reconciliation finds the money, one charge")
  func lag() throws {
    let world = try StageWorld { settings in settings.sandbox.lookUpLag = .seconds(120) }
    let request = world.send(Order(token: "pm_tok_unknown_captured"))
    #expect(world.pipeline.run(atMost: .seconds(60)) { world.row()?.custody == .reconciliation })
    #expect(world.pendingTypes() == [] || world.pendingTypes() == ["checkout.charge.unknown"])
    #expect(world.pipeline.settle(atMost: .seconds(600)))
    #expect(Set(world.pendingTypes()) == ["checkout.charge.unknown"])
    #expect(try world.answers(request) == ["checkout.completed"])
    #expect(try world.effects().captures == 1)
  }

  @Test("certainly not applied: sent again at once under the same key")
  func transient() throws {
    let world = try StageWorld()
    let request = world.send(Order(token: "pm_tok_transient_once"))
    #expect(world.pipeline.settle(atMost: .seconds(30)))
    #expect(try world.answers(request) == ["checkout.completed"])
    #expect(try world.effects().captures == 1)
  }

  // 8. Seed 88. A look-up of a charge that was refused for good said "refused"; the saga took that for a refused look-up, and
  //    looked up again for 24 hours. Nothing is there to be found, so the sandbox says so.
  @Test("the refusal's reply is lost: not found, sent again under the same key, refused, ended unpaid")
  func refused() throws {
    let world = try StageWorld { settings in settings.network = SandboxNetwork(latencyMax: .milliseconds(50)) }
    let worker = try #require(world.pipeline.workers(of: .facade).first)
    let request = world.send(Order(token: "pm_tok_refused"))
    #expect(world.pipeline.run(atMost: .seconds(10)) { (try? world.row().map(world.chargeSends)) == 1 })
    world.pipeline.kill(worker)
    try world.pipeline.start(.facade)
    #expect(world.pipeline.settle(atMost: .seconds(90)))
    #expect(try world.answers(request) == ["checkout.failed payment_refused"])
    #expect(try world.effects().openHolds == 0)
  }

  @Test("another amount than asked is refunded: exactly what was taken")
  func partial() throws {
    let world = try StageWorld()
    let request = world.send(Order(token: "pm_tok_partial_60", price: 1999))
    #expect(world.pipeline.settle(atMost: .seconds(60)))
    #expect(try world.answers(request) == ["checkout.failed amount_mismatch"])
    let effects = try world.effects()
    #expect(effects.capturedMinor == 1199)
    #expect(effects.refundedMinor == 1199)
    #expect(effects.openHolds == 0)
  }
}
