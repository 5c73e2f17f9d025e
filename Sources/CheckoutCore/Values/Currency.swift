// ISO 4217: the currencies and how many decimals each has.

/// A currency of the table below; there is no other way to make one.
package struct Currency: Hashable, Sendable {
  /// ISO 4217 alphabetic code, upper case.
  package let code: String
  /// Decimals of the minor unit: JPY 0, EUR 2, KWD 3.
  package let exponent: Int
}
