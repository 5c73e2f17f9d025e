// Services that are away while reconciliation has much to do: nobody else waits for them, and they are not flooded afterwards.

import CheckoutCore
import CheckoutSandbox
import CheckoutSimulation
import CheckoutWire
import Synchronization
import Testing

@Suite("Outages")
struct OutageTests {
  private static let receipts = 400

  /// What is the matter now; changed by the test while the world runs.
  private final class Board: Sendable {
    private let outages = Mutex(SandboxOutages())
    var now: SandboxOutages { outages.withLock { $0 } }
    func set(_ text: String) throws {
      let new = try SandboxOutages(text: text)
      outages.withLock { $0 = new }
    }
  }

  /// A world whose facade has given many receipts, and behind them all one refund, to reconciliation, which is not there yet.
  private func world(_ board: Board) throws -> StageWorld {
    try board.set("receipt = down\npayment.refund = down")
    let world = try StageWorld(startingAll: false) { settings in
      settings.partitions = 1
      settings.inFlightMax = 16
      settings.heldItemsMax = 200
      settings.serviceCallsMax = 4
      settings.saga.receiptTries = 1
      settings.outages = { board.now }
    }
    try world.pipeline.start(.validation)
    try world.pipeline.start(.facade)
    for number in 0..<Self.receipts {
      world.send(Order(checkout: "chk_\(number)", key: "key-0123456789-\(number)"))
    }
    #expect(world.pipeline.run(atMost: .seconds(600)) { world.pendingTypes().count == Self.receipts })
    world.send(Order(checkout: "chk_refund", key: "key-0123456789-refund", token: "pm_tok_partial_60"))
    #expect(world.pipeline.run(atMost: .seconds(60)) { world.pendingTypes().count == Self.receipts + 1 })
    return world
  }

  // 8. Receipts that nobody answered filled what may be in flight: the refund behind 400 of them began after four minutes.
  @Test("a refund does not wait for the receipts in front of it, whose service never answers")
  func refund() throws {
    let board = Board()
    let world = try world(board)
    try board.set("receipt = silent")
    try world.pipeline.start(.reconciliation)
    #expect(world.pipeline.run(atMost: .seconds(90)) { world.hasEntry(.refunded, of: "chk_refund") })
    #expect(try world.report().receiptsOfCharge.isEmpty)
    try board.set("")
    #expect(world.pipeline.settle(atMost: .seconds(3600)))
    let report = try world.report()
    #expect(report.receiptsOfCharge.count == Self.receipts)
    #expect(report.doubleReceipted == [])
    #expect(report.doubleCharged == [])
    #expect(world.rows.allSatisfy { $0.hasEnded })
  }

  @Test("after an outage of two minutes the receipts go out at once, not when their waits are over")
  func drain() throws {
    let board = Board()
    let world = try world(board)
    try board.set("receipt = down")
    try world.pipeline.start(.reconciliation)
    world.pipeline.run(for: .seconds(120))
    #expect(try world.report().receiptsOfCharge.isEmpty)
    try board.set("")
    let all = Self.receipts
    let drained = world.pipeline.run(atMost: .seconds(60)) {
      world.pipeline.log(.outcomes).count { $0.header("ce_type") == "checkout.completed" } == all
    }
    #expect(drained)
    #expect(try world.report().doubleReceipted == [])
  }
}
