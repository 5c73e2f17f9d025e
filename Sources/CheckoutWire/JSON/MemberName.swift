// The names of members that the pipeline reads, each with a number, so that a parsed text can be asked by number.

/// A member the pipeline reads. Cases stand in the order of their texts, which is that of RFC 8785 too; the raw value is
/// the number that a parse gives to members of this name.
package enum MemberName: UInt8, CaseIterable, Sendable {
  case accountID = 1
  case amountMinor
  case capture
  case checkoutID
  case city
  case clientContext
  case code
  case country
  case currency
  case decidedAt
  case discounts
  case email
  case expectedTotalMinor
  case expiresAt
  case fingerprint
  case idempotencyKey
  case items
  case line1
  case line2
  case lineID
  case livemode
  case locale
  case merchantID
  case metadata
  case methodToken
  case methodType
  case name
  case payment
  case postalCode
  case quantity
  case reason
  case referenceVersion
  case region
  case request
  case requestedAt
  case schemaVersion
  case shippingAddress
  case shippingMinor
  case sku
  case taxMinor
  case title
  case type
  case unitPriceMinor

  /// As it is written.
  package var text: StaticString {
    switch self {
    case .accountID: "account_id"
    case .amountMinor: "amount_minor"
    case .capture: "capture"
    case .checkoutID: "checkout_id"
    case .city: "city"
    case .clientContext: "client_context"
    case .code: "code"
    case .country: "country"
    case .currency: "currency"
    case .decidedAt: "decided_at"
    case .discounts: "discounts"
    case .email: "email"
    case .expectedTotalMinor: "expected_total_minor"
    case .expiresAt: "expires_at"
    case .fingerprint: "fingerprint"
    case .idempotencyKey: "idempotency_key"
    case .items: "items"
    case .line1: "line1"
    case .line2: "line2"
    case .lineID: "line_id"
    case .livemode: "livemode"
    case .locale: "locale"
    case .merchantID: "merchant_id"
    case .metadata: "metadata"
    case .methodToken: "method_token"
    case .methodType: "method_type"
    case .name: "name"
    case .payment: "payment"
    case .postalCode: "postal_code"
    case .quantity: "quantity"
    case .reason: "reason"
    case .referenceVersion: "reference_version"
    case .region: "region"
    case .request: "request"
    case .requestedAt: "requested_at"
    case .schemaVersion: "schema_version"
    case .shippingAddress: "shipping_address"
    case .shippingMinor: "shipping_minor"
    case .sku: "sku"
    case .taxMinor: "tax_minor"
    case .title: "title"
    case .type: "type"
    case .unitPriceMinor: "unit_price_minor"
    }
  }
}

/// Some of the names.
package struct MemberNames: Hashable, Sendable {
  /// One bit for each, at its number.
  let bits: UInt64

  /// The names given.
  package init(_ names: MemberName...) {
    bits = names.reduce(0) { $0 | 1 << UInt64($1.rawValue) }
  }
}
