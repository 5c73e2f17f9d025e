// Which reference data decided.

/// The version of the account and price data a decision was made with; opaque, compared for equality only.
package struct ReferenceVersion: Hashable, Sendable {
  /// Published with each decision.
  package let text: String

  package init(_ text: String) {
    self.text = text
  }
}
