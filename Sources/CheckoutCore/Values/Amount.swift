// Money: an integer of minor units and its currency; no floating point anywhere.

/// An amount of money in minor units of one currency (JPY 500 is 500 yen, EUR 500 is five euro).
package struct Amount: Hashable, Sendable {
  /// Minor units, by the exponent of `currency`.
  package let minor: Int64
  /// What the minor units are units of.
  package let currency: Currency

  /// `minor` units of `currency`.
  package init(minor: Int64, currency: Currency) {
    self.minor = minor
    self.currency = currency
  }

  /// True when nothing has to be paid.
  package var isZero: Bool { minor == 0 }

  /// Why a calculation has no result.
  package enum Fault: Error, Hashable, Sendable {
    /// The result does not fit into 64 bits.
    case overflow
    /// The two amounts are of different currencies.
    case currencyMismatch
  }

  /// The sum of both, or why there is none; never traps.
  package func adding(_ other: Amount) -> Result<Amount, Fault> {
    combined(with: other) { $0.addingReportingOverflow($1) }
  }

  /// What is left when `other` is taken off (may be negative), or why there is no result; never traps.
  package func subtracting(_ other: Amount) -> Result<Amount, Fault> {
    combined(with: other) { $0.subtractingReportingOverflow($1) }
  }

  /// `quantity` times the amount, or why there is no result; never traps.
  package func multiplied(by quantity: Int64) -> Result<Amount, Fault> {
    let (product, overflow) = minor.multipliedReportingOverflow(by: quantity)
    return overflow ? .failure(.overflow) : .success(Amount(minor: product, currency: currency))
  }

  private func combined(
    with other: Amount, _ operation: (Int64, Int64) -> (partialValue: Int64, overflow: Bool)
  ) -> Result<Amount, Fault> {
    guard currency == other.currency else { return .failure(.currencyMismatch) }
    let (value, overflow) = operation(minor, other.minor)
    return overflow ? .failure(.overflow) : .success(Amount(minor: value, currency: currency))
  }
}
