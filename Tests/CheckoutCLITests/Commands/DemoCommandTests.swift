// `checkout demo` as people and scripts see it.

import Foundation
import Testing

@Suite("checkout demo", .serialized, .timeLimit(.minutes(3)))
struct DemoCommandTests {
  /// The last line of `demo --json`.
  private struct Summary: Decodable {
    let requests: Int
    let outcomes: [String: Int]
    let notices: [String: Int]
    let dead_letters: Int
    let charges: Int
    let double_charges: Int
    let violations: Int
    let elapsed_ms: Int
  }

  @Test(
    "its JSON ends with the sum of it all, whichever way validation works", arguments: ["fail_fast", "collect_all"])
  func json(mode: String) throws {
    let demo = try Project.checkout(["demo", "--json", "--set", "validation.mode=\(mode)"])
    #expect(demo.ending == .exit(0))
    #expect(demo.errors == "")
    let last = try #require(demo.lines.last)
    let keys = try #require(try Project.objects([last]).first).keys.sorted()
    #expect(
      keys == [
        "charges", "dead_letters", "double_charges", "elapsed_ms", "notices", "outcomes", "requests", "violations",
      ])
    let summary = try JSONDecoder().decode(Summary.self, from: Data(last.utf8))
    #expect(summary.requests == summary.outcomes.values.reduce(0, +) + summary.dead_letters)
    #expect(summary.requests == 78)
    #expect(summary.outcomes["checkout.completed"] == 23)
    #expect(summary.dead_letters == 12)
    #expect(summary.notices == ["checkout.receipt_pending": 1])
    #expect(summary.charges == 21)
    #expect(summary.double_charges == 0)
    #expect(summary.violations == 0)
    #expect(summary.elapsed_ms > 0)
    #expect(try Project.objects(demo.lines.dropLast().map { $0 }).count == 78 + 1)
  }

  @Test("a person sees a row for each sample, in 80 columns, in colour, and the last line says that all is well")
  func terminal() throws {
    let shown = try inTerminal(["demo"])
    #expect(shown.ending == .exit(0))
    #expect(shown.output.contains("\u{1B}["))
    let lines = plain(shown.output)
    #expect(lines.filter { $0.count > 80 } == [])
    let rows = lines.filter { $0.drop { $0 == " " }.first?.isNumber == true && $0.contains(".") && $0.count > 40 }
    let titles = ["completed", "rejected", "failed", "cancelled", "parked", "dead letter", "receipt_pending"]
    #expect(rows.filter { row in titles.contains { row.contains("  \($0) ") } }.count == 78 + 1)
    for checkout in try Project.objects(try Project.lines("samples/expected.ndjson")).compactMap({
      $0["checkout_id"] as? String
    }) {
      #expect(rows.contains { $0.contains(checkout.prefix(15)) }, "\(checkout) has no row")
    }
    #expect(try #require(lines.last).hasPrefix("all 78 requests ended as they must in "))
  }

  @Test("there are no colours with NO_COLOR, and none in a pipe")
  func withoutColour() throws {
    let shown = try inTerminal(["demo"], environment: ["NO_COLOR": "1"])
    #expect(shown.ending == .exit(0))
    #expect(!shown.output.contains("\u{1B}"))
    let piped = try Project.checkout(["demo"])
    #expect(piped.ending == .exit(0))
    #expect(!piped.output.contains("\u{1B}"))
    #expect(try #require(piped.lines.last).hasPrefix("all 78 requests ended as they must in "))
  }

  private func inTerminal(_ arguments: [String], environment: [String: String] = [:]) throws -> Finished {
    let script = Project.root.appending(path: "Tests/Scripts/in_terminal.py").path
    return try RunningProgram(
      OtherClients.python, [script, try Project.program()] + arguments,
      environment: ["TERM": "xterm"].merging(environment) { _, own in own }
    ).finish()
  }

  /// Lines as a person reads them: without colours.
  private func plain(_ shown: String) -> [String] {
    shown.replacing(/\u{1B}\[[0-9;]*m/, with: "").split(whereSeparator: \.isNewline).map(String.init)
  }
}
