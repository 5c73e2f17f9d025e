// `checkout parked` beside live workers: a person lists, looks, retries and closes what waits for them.

import Foundation
import Testing

@Suite("checkout parked", .serialized, .otherClients, .timeLimit(.minutes(3)))
struct ParkedCommandTests {
  private struct Desk {
    let pipeline: LocalPipeline
    let worker: RunningProgram

    /// A pipeline with one paid checkout whose receipt is refused for good.
    init() throws {
      pipeline = try LocalPipeline()
      worker = try pipeline.worker()
      let sample = try #require(try Project.lines("samples/requests.ndjson").first)
      let request = sample.replacingOccurrences(of: "ana@example.com", with: "receipt-permanent@example.com")
      #expect(request != sample)
      let file = try pipeline.folder.file("one.ndjson", request + "\n")
      let answers = try Project.objects(try pipeline.submit(file).lines)
      #expect(answers.first?["answer"] as? String == "checkout.parked")
    }

    func parked(_ arguments: [String], sends: Bool = false) throws -> Finished {
      let brokers = sends ? ["--brokers", pipeline.brokers] : []
      return try Project.checkout(
        ["parked"] + arguments + brokers + ["--journal", "sqlite:\(pipeline.folder.path("journal.db"))"],
        environment: ["USER": "ana"])
    }

    /// The one item on the list.
    func item() throws -> [String: Any] {
      let items = try Project.objects(try parked(["list", "--json"]).lines)
      return try #require(items.count == 1 ? items[0] : nil, "\(items)")
    }
  }

  @Test("retry goes on where it stopped, resolve closes it with evidence; both are in the history with name and note")
  func closed() throws {
    let desk = try Desk()
    let first = try desk.item()
    #expect(first["checkout_id"] as? String == "chk_000001")
    #expect(first["reason"] as? String == "receipt_refused")
    #expect(first["holds_money"] as? Bool == true)
    let table = try desk.parked(["list"])
    #expect(table.lines.count == 2)
    #expect(table.lines.allSatisfy { $0.count <= 80 })

    let retried = try desk.parked(["retry", "chk_000001", "--note", "try again", "--wait"], sends: true)
    #expect(retried.ending == .exit(0), "\(retried.errors)")
    #expect(retried.output.contains("parked again: receipt_refused"))
    let second = try desk.item()
    let version = try #require(second["row_version"] as? Int)
    #expect(version > (first["row_version"] as? Int ?? version))

    let closed = try desk.parked(
      [
        "resolve", "chk_000001", "--as", "completed", "--receipt-url", "https://shop.example/r/1", "--note",
        "sent by hand",
        "--version", "\(version)", "--wait", "--json",
      ], sends: true)
    #expect(closed.ending == .exit(0), "\(closed.errors)")
    let fate = try #require(try Project.objects(closed.lines).first)
    #expect(fate["fate"] as? String == "completed")
    #expect(try desk.parked(["list"]).output == "nothing is parked\n")
    #expect(try desk.parked(["show", "chk_000001"]).ending == .exit(1))
    try expectOutcome(desk)
    try desk.pipeline.stop([desk.worker])
  }

  /// The customer's answer comes once, with the receipt that was sent by hand; the notice came before, and again.
  private func expectOutcome(_ desk: Desk) throws {
    let outcomes = try Project.objects(
      try OtherClients.kcat(["-C", "-b", desk.pipeline.brokers, "-t", "checkout.outcomes", "-e", "-q"]))
    #expect(outcomes.count { $0["receipt_url"] as? String == "https://shop.example/r/1" } == 1)
    #expect(outcomes.count { $0["reason"] as? String == "receipt_refused" } == 2)
    #expect(outcomes.count == 3)
  }

  @Test("refused: unpaid while money is held (exit 2), another version (exit 4), no note, no such checkout")
  func refused() throws {
    let desk = try Desk()
    let held = try desk.parked(["resolve", "chk_000001", "--as", "failed", "--note", "n"], sends: true)
    #expect(held.ending == .exit(2))
    #expect(held.errors.contains("--refunded-outside ID"))
    let other = try desk.parked(["retry", "chk_000001", "--version", "2"], sends: true)
    #expect(other.ending == .exit(4))
    #expect(try desk.parked(["resolve", "chk_000001", "--as", "failed"], sends: true).ending == .exit(2))
    #expect(try desk.parked(["show", "chk_nobody"]).ending == .exit(1))
    #expect(try desk.item()["row_version"] as? Int == 4)
    try desk.pipeline.stop([desk.worker])
  }

  @Test("two people at once: one word is applied, the other ends with exit code 4")
  func overtaken() throws {
    let desk = try Desk()
    // Nobody applies anything until both have been said.
    try desk.pipeline.stop([desk.worker])
    let waits = ["--wait", "--timeout", "50s"]
    let words = try ["ana", "bob"].map { who in
      try RunningProgram(
        try Project.program(),
        ["parked", "resolve", "chk_000001", "--as", "completed", "--note", "n", "--who", who, "--brokers"]
          + [desk.pipeline.brokers, "--journal", "sqlite:\(desk.pipeline.folder.path("journal.db"))"] + waits)
    }
    _ = try OtherClients.kcat(
      ["-C", "-b", desk.pipeline.brokers, "-t", "checkout.pending", "-c", "2", "-q", "-o", "beginning"])
    let worker = try desk.pipeline.worker("reconciliation")
    let endings = try words.map { try $0.finish(withinSeconds: 55).ending }
    #expect(endings.sorted { $0.status < $1.status } == [.exit(0), .exit(4)])
    try desk.pipeline.stop([worker])
  }
}
