// Reference data for development from one JSON file: `{"accounts": […], "prices": […]}`.
package import CheckoutCore

/// Why a reference file cannot be used; tells a person where to look.
package struct ReferenceFileError: Error, Hashable, Sendable {
  /// JSON Pointer to the fault; empty for the whole file.
  package let path: String
  /// What is needed there.
  package let message: String
}

/// Reads reference data.
package enum ReferenceFile {
  static let accountNeeds = "needs merchant_id, account_id and status enabled or disabled"
  static let priceNeeds = "needs merchant_id, sku, currency and unit_price_minor of 0 or more"

  /// All of `bytes`; the version is `file:` and the first 16 hex digits of their SHA-256.
  package static func decode(_ bytes: [UInt8]) throws(ReferenceFileError) -> ReferenceData {
    let root: JSONValue
    do throws(JSONError) {
      root = try JSONValue(parsing: bytes[...])
    } catch {
      throw ReferenceFileError(path: "", message: error.detail)
    }
    var accounts: [AccountEntry] = []
    for (index, value) in try list(root, "accounts").enumerated() {
      guard let entry = account(value) else {
        throw ReferenceFileError(
          path: "/accounts/\(index)", message: accountNeeds)
      }
      accounts.append(entry)
    }
    var prices: [PriceEntry] = []
    for (index, value) in try list(root, "prices").enumerated() {
      guard let entry = price(value) else {
        throw ReferenceFileError(
          path: "/prices/\(index)", message: priceNeeds)
      }
      prices.append(entry)
    }
    let version = ReferenceVersion("file:" + SHA256.hex(bytes).prefix(16))
    return ReferenceData(version: version, accounts: accounts, prices: prices)
  }

  private static func list(_ root: JSONValue, _ name: String) throws(ReferenceFileError) -> [JSONValue] {
    guard let list = root[name], list.kind == .array else {
      throw ReferenceFileError(path: "/\(name)", message: "needs an array")
    }
    return list.elements
  }

  /// One account; nil if a member is missing or of another form. Also the value of a `reference.accounts` record.
  package static func account(_ value: JSONValue) -> AccountEntry? {
    guard let merchantID = value["merchant_id"]?.string, let accountID = value["account_id"]?.string,
      let status = value["status"]?.string.flatMap({ AccountStatus(rawValue: $0) })
    else { return nil }
    return AccountEntry(key: AccountKey(merchantID: merchantID, accountID: accountID), status: status)
  }

  /// One price; nil if a member is missing or of another form. Also the value of a `reference.prices` record.
  package static func price(_ value: JSONValue) -> PriceEntry? {
    guard let merchantID = value["merchant_id"]?.string, let sku = value["sku"]?.string,
      let currency = value["currency"]?.string, let price = value["unit_price_minor"]?.integer, price >= 0
    else { return nil }
    return PriceEntry(
      key: PriceKey(merchantID: merchantID, sku: sku, currency: currency), unitPriceMinor: price)
  }
}
