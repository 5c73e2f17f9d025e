// The help of every command, and that its examples are command lines the program takes.

import Foundation
import Testing

@Suite("checkout help")
struct HelpTests {
  private static let commands = [
    "demo", "run", "submit", "parked list", "parked show", "parked retry", "parked resolve", "dead-letters list",
    "dead-letters show", "dead-letters redrive", "verify", "simulate", "broker", "topics create", "topics check",
    "migrate", "journal purge", "config",
  ]

  @Test("the overview names every command and fits 80 columns")
  func overview() throws {
    let help = try Project.checkout(["help"])
    #expect(help.ending == .exit(0))
    #expect(help.lines.filter { $0.count > 80 } == [])
    let start = try #require(help.lines.firstIndex(of: "Commands:"))
    let rest = help.lines[(start + 1)...].prefix { $0.hasPrefix("  ") }
    let names = rest.filter { !$0.hasPrefix("   ") }.map { line in
      line.dropFirst(2).components(separatedBy: "  ")[0]
    }
    #expect(names == Self.commands)
    #expect(try Project.checkout(["--help"]).output == help.output)
  }

  @Test("each page fits 80 columns, and its examples are read without complaint", arguments: commands)
  func page(command: String) throws {
    let words = command.split(separator: " ").map(String.init)
    let help = try Project.checkout(words + ["--help"])
    #expect(help.ending == .exit(0))
    #expect(help.errors == "")
    #expect(help.lines.filter { $0.count > 80 } == [])
    let start = try #require(help.lines.firstIndex(of: "Examples:"))
    let examples = help.lines[(start + 1)...].joined(separator: "\n").replacing("\\\n", with: " ")
      .split(separator: "\n")
    #expect(examples.count > 0)
    for example in examples {
      // Of a pipe the part that is ours; with --help at its end a command line is read to the end but not run.
      let own = try #require(example.split(separator: "|").last { $0.contains("checkout ") })
      let words = own.split(separator: " ").map(String.init)
      let program = try #require(words.firstIndex(of: "checkout"))
      let read = try Project.checkout(Array(words[(program + 1)...]) + ["--help"])
      #expect(read.ending == .exit(0), "\(example): \(read.errors)")
    }
  }
}
