// The journal opened for reading, as the settings name it.

import CheckoutCore
import Operations

extension Services {
  /// A reader of the journal in force; the journal must exist.
  static func openReader(_ context: CommandContext) throws(Problem) -> any JournalReader {
    try JournalLocation(context.settings).openForReading(context)
  }
}

extension Problem {
  /// A read that failed.
  init(_ problem: JournalReadProblem) { self = .environment("the journal cannot be read: \(problem.description)") }
}

extension CommandContext {
  /// The time by the wall clock.
  var now: Timestamp { Timestamp(nanoseconds: clock.wallNanoseconds()) }

  /// A flag's value as a duration; nil: not given.
  func duration(ofFlag flag: String) throws(Problem) -> TimeSpan? {
    guard let text = command.value(flag) else { return nil }
    guard let nanoseconds = SettingParser.duration(text) else {
      throw .usage("--\(flag) \(text) is not a duration", remedy: "write it like 30s, 5m or 2h")
    }
    return TimeSpan(nanoseconds: nanoseconds)
  }
}
