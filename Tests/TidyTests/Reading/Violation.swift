// What a rule reports: where, and what to do about it.

/// One place that breaks a rule.
struct Violation: Hashable, CustomStringConvertible {
  let path: String
  /// Counted from 1.
  let line: Int
  /// What is wrong and what to do.
  let message: String

  var description: String { "\(path):\(line): \(message)" }
}

/// All places as one text, one a line, for a failed expectation.
func report(_ violations: [Violation]) -> String {
  "\n" + violations.map(\.description).joined(separator: "\n")
}
