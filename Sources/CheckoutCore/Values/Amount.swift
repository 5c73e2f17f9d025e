// Money: an integer of minor units and its currency; no floating point anywhere.

/// An amount of money in minor units of one currency (JPY 500 is 500 yen, EUR 500 is five euro).
package struct Amount: Hashable, Sendable {
  /// Minor units, by the exponent of `currency`.
  package let minor: Int64
  package let currency: Currency

  package init(minor: Int64, currency: Currency) {
    self.minor = minor
    self.currency = currency
  }

  /// True when nothing has to be paid.
  package var isZero: Bool { minor == 0 }
}
