// The peer: the same request and the same event as plain Codable structs, as an application would write them.

struct CodableRequest: Codable {
  struct Item: Codable {
    let lineID: String
    let sku: String
    let quantity: Int64
    let unitPriceMinor: Int64
    let title: String?

    enum CodingKeys: String, CodingKey {
      case lineID = "line_id"
      case sku, quantity, title
      case unitPriceMinor = "unit_price_minor"
    }
  }

  struct Discount: Codable {
    let code: String
    let amountMinor: Int64

    enum CodingKeys: String, CodingKey {
      case code
      case amountMinor = "amount_minor"
    }
  }

  struct Address: Codable {
    let name: String
    let line1: String
    let line2: String?
    let city: String
    let region: String?
    let postalCode: String?
    let country: String

    enum CodingKeys: String, CodingKey {
      case name, line1, line2, city, region, country
      case postalCode = "postal_code"
    }
  }

  struct Payment: Codable {
    let methodToken: String
    let methodType: String
    let capture: String

    enum CodingKeys: String, CodingKey {
      case methodToken = "method_token"
      case methodType = "method_type"
      case capture
    }
  }

  let schemaVersion: Int
  let checkoutID: String
  let idempotencyKey: String
  let merchantID: String
  let accountID: String
  let email: String?
  let locale: String?
  let currency: String
  let items: [Item]
  let discounts: [Discount]?
  let taxMinor: Int64
  let shippingMinor: Int64
  let expectedTotalMinor: Int64
  let shippingAddress: Address?
  let payment: Payment?
  let requestedAt: String
  let expiresAt: String?
  let livemode: Bool

  enum CodingKeys: String, CodingKey {
    case schemaVersion = "schema_version"
    case checkoutID = "checkout_id"
    case idempotencyKey = "idempotency_key"
    case merchantID = "merchant_id"
    case accountID = "account_id"
    case email, locale, currency, items, discounts, payment, livemode
    case taxMinor = "tax_minor"
    case shippingMinor = "shipping_minor"
    case expectedTotalMinor = "expected_total_minor"
    case shippingAddress = "shipping_address"
    case requestedAt = "requested_at"
    case expiresAt = "expires_at"
  }
}

struct CodableValidated: Codable {
  let schemaVersion: Int
  let checkoutID: String
  let merchantID: String
  let idempotencyKey: String
  let fingerprint: String
  let decidedAt: String
  let referenceVersion: String
  let request: CodableRequest

  enum CodingKeys: String, CodingKey {
    case schemaVersion = "schema_version"
    case checkoutID = "checkout_id"
    case merchantID = "merchant_id"
    case idempotencyKey = "idempotency_key"
    case fingerprint, request
    case decidedAt = "decided_at"
    case referenceVersion = "reference_version"
  }
}
