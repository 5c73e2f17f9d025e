// The fields of `checkout.requested`, in the order of the design: shapes and lengths here, ranges in the checks.
import CheckoutCore

/// Lengths and characters of all text fields.
enum FieldRules {
  static let checkoutID = TextRule(1...128, .printableASCII)
  static let merchantID = TextRule(1...64, .noControls)
  static let accountID = TextRule(1...128, .noControls)
  static let idempotencyKey = TextRule(16...255, .noControls)
  static let email = TextRule(0...320)
  static let locale = TextRule(1...64, .languageTag)
  /// Which currencies there are is for the money check.
  static let currency = TextRule(0...64)
  static let lineID = TextRule(1...64, .noControls)
  static let sku = TextRule(1...64, .noControls)
  static let title = TextRule(0...512)
  static let discountCode = TextRule(1...64, .noControls)
  /// Empty parts of an address are for the address check.
  static let addressLine = TextRule(0...256)
  static let postalCode = TextRule(0...64)
  static let country = TextRule(0...64)
  /// An empty method is for the payment method check.
  static let methodToken = TextRule(0...512)
  static let methodType = TextRule(0...64)
  static let cancelReason = TextRule(0...512)
  /// `metadata` and `client_context`.
  static let contextMembersMax = 100
  static let contextStringBytesMax = 16_384
}

extension FieldReader {
  /// The request in `object`; to be used only if there are no refusals afterwards.
  mutating func request(_ object: JSONNode, merchantID: String, checkoutID: String) -> CheckoutRequest {
    var fields = document.lookup(object)
    let key = text(fields.find("idempotency_key"), "idempotency_key", .root, FieldRules.idempotencyKey)
    let accountID = text(fields.find("account_id"), "account_id", .root, FieldRules.accountID)
    let email = optionalText(fields.find("email"), "email", .root, FieldRules.email)
    let locale = optionalText(fields.find("locale"), "locale", .root, FieldRules.locale)
    let currency = text(fields.find("currency"), "currency", .root, FieldRules.currency)
    let lines = list(fields.find("items"), "items", isRequired: true) { $0.line($1, at: $2) }
    let discounts = list(fields.find("discounts"), "discounts", isRequired: false) { $0.discount($1, at: $2) }
    let tax = integer(fields.find("tax_minor"), "tax_minor", .root)
    let shipping = integer(fields.find("shipping_minor"), "shipping_minor", .root)
    let total = integer(fields.find("expected_total_minor"), "expected_total_minor", .root)
    let address = address(fields.find("shipping_address"))
    let payment = payment(fields.find("payment"))
    let requestedAt = time(fields.find("requested_at"), "requested_at", .root)
    let expiresAt = present(fields.find("expires_at")).map { time($0, "expires_at", .root) }
    let livemode = bool(fields.find("livemode"), "livemode", .root)
    context(fields.find("client_context"), "client_context")
    context(fields.find("metadata"), "metadata")
    return CheckoutRequest(
      identity: AttemptIdentity(merchantID: merchantID, checkoutID: checkoutID, idempotencyKey: key),
      accountID: accountID, email: email, locale: locale, currency: currency, lines: lines, discounts: discounts,
      taxMinor: tax, shippingMinor: shipping, expectedTotalMinor: total, shippingAddress: address, payment: payment,
      requestedAt: requestedAt, expiresAt: expiresAt, livemode: livemode)
  }

  private mutating func list<Element>(
    _ node: JSONNode?, _ name: String, isRequired: Bool,
    element: (inout FieldReader, JSONNode, Int) -> Element
  ) -> [Element] {
    guard let node = isRequired ? node : present(node) else {
      if isRequired { missing(name, .root) }
      return []
    }
    guard document.kind(node) == .array else {
      malformed(name, .root, "Expected an array.")
      return []
    }
    var result: [Element] = []
    result.reserveCapacity(document.count(node))
    for (index, child) in document.elements(node).enumerated() {
      if document.kind(child) == .object {
        result.append(element(&self, child, index))
      } else {
        refuse(.malformedField, "/\(name)/\(index)", "Expected an object.")
      }
    }
    return result
  }

  private mutating func line(_ object: JSONNode, at index: Int) -> CheckoutRequest.Line {
    var fields = document.lookup(object)
    return CheckoutRequest.Line(
      lineID: text(fields.find("line_id"), "line_id", .item(index), FieldRules.lineID),
      sku: text(fields.find("sku"), "sku", .item(index), FieldRules.sku),
      quantity: integer(fields.find("quantity"), "quantity", .item(index)),
      unitPriceMinor: integer(fields.find("unit_price_minor"), "unit_price_minor", .item(index)),
      title: optionalText(fields.find("title"), "title", .item(index), FieldRules.title))
  }

  private mutating func discount(_ object: JSONNode, at index: Int) -> CheckoutRequest.Discount {
    var fields = document.lookup(object)
    return CheckoutRequest.Discount(
      code: text(fields.find("code"), "code", .discount(index), FieldRules.discountCode),
      amountMinor: integer(fields.find("amount_minor"), "amount_minor", .discount(index)))
  }

  // Absent or null is left to the address check.
  private mutating func address(_ node: JSONNode?) -> CheckoutRequest.Address? {
    guard let node = present(node) else { return nil }
    guard document.kind(node) == .object else {
      malformed("shipping_address", .root, "Expected an object.")
      return nil
    }
    var fields = document.lookup(node)
    return CheckoutRequest.Address(
      name: text(fields.find("name"), "name", .address, FieldRules.addressLine),
      line1: text(fields.find("line1"), "line1", .address, FieldRules.addressLine),
      line2: optionalText(fields.find("line2"), "line2", .address, FieldRules.addressLine),
      city: text(fields.find("city"), "city", .address, FieldRules.addressLine),
      region: optionalText(fields.find("region"), "region", .address, FieldRules.addressLine),
      postalCode: optionalText(fields.find("postal_code"), "postal_code", .address, FieldRules.postalCode),
      country: text(fields.find("country"), "country", .address, FieldRules.country))
  }

  // Absent or null is left to the payment method check.
  private mutating func payment(_ node: JSONNode?) -> CheckoutRequest.Payment? {
    guard let node = present(node) else { return nil }
    guard document.kind(node) == .object else {
      malformed("payment", .root, "Expected an object.")
      return nil
    }
    var fields = document.lookup(node)
    return CheckoutRequest.Payment(
      methodToken: text(fields.find("method_token"), "method_token", .payment, FieldRules.methodToken),
      methodType: text(fields.find("method_type"), "method_type", .payment, FieldRules.methodType),
      capture: capture(fields.find("capture")))
  }

  private mutating func capture(_ node: JSONNode?) -> CheckoutRequest.Capture {
    guard let node else {
      missing("capture", .payment)
      return .automatic
    }
    if document.isString(node, "automatic") { return .automatic }
    if document.isString(node, "manual") { return .manual }
    malformed("capture", .payment, "Expected \"automatic\" or \"manual\".")
    return .automatic
  }

  /// The cancellation in `object`; to be used only if there are no refusals afterwards.
  mutating func cancel(_ object: JSONNode, merchantID: String, checkoutID: String) -> CancelRequest {
    var fields = document.lookup(object)
    return CancelRequest(
      checkout: CheckoutKey(merchantID: merchantID, checkoutID: checkoutID),
      reason: text(fields.find("reason"), "reason", .root, FieldRules.cancelReason),
      requestedAt: time(fields.find("requested_at"), "requested_at", .root),
      livemode: bool(fields.find("livemode"), "livemode", .root))
  }
}
