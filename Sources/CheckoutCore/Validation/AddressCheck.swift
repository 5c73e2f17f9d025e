// The check `address`: can the goods be sent there?

/// `missing_address`, `invalid_postal_code`, `unsupported_country`, in this order.
///
/// A country that is not in ISO 3166-1 at all rests on the content alone; one that is only not on the configured list
/// is changeable. Lower-case country codes are refused: the field is a code, not something a customer types.
package struct AddressCheck: Check {
  /// `address` in configuration, meters and logs.
  package var name: CheckName { .address }

  private let countries: Set<String>?

  /// Delivery to `countries` (ISO 3166-1 alpha-2), or to all if nil.
  package init(countries: Set<String>?) {
    self.countries = countries
  }

  /// The first code that applies to `request`, in the order above.
  package func examine(_ request: CheckoutRequest, in context: CheckContext) -> CheckResult {
    guard let address = request.shippingAddress else {
      return Self.missing("", "The shipping address is missing.")
    }
    if Self.isBlank(address.name) { return Self.missing("/name", "The shipping address has no name.") }
    if Self.isBlank(address.line1) { return Self.missing("/line1", "The shipping address has no first line.") }
    if Self.isBlank(address.city) { return Self.missing("/city", "The shipping address has no city.") }
    if Self.isBlank(address.country) { return Self.missing("/country", "The shipping address has no country.") }
    guard let country = Country(code: address.country) else {
      return Self.unsupported("The country is not an ISO 3166-1 alpha-2 code in upper case.", .content)
    }
    let rule = country.postalCodeRule
    if let postalCode = address.postalCode, !Self.isBlank(postalCode) {
      if !rule.accepts(postalCode) {
        let message = "The postal code does not have the form that is used in the country of the address."
        return .refused(
          Refusal(.invalidPostalCode, path: "/shipping_address/postal_code", message: message), .content)
      }
    } else if rule.isRequired {
      return Self.missing("/postal_code", "The shipping address has no postal code, and its country needs one.")
    }
    if let countries, !countries.contains(country.code) {
      return Self.unsupported("Nothing is delivered to the country of the address.", .changeable)
    }
    return .passed
  }

  private static func missing(_ field: String, _ message: String) -> CheckResult {
    .refused(Refusal(.missingAddress, path: "/shipping_address\(field)", message: message), .content)
  }

  private static func unsupported(_ message: String, _ basis: RefusalBasis) -> CheckResult {
    .refused(Refusal(.unsupportedCountry, path: "/shipping_address/country", message: message), basis)
  }

  /// True if there is nothing in it but white space.
  private static func isBlank(_ text: String) -> Bool {
    // Unicode's tables are slow to ask, and almost every text starts with a visible ASCII character.
    let bytes = text.utf8.span
    if !bytes.isEmpty, bytes[0] > 0x20, bytes[0] < 0x7F { return false }
    return text.unicodeScalars.allSatisfy(\.properties.isWhitespace)
  }
}
