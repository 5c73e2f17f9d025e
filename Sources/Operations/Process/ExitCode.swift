// How every command ends, for scripts and for people.

/// The process's exit code; the same meaning in every command.
package enum ExitCode: Int32, Hashable, CaseIterable, Sendable {
  /// All is well.
  case ok = 0
  /// The command worked and found something wrong (a promise broken, a message refused).
  case foundWrong = 1
  /// The command line or a setting is wrong: nothing was done.
  case usage = 2
  /// The surroundings are wrong: a broker, a file, a permission, a library.
  case environment = 3
  /// Another live process has our identity, or somebody changed it first.
  case conflict = 4
}

/// An error for a person: what is wrong, and what to do about it.
package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
  /// How the process ends.
  package let exitCode: ExitCode
  /// One line, without the program's name and without a full stop.
  package let what: String
  /// What the person can do; nil: `what` says it.
  package let remedy: String?

  package init(_ exitCode: ExitCode, _ what: String, remedy: String? = nil) {
    self.exitCode = exitCode
    self.what = what
    self.remedy = remedy
  }

  /// Something around the process is wrong (exit 3).
  package static func environment(_ what: String, remedy: String? = nil) -> Problem {
    Problem(.environment, what, remedy: remedy)
  }

  /// The command line or a setting is wrong (exit 2).
  package static func usage(_ what: String, remedy: String? = nil) -> Problem { Problem(.usage, what, remedy: remedy) }

  /// Another live process is in the way (exit 4).
  package static func conflict(_ what: String, remedy: String? = nil) -> Problem {
    Problem(.conflict, what, remedy: remedy)
  }

  package var description: String { remedy.map { "\(what)\n  \($0)" } ?? what }
}
