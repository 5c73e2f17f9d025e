// Reads a command line by a table of commands. Wrong ones end in one line that says what would be right.

/// What a command line asks for.
package enum ParsedArguments: Hashable, Sendable {
  /// Run this command.
  case command(ParsedCommand)
  /// Print this text on standard output and exit 0.
  case help(String)
}

/// Reads arguments; keeps nothing between calls.
package struct ArgumentParser: Sendable {
  private let table: CommandTable

  /// A parser for the commands of `table`.
  package init(_ table: CommandTable) {
    self.table = table
  }

  /// Reads the arguments after the program's name.
  ///
  /// Understood: `--flag VALUE`, `--flag=VALUE`, flags anywhere after the command, `--` (only positionals follow), `-`
  /// as a positional (standard input), `-h`, `--help`, `help COMMAND`. Throws a usage problem (exit 2).
  package func parse(_ arguments: [String]) throws(Problem) -> ParsedArguments {
    var rest = arguments[...]
    if rest.first == "help" {
      rest.removeFirst()
      return .help(try help(for: Array(rest)))
    }
    guard let first = rest.first, first != "-h", first != "--help" else {
      return .help(HelpText.overview(of: table))
    }
    let command = try findCommand(&rest)
    return try parse(command, rest)
  }

  private func help(for words: [String]) throws(Problem) -> String {
    if words.isEmpty { return HelpText.overview(of: table) }
    var rest = words[...]
    return HelpText.page(of: try findCommand(&rest), in: table)
  }

  /// Takes the command's words off `rest`; the command with the most words wins.
  private func findCommand(_ rest: inout ArraySlice<String>) throws(Problem) -> CommandSpec {
    let fitting = table.commands.filter { rest.starts(with: $0.words) }
    if let command = fitting.max(by: { $0.words.count < $1.words.count }) {
      rest.removeFirst(command.words.count)
      return command
    }
    let first = rest.first ?? ""
    let below = table.commands.filter { $0.words.count > 1 && $0.words.first == first }
    if !below.isEmpty {
      let names = below.map { $0.words.dropFirst().joined(separator: " ") }.joined(separator: ", ")
      let see = "see: \(table.program) help"
      guard let second = rest.dropFirst().first, !second.hasPrefix("-") else {
        throw .usage("\(first) needs one of: \(names)", remedy: see)
      }
      let hint = NearestName.hint(second, among: below.compactMap { $0.words.dropFirst().first })
      throw .usage("\(first) has no \(second)\(hint.isEmpty ? "; there is: \(names)" : hint)", remedy: see)
    }
    let hint = NearestName.hint(first, among: table.commands.compactMap(\.words.first))
    let what = first.hasPrefix("-") ? "the command comes before its flags: \(first)" : "unknown command \(first)\(hint)"
    throw .usage(what, remedy: "see: \(table.program) help")
  }

  private func parse(_ command: CommandSpec, _ arguments: ArraySlice<String>) throws(Problem) -> ParsedArguments {
    var positionals: [String] = []
    var flags: [String: [String]] = [:]
    var rest = arguments
    while let argument = rest.popFirst() {
      if argument == "--" {
        positionals += rest
        rest = []
      } else if argument == "-h" || argument == "--help" {
        return .help(HelpText.page(of: command, in: table))
      } else if argument.hasPrefix("-"), argument != "-", !isNegativeNumber(argument) {
        try read(argument, of: command, &rest, into: &flags)
      } else {
        positionals.append(argument)
      }
    }
    try check(positionals, of: command)
    return .command(ParsedCommand(name: command.name, positionals: positionals, flags: flags))
  }

  private func isNegativeNumber(_ argument: String) -> Bool {
    argument.dropFirst().first?.isNumber == true && !argument.hasPrefix("--")
  }

  private func read(
    _ argument: String, of command: CommandSpec, _ rest: inout ArraySlice<String>, into flags: inout [String: [String]]
  ) throws(Problem) {
    let known = command.flags + table.commonFlags
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let name = String(parts[0].drop { $0 == "-" })
    let see = "see: \(table.program) \(command.name) --help"
    guard argument.hasPrefix("--"), let flag = known.first(where: { $0.name == name }) else {
      let hint = NearestName.hint(name, among: known.map(\.name), prefix: "--")
      throw .usage("\(command.name) has no flag \(parts[0])\(hint)", remedy: see)
    }
    if flags[name] != nil, !flag.repeats, flag.value != nil { throw .usage("--\(name) is given twice", remedy: see) }
    guard let form = flag.value else {
      if parts.count > 1 { throw .usage("--\(name) takes no value", remedy: see) }
      flags[name] = []
      return
    }
    if parts.count > 1 {
      flags[name, default: []].append(parts[1])
    } else if let value = rest.first, value == "-" || !value.hasPrefix("-") || isNegativeNumber(value) {
      rest.removeFirst()
      flags[name, default: []].append(value)
    } else {
      throw .usage("--\(name) needs a value: --\(name) \(form)", remedy: see)
    }
  }

  private func check(_ positionals: [String], of command: CommandSpec) throws(Problem) {
    let see = "see: \(table.program) \(command.name) --help"
    let required = command.positionals.filter(\.isRequired)
    if positionals.count < required.count {
      let missing = required[positionals.count].name
      throw .usage("\(command.name) needs \(missing)", remedy: see)
    }
    let most = command.positionals.last?.repeats == true ? Int.max : command.positionals.count
    if positionals.count > most {
      throw .usage("\(command.name) does not know what to do with \(positionals[most])", remedy: see)
    }
  }
}
