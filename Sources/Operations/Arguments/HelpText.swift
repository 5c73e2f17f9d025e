// The help, made from the same table the parser reads; fits 80 columns.

enum HelpText {
  private static let width = 80

  static func overview(of table: CommandTable) -> String {
    var lines = wrapped("\(table.program): \(table.summary)", indent: 0)
    lines += ["", "Usage: \(table.program) COMMAND [FLAGS]", "", "Commands:"]
    lines += aligned(table.commands.map { ($0.name, $0.summary) })
    lines += ["", "Flags of every command:"] + aligned(table.commonFlags.map { (form(of: $0), $0.help) })
    lines += ["", "More on one command: \(table.program) COMMAND --help"]
    return text(lines)
  }

  static func page(of command: CommandSpec, in table: CommandTable) -> String {
    let places = command.positionals.map { place in
      let name = place.name + (place.repeats ? "…" : "")
      return " " + (place.isRequired ? name : "[\(name)]")
    }
    var lines = wrapped("\(table.program) \(command.name): \(command.summary)", indent: 0)
    lines += ["", "Usage: \(table.program) \(command.name)\(places.joined()) [FLAGS]"]
    for paragraph in command.discussion.split(separator: "\n") where !paragraph.isEmpty {
      lines += [""] + wrapped(String(paragraph), indent: 0)
    }
    if !command.flags.isEmpty { lines += ["", "Flags:"] + aligned(command.flags.map { (form(of: $0), $0.help) }) }
    lines += ["", "Flags of every command:"] + aligned(table.commonFlags.map { (form(of: $0), $0.help) })
    if !command.examples.isEmpty { lines += ["", "Examples:"] + command.examples.map { "  " + $0 } }
    return text(lines)
  }

  private static func form(of flag: FlagSpec) -> String {
    "--\(flag.name)" + (flag.value.map { " \($0)" } ?? "") + (flag.repeats ? " …" : "")
  }

  private static func text(_ lines: [String]) -> String { lines.joined(separator: "\n") + "\n" }

  /// Two columns; a left side that is too long gets a line of its own.
  private static func aligned(_ rows: [(String, String)]) -> [String] {
    let indent = min(28, (rows.map { DisplayWidth.of($0.0) }.max() ?? 0) + 4)
    return rows.flatMap { left, right -> [String] in
      let body = wrapped(right, indent: indent)
      let used = 2 + DisplayWidth.of(left)
      guard used + 2 <= indent, let first = body.first else { return ["  " + left] + body }
      let gap = String(repeating: " ", count: indent - used)
      return ["  " + left + gap + first.dropFirst(indent)] + body.dropFirst()
    }
  }

  private static func wrapped(_ text: String, indent: Int) -> [String] {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    var current = ""
    for word in text.split(separator: " ") {
      if !current.isEmpty, indent + DisplayWidth.of(current) + 1 + DisplayWidth.of(String(word)) > width {
        lines.append(margin + current)
        current = ""
      }
      current += (current.isEmpty ? "" : " ") + word
    }
    return current.isEmpty ? lines : lines + [margin + current]
  }
}
