// How a journal's tables stand beside what this release needs.

/// What `checkout migrate` found.
package enum MigrationState: Hashable, Sendable {
  /// There is no journal.
  case missing
  /// The journal has an older version.
  case older(Int)
  /// The journal is of this release.
  case current
  /// The journal was made by a newer release.
  case newer(Int)

  /// The state of a journal with version `found` (nil: there is none) where `needed` is needed.
  package init(found: Int?, needed: Int) {
    guard let found else {
      self = .missing
      return
    }
    self = found == needed ? .current : found < needed ? .older(found) : .newer(found)
  }
}
