// `checkout verify` over the files and topics that real workers leave behind.

import Foundation
import Testing

@Suite(.otherClients)
struct VerifyCommandTests {
  private func verify(_ pipeline: LocalPipeline, _ more: [String] = []) throws -> Finished {
    try Project.checkout(
      [
        "verify", "--brokers", pipeline.brokers, "--journal", "sqlite:\(pipeline.folder.path("journal.db"))",
        "--grace", "0s",
      ] + more, withinSeconds: 60)
  }

  @Test("the samples keep every promise; without a ledger nothing can be told of money; a planted charge is found")
  func samples() throws {
    let pipeline = try LocalPipeline()
    let worker = try pipeline.worker()
    #expect(try pipeline.submit("samples/requests.ndjson").ending == .exit(0))
    try pipeline.stop([worker])
    let ledger = ["--gateways", "sandbox:\(pipeline.ledger)"]

    let clean = try verify(pipeline, ledger)
    #expect(clean.ending == .exit(0), "\(clean.lines.joined(separator: "\n"))")
    #expect(clean.lines.count == 12)
    #expect(clean.lines.dropFirst().allSatisfy { $0.contains(" clean ") })

    let untold = try verify(pipeline)
    #expect(untold.ending == .exit(3))
    #expect(untold.lines.contains { $0.contains("charged_once") && $0.contains("cannot tell") })

    let plant = """
      import sqlite3, sys
      db = sqlite3.connect(sys.argv[1])
      columns = [row[1] for row in db.execute("PRAGMA table_info(entries)") if row[5] == 0]
      picked = ", ".join("'ch_planted'" if name == "object" else name for name in columns)
      db.execute(f"INSERT INTO entries ({', '.join(columns)}) SELECT {picked} FROM entries WHERE kind = 'captured' LIMIT 1")
      db.commit()
      """
    let planted = try RunningProgram(OtherClients.python, ["-c", plant, pipeline.ledger]).finish()
    try #require(planted.ending == .exit(0), "\(planted.errors)")
    let violated = try verify(pipeline, ledger + ["--json"])
    #expect(violated.ending == .exit(1))
    #expect(violated.lines.joined().contains(#""promise":"G2","check":"charged_once""#))
  }
}
