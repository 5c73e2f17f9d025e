// What a command line may say, as a table: the parser and the help text both read it.

/// One flag (`--name VALUE`, or a switch).
package struct FlagSpec: Hashable, Sendable {
  /// Without the dashes.
  package let name: String
  /// What the value looks like in the help, in capitals; nil: a switch without value.
  package let value: String?
  /// True: may be given more than once, and all values count.
  package let repeats: Bool
  /// One sentence for the help.
  package let help: String

  package init(_ name: String, value: String? = nil, repeats: Bool = false, help: String) {
    self.name = name
    self.value = value
    self.repeats = repeats
    self.help = help
  }
}

/// What stands without dashes after the command.
package struct PositionalSpec: Hashable, Sendable {
  /// In capitals, as the help shows it.
  package let name: String
  /// False: may be left out.
  package let isRequired: Bool
  /// True (the last one only): may be given more than once.
  package let repeats: Bool

  package init(_ name: String, isRequired: Bool = true, repeats: Bool = false) {
    self.name = name
    self.isRequired = isRequired
    self.repeats = repeats
  }
}

/// One command, for example `run` or `dead-letters list`.
package struct CommandSpec: Hashable, Sendable {
  /// The words that name it, separated by spaces.
  package let name: String
  /// One line for the list of commands.
  package let summary: String
  /// More for its own help; empty: nothing more.
  package let discussion: String
  /// In order.
  package let positionals: [PositionalSpec]
  /// Its own flags; those every command has are added by `CommandTable`.
  package let flags: [FlagSpec]
  /// Whole command lines a person could copy, each with what it does after `#`.
  package let examples: [String]

  package init(
    _ name: String, summary: String, discussion: String = "", positionals: [PositionalSpec] = [],
    flags: [FlagSpec] = [], examples: [String] = []
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.positionals = positionals
    self.flags = flags
    self.examples = examples
  }

  /// The words of the name.
  var words: [String] { name.split(separator: " ").map(String.init) }
}

/// All commands of a program.
package struct CommandTable: Hashable, Sendable {
  /// What the person types first.
  package let program: String
  /// One line on what the program is.
  package let summary: String
  /// In the order the help lists them.
  package let commands: [CommandSpec]
  /// Flags every command understands.
  package let commonFlags: [FlagSpec]

  package init(program: String, summary: String, commands: [CommandSpec], commonFlags: [FlagSpec]) {
    self.program = program
    self.summary = summary
    self.commands = commands
    self.commonFlags = commonFlags
  }
}

/// A command line that was understood.
package struct ParsedCommand: Hashable, Sendable {
  /// The command's name, as in its `CommandSpec`.
  package let name: String
  /// In the order given.
  package let positionals: [String]
  /// By flag name; switches have no values but are there.
  private let flags: [String: [String]]

  init(name: String, positionals: [String], flags: [String: [String]]) {
    self.name = name
    self.positionals = positionals
    self.flags = flags
  }

  /// True if the switch or flag was given.
  package func has(_ flag: String) -> Bool { flags[flag] != nil }

  /// The flag's value; nil: not given.
  package func value(_ flag: String) -> String? { flags[flag]?.last }

  /// All values of a repeated flag, in order.
  package func values(_ flag: String) -> [String] { flags[flag] ?? [] }
}
