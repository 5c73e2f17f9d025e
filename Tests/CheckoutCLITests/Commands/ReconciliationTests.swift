// Reconciliation on real processes: outages under load with workers killed meanwhile, unknown charges, debts that wait.

import Foundation
import Testing

@Suite("Reconciliation under outages", .serialized, .otherClients, .timeLimit(.minutes(12)))
struct ReconciliationTests {
  /// The long forms take minutes: `make chaos`.
  private static let isLong = ProcessInfo.processInfo.environment["CHECKOUT_CHAOS"] != nil
  private static let rate = isLong ? 200 : 100
  private static let outageSeconds = isLong ? 120 : 10

  private func tell(_ text: String) throws { try FileHandle.standardError.write(contentsOf: Data((text + "\n").utf8)) }

  // MARK: Receipts

  @Test(
    "the receipt service is away under load and the reconciler is killed three times: each paid once, one receipt each")
  func receipts() throws {
    let pipeline = try LocalPipeline(partitions: 12)
    var workers = [try pipeline.worker("validation"), try pipeline.worker("facade")]
    var reconciler = try pipeline.worker("reconciliation")
    try pipeline.outage("receipt = down")
    let load = try RunningProgram(
      OtherClients.python,
      [
        Project.root.appending(path: "Tests/Scripts/paced_load.py").path, pipeline.brokers, "\(Self.rate)",
        "\(Self.outageSeconds)",
      ])
    for quarter in 1...3 {
      let second = max(1, Self.outageSeconds * quarter / 4)
      try load.outputLine(containing: "second \(second).", withinSeconds: Double(Self.outageSeconds) + 60)
      reconciler.kill()
      #expect(try reconciler.finish().ending == .signal(SIGKILL))
      // Half of the time the service does not even answer.
      try pipeline.outage(quarter == 2 ? "receipt = silent" : "receipt = down")
      reconciler = try pipeline.worker("reconciliation")
    }
    try load.outputLine(containing: "all sent", withinSeconds: Double(Self.outageSeconds) + 60)
    let count = Self.rate * Self.outageSeconds
    // A slow machine's facade may be behind the load: the outage lasts until every customer has been told to wait.
    let deadline = ContinuousClock.now + .seconds(Self.isLong ? 400 : 120)
    var before = try Audit.until(answered: nil, brokers: pipeline.brokers)
    while before.receipt_pending < count, ContinuousClock.now < deadline {
      before = try Audit.until(answered: nil, brokers: pipeline.brokers)
    }
    #expect(before.types["checkout.completed", default: 0] == 0)
    try pipeline.outage(nil)
    let end = ContinuousClock.now
    let all = try Audit.until(answered: count, brokers: pipeline.brokers, withinSeconds: 300)
    let drained = ContinuousClock.now - end
    try tell("receipt outage: \(count) checkouts, backlog drained within \(drained) of its end")
    #expect(all.answered == count)
    workers.append(reconciler)
    try pipeline.stop(workers)
    let audit = try Audit.until(answered: nil, brokers: pipeline.brokers, ledger: pipeline.ledger)
    #expect(audit.answered == count)
    #expect(audit.answered_twice == [])
    #expect(audit.receipt_pending == count)
    #expect(audit.receipt_pending_twice == [])
    #expect(audit.faults == [])
    #expect(audit.dead_letters == [:])
    #expect(
      audit.ledger == Audit.Ledger(charged: count, charged_twice: [], receipts: count, receipted_twice: 0))
  }

  @Test("the receipt was sent and its answer lost: asked again under the same key, one receipt")
  func lostReplies() throws {
    let pipeline = try LocalPipeline()
    try pipeline.outage("receipt = lose_replies")
    let worker = try pipeline.worker()
    try send(pipeline, 20, token: "pm_tok_visa_ok")
    try waitForLedger(pipeline, "SELECT count(*) FROM entries WHERE kind = 'receipted'", equals: "20")
    try pipeline.outage(nil)
    let audit = try conclude(pipeline, [worker], answered: 20)
    #expect(audit.types["checkout.completed"] == 20)
    #expect(audit.ledger == Audit.Ledger(charged: 20, charged_twice: [], receipts: 20, receipted_twice: 0))
    #expect(try ledger(pipeline, "SELECT min(sends) > 1 FROM keys WHERE provider_key LIKE 'ck_receipt_%'") == "1")
  }

  // MARK: Unknown charges

  @Test("a charge that nobody answers is looked up until it is captured: completed, one charge, sent once")
  func slowCharge() throws {
    let pipeline = try LocalPipeline()
    let slow = Self.isLong ? "40s" : "12s"
    let worker = try pipeline.worker("all", ["sandbox.slow_charge=\(slow)", "saga.unknown_budget=2s"])
    try send(pipeline, 5, token: "pm_tok_slow")
    let audit = try conclude(pipeline, [worker], answered: 5)
    #expect(audit.types["checkout.completed"] == 5)
    #expect(audit.types["checkout.charge.unknown", default: 0] >= 5)
    #expect(audit.ledger?.charged == 5)
    #expect(audit.ledger?.charged_twice == [])
    #expect(try chargeSends(pipeline) == "1")
  }

  @Test("not found inside the key's window: sent again under the same key, once charged")
  func notFoundInside() throws {
    let pipeline = try LocalPipeline()
    let worker = try pipeline.worker("all", ["saga.unknown_budget=10ms"])
    try send(pipeline, 5, token: "pm_tok_unknown_absent")
    let audit = try conclude(pipeline, [worker], answered: 5)
    #expect(audit.types["checkout.completed"] == 5)
    #expect(audit.ledger?.charged == 5)
    #expect(audit.ledger?.charged_twice == [])
    #expect(try chargeSends(pipeline) == "2")
  }

  @Test("not found outside the key's window: parked with what a person needs, never sent again")
  func notFoundOutside() throws {
    let pipeline = try LocalPipeline()
    let worker = try pipeline.worker("all", ["saga.unknown_budget=10ms", "sandbox.key_window=4s"])
    try send(pipeline, 3, token: "pm_tok_unknown_absent")
    let audit = try conclude(pipeline, [worker], answered: 3)
    #expect(audit.types["checkout.parked"] == 3)
    #expect(audit.ledger?.charged == 0)
    #expect(try chargeSends(pipeline) == "1")
    let items = try Project.objects(try pipeline.parked(["list", "--reason", "charge_unknown", "--json"]).lines)
    #expect(items.count == 3)
    #expect(items.allSatisfy { $0["open_obligations"] as? [String] == ["settle_charge"] })
    #expect(items.allSatisfy { $0["payment_status"] as? String == "unknown" })
  }

  // MARK: Debts

  @Test("refunds and releases are down for a while: all that is owed is done afterwards")
  func debts() throws {
    let pipeline = try LocalPipeline()
    try pipeline.outage("payment.refund = down\ninventory.release = down")
    let worker = try pipeline.worker()
    try send(pipeline, 10, token: "pm_tok_partial_60")
    try send(pipeline, 10, token: "pm_tok_declined_funds", from: 10)
    let seconds = Self.isLong ? 60 : 6
    // Both kinds are with reconciliation, and have been tried and refused there for so long.
    let started = ContinuousClock.now
    while ContinuousClock.now - started < .seconds(seconds) {
      _ = try Audit.until(answered: nil, brokers: pipeline.brokers)
    }
    #expect(try Audit.until(answered: nil, brokers: pipeline.brokers).answered == 0)
    #expect(try ledger(pipeline, "SELECT count(*) FROM entries WHERE kind IN ('refunded', 'released')") == "0")
    try pipeline.outage(nil)
    let audit = try conclude(pipeline, [worker], answered: 20)
    #expect(audit.types["checkout.failed"] == 20)
    #expect(audit.types["checkout.compensation.pending", default: 0] >= 20)
    #expect(try ledger(pipeline, "SELECT count(*) FROM entries WHERE kind = 'refunded'") == "10")
    #expect(try ledger(pipeline, "SELECT count(*) FROM entries WHERE kind = 'released'") == "20")
    #expect(try pipeline.parked(["list"]).output == "nothing is parked\n")
  }

  @Test("a refund refused for good is parked and says what a person needs; closed with evidence it is done")
  func refusedRefund() throws {
    let pipeline = try LocalPipeline()
    try pipeline.outage("payment.refund = refuse")
    let worker = try pipeline.worker()
    try send(pipeline, 1, token: "pm_tok_partial_60")
    _ = try Audit.until(answered: 1, brokers: pipeline.brokers)
    let page = try pipeline.parked(["show", "chk_load_0"]).output
    for line in ["reason       refund_refused", "service said the service refuses this", "money        owed back"] {
      #expect(page.contains(line + "\n"), "\(page)")
    }
    #expect(page.contains("still owed   refund, release"))
    #expect(page.contains("checkout parked resolve chk_load_0 --as failed --refunded-outside ID"))
    let closed = try pipeline.parked([
      "resolve", "chk_load_0", "--as", "failed", "--refunded-outside", "re_77", "--note", "refunded by hand", "--wait",
      "--brokers", pipeline.brokers,
    ])
    #expect(closed.ending == .exit(0), "\(closed.errors)")
    #expect(closed.output == "chk_load_0  failed (closed_by_person)\n")
    #expect(try ledger(pipeline, "SELECT count(*) FROM entries WHERE kind = 'released'") == "1")
    try pipeline.stop([worker])
  }

  // MARK: Means

  private func send(_ pipeline: LocalPipeline, _ count: Int, token: String, from first: Int = 0) throws {
    let lines = try Requests.keyed(first + count).dropFirst(first)
      .map { $0.replacingOccurrences(of: "pm_tok_visa_ok", with: token) }
    let file = try pipeline.folder.file("load-\(first).txt", lines.joined(separator: "\n") + "\n")
    _ = try OtherClients.kcat(["-P", "-b", pipeline.brokers, "-t", "checkout.requests", "-K", "\\t", "-l", file])
  }

  /// Waits for all answers, ends the workers, and reads everything once more.
  private func conclude(_ pipeline: LocalPipeline, _ workers: [RunningProgram], answered count: Int) throws -> Audit {
    let all = try Audit.until(answered: count, brokers: pipeline.brokers, withinSeconds: 150)
    #expect(all.answered == count)
    try pipeline.stop(workers)
    let audit = try Audit.until(answered: nil, brokers: pipeline.brokers, ledger: pipeline.ledger)
    #expect(audit.answered_twice == [])
    #expect(audit.faults == [])
    #expect(audit.dead_letters == [:])
    return audit
  }

  /// How often the charges were sent, if all were equally often.
  private func chargeSends(_ pipeline: LocalPipeline) throws -> String {
    try ledger(
      pipeline, "SELECT group_concat(DISTINCT sends) FROM keys WHERE provider_key LIKE 'ck_charge_%'")
  }

  private func ledger(_ pipeline: LocalPipeline, _ query: String) throws -> String {
    let script =
      "import sqlite3, sys; print(sqlite3.connect(sys.argv[1], timeout=10).execute(sys.argv[2]).fetchone()[0])"
    let finished = try RunningProgram(OtherClients.python, ["-c", script, pipeline.ledger, query]).finish()
    try #require(finished.ending == .exit(0), "\(finished.errors)")
    return finished.lines.first ?? ""
  }

  private func waitForLedger(_ pipeline: LocalPipeline, _ query: String, equals value: String) throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while try ledger(pipeline, query) != value, ContinuousClock.now < deadline {}
    #expect(try ledger(pipeline, query) == value)
  }
}
