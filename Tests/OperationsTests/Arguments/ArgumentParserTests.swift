// Tests of the command line: what is understood, and what a wrong one is told.

import Testing

@testable import Operations

@Suite("Command line")
struct ArgumentParserTests {
  private let parser = ArgumentParser(
    CommandTable(
      program: "checkout", summary: "checkout workers",
      commands: [
        CommandSpec(
          "run", summary: "run the workers", flags: [FlagSpec("stage", value: "STAGE", help: "Which stage.")],
          examples: ["checkout run --stage all   # everything"]),
        CommandSpec(
          "submit", summary: "publish requests", positionals: [PositionalSpec("FILE")],
          flags: [FlagSpec("wait", help: "Wait for each outcome.")]),
        CommandSpec("dead-letters list", summary: "list dead letters"),
        CommandSpec(
          "dead-letters show", summary: "show some",
          positionals: [PositionalSpec("ID", isRequired: false, repeats: true)]),
      ],
      commonFlags: [
        FlagSpec("brokers", value: "HOST:PORT,…", help: "Kafka."),
        FlagSpec("set", value: "section.key=value", repeats: true, help: "Any setting."),
      ]))

  private func command(_ arguments: String...) throws -> ParsedCommand {
    guard case .command(let command) = try parser.parse(arguments) else {
      throw Problem.usage("it was help")
    }
    return command
  }

  private func complaint(_ arguments: String...) -> Problem? {
    do {
      _ = try parser.parse(arguments)
      return nil
    } catch {
      return error
    }
  }

  @Test("flags with values in both forms, switches and positionals in any order")
  func forms() throws {
    let run = try command("run", "--stage", "all", "--brokers=a:1,b:2")
    #expect(run.name == "run")
    #expect(run.value("stage") == "all")
    #expect(run.value("brokers") == "a:1,b:2")
    #expect(run.value("set") == nil)
    let submit = try command("submit", "--wait", "requests.ndjson")
    #expect(submit.has("wait"))
    #expect(!submit.has("brokers"))
    #expect(submit.positionals == ["requests.ndjson"])
  }

  @Test("a repeated flag keeps all its values in order, equals signs and all")
  func repeated() throws {
    #expect(try command("run", "--set", "a.b=1", "--set=c.d=2").values("set") == ["a.b=1", "c.d=2"])
  }

  @Test("a command of two words wins over nothing")
  func twoWords() throws {
    let show = try command("dead-letters", "show", "1", "2")
    #expect(show.name == "dead-letters show")
    #expect(show.positionals == ["1", "2"])
  }

  @Test("- is standard input, and after -- nothing is a flag")
  func dashes() throws {
    #expect(try command("submit", "-").positionals == ["-"])
    #expect(try command("submit", "--", "--odd-name").positionals == ["--odd-name"])
  }

  @Test("a value may be a negative number but no flag")
  func negative() throws {
    #expect(try command("run", "--stage", "-5").value("stage") == "-5")
    #expect(complaint("run", "--stage", "--brokers", "a:1")?.what == "--stage needs a value: --stage STAGE")
  }

  @Test("mistyped names are told what was meant")
  func suggestions() {
    #expect(complaint("rnu")?.what == "unknown command rnu; did you mean run?")
    #expect(complaint("run", "--broker", "a:1")?.what == "run has no flag --broker; did you mean --brokers?")
    #expect(complaint("run", "--xyzzy")?.what == "run has no flag --xyzzy")
    #expect(complaint("rnu")?.exitCode == .usage)
    #expect(complaint("run", "--xyzzy")?.remedy == "see: checkout run --help")
  }

  @Test("what is missing or too much is named")
  func missing() {
    #expect(complaint("submit")?.what == "submit needs FILE")
    #expect(complaint("submit", "a", "b")?.what == "submit does not know what to do with b")
    #expect(complaint("dead-letters")?.what == "dead-letters needs one of: list, show")
    #expect(complaint("dead-letters", "lst")?.what == "dead-letters has no lst; did you mean list?")
    #expect(complaint("dead-letters", "xyzzy")?.what == "dead-letters has no xyzzy; there is: list, show")
    #expect(complaint("submit", "a", "--wait=yes")?.what == "--wait takes no value")
    #expect(complaint("run", "--stage", "a", "--stage", "b")?.what == "--stage is given twice")
    #expect(complaint("--brokers", "a:1", "run")?.what == "the command comes before its flags: --brokers")
  }

  @Test("help comes for nothing, help, -h and --help, of a command and of all")
  func help() throws {
    for arguments in [[], ["help"], ["-h"], ["--help"]] {
      guard case .help(let text) = try parser.parse(arguments) else {
        Issue.record("no help for \(arguments)")
        continue
      }
      #expect(text.hasPrefix("checkout: checkout workers\n"))
    }
    for arguments in [["run", "--help"], ["help", "run"], ["run", "--stage", "x", "-h"]] {
      guard case .help(let text) = try parser.parse(arguments) else {
        Issue.record("no help for \(arguments)")
        continue
      }
      #expect(text.contains("Usage: checkout run [FLAGS]\n"))
      #expect(text.contains("  checkout run --stage all   # everything\n"))
    }
  }

  @Test("help fits eighty columns and breaks between words")
  func helpWidth() {
    let long = String(repeating: "word ", count: 60)
    let spec = CommandSpec("x", summary: long, discussion: long, flags: [FlagSpec("f", value: "V", help: long)])
    let table = CommandTable(program: "p", summary: "s", commands: [spec], commonFlags: [])
    let lines = HelpText.page(of: spec, in: table).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 80 })
    #expect(lines.contains { $0.hasPrefix("  --f V  word word") })
    #expect(lines.filter { $0.contains("word") }.allSatisfy { $0.hasSuffix("word") })
  }

  @Test("the nearest name is near, or there is none")
  func nearest() {
    let names = ["validation", "facade", "reconciliation"]
    #expect(NearestName.of("facde", among: names) == "facade")
    #expect(NearestName.of("fcaade", among: names) == "facade")
    #expect(NearestName.of("validatoin", among: names) == "validation")
    #expect(NearestName.of("x", among: names) == nil)
    #expect(NearestName.of("", among: []) == nil)
  }
}
