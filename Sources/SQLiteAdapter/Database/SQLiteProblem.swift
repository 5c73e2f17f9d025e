// What SQLite can answer besides success, sorted by what the caller does about it.

/// A failed SQLite call.
package struct SQLiteProblem: Error, Hashable, CustomStringConvertible {
  /// What to do now.
  package enum Kind: Hashable, Sendable {
    /// Another connection holds the lock: wait and repeat.
    case busy
    /// The data of this one statement is refused (too big, a constraint, a wrong type): repeat without it.
    case data
    /// Not a SQLite file, or damaged: a person is needed.
    case damaged
    /// The file cannot be opened, or not be written.
    case access
    /// Disk full, I/O error, out of memory …: may pass; repeat later.
    case outage
  }

  /// What the caller does about it.
  package let kind: Kind
  /// SQLite's extended result code.
  package let code: Int32
  /// SQLite's own words; may name columns, never holds data of ours.
  package let message: String

  package init(kind: Kind, code: Int32, message: String) {
    self.kind = kind
    self.code = code
    self.message = message
  }

  /// One line for a person.
  package var description: String { "SQLite error \(code): \(message)" }
}
