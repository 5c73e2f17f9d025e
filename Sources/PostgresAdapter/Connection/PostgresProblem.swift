// What PostgreSQL can answer besides success, sorted by what the caller does about it.

/// A failed call.
package struct PostgresProblem: Error, Hashable, CustomStringConvertible {
  /// What to do now.
  package enum Kind: Hashable, Sendable {
    /// A lock, a deadlock, a serialisation failure: the same again.
    case busy
    /// The data of one row is refused: repeat without it.
    case data
    /// The connection is gone, or no longer fit for use: connect anew, then the same again.
    case lost
    /// Disk full, out of memory …: may pass; the same again later.
    case outage
    /// Connecting is refused for a reason that a person must remove.
    case refused
  }

  /// What the caller does about it.
  package let kind: Kind
  /// SQLSTATE (PostgreSQL documentation, appendix A); empty if it was libpq that failed.
  package let state: String
  /// The primary message; may name columns and constraints, never holds data of ours.
  package let message: String
  /// The constraint that was violated, if one was.
  package let constraint: String?

  init(kind: Kind, state: String, message: String, constraint: String? = nil) {
    self.kind = kind
    self.state = state
    self.message = message
    self.constraint = constraint
  }

  /// A problem told by the server.
  init(state: String, message: String, constraint: String?) {
    self.init(kind: Self.kind(of: state), state: state, message: message, constraint: constraint)
  }

  private static func kind(of state: String) -> Kind {
    switch state {
    // Serialisation, deadlock, lock time-out, cancelled by statement_timeout.
    case "40001", "40P01", "55P03", "57014": .busy
    // Read-only after a fail-over; the session sat in a transaction for too long.
    case "25006", "25P03": .lost
    default:
      switch state.prefix(2) {
      case "22", "23", "54": .data
      // Wrong password, no such role, no such database.
      case "28", "3D": .refused
      case "", "08", "57", "0A", "26", "42": .lost
      default: .outage
      }
    }
  }

  /// One line for a person.
  package var description: String { state.isEmpty ? message : "PostgreSQL error \(state): \(message)" }
}
