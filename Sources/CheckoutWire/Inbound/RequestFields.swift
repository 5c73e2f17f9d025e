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
  /// The request whose members are `fields`; to be used only if there are no refusals afterwards.
  mutating func request(_ fields: JSONFields, merchantID: String, checkoutID: String) -> CheckoutRequest {
    let key = text(fields[.idempotencyKey], .idempotencyKey, .root, FieldRules.idempotencyKey)
    let accountID = text(fields[.accountID], .accountID, .root, FieldRules.accountID)
    let email = optionalText(fields[.email], .email, .root, FieldRules.email)
    let locale = optionalText(fields[.locale], .locale, .root, FieldRules.locale)
    let currency = text(fields[.currency], .currency, .root, FieldRules.currency)
    let lines = list(fields[.items], .items, isRequired: true) { $0.line($1, at: $2) }
    let discounts = list(fields[.discounts], .discounts, isRequired: false) { $0.discount($1, at: $2) }
    let tax = integer(fields[.taxMinor], .taxMinor, .root)
    let shipping = integer(fields[.shippingMinor], .shippingMinor, .root)
    let total = integer(fields[.expectedTotalMinor], .expectedTotalMinor, .root)
    let address = address(fields[.shippingAddress])
    let payment = payment(fields[.payment])
    let requestedAt = time(fields[.requestedAt], .requestedAt, .root)
    let expiresAt = present(fields[.expiresAt]).map { time($0, .expiresAt, .root) }
    let livemode = bool(fields[.livemode], .livemode, .root)
    context(fields[.clientContext], .clientContext)
    context(fields[.metadata], .metadata)
    return CheckoutRequest(
      identity: AttemptIdentity(merchantID: merchantID, checkoutID: checkoutID, idempotencyKey: key),
      accountID: accountID, email: email, locale: locale, currency: currency, lines: lines, discounts: discounts,
      taxMinor: tax, shippingMinor: shipping, expectedTotalMinor: total, shippingAddress: address, payment: payment,
      requestedAt: requestedAt, expiresAt: expiresAt, livemode: livemode)
  }

  private mutating func list<Element>(
    _ node: JSONNode?, _ name: MemberName, isRequired: Bool,
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
        refuse(.malformedField, "/\(name.text)/\(index)", "Expected an object.")
      }
    }
    return result
  }

  private mutating func line(_ object: JSONNode, at index: Int) -> CheckoutRequest.Line {
    let fields = document.fields(object)
    return CheckoutRequest.Line(
      lineID: text(fields[.lineID], .lineID, .item(index), FieldRules.lineID),
      sku: text(fields[.sku], .sku, .item(index), FieldRules.sku),
      quantity: integer(fields[.quantity], .quantity, .item(index)),
      unitPriceMinor: integer(fields[.unitPriceMinor], .unitPriceMinor, .item(index)),
      title: optionalText(fields[.title], .title, .item(index), FieldRules.title))
  }

  private mutating func discount(_ object: JSONNode, at index: Int) -> CheckoutRequest.Discount {
    let fields = document.fields(object)
    return CheckoutRequest.Discount(
      code: text(fields[.code], .code, .discount(index), FieldRules.discountCode),
      amountMinor: integer(fields[.amountMinor], .amountMinor, .discount(index)))
  }

  // Absent or null is left to the address check.
  private mutating func address(_ node: JSONNode?) -> CheckoutRequest.Address? {
    guard let node = present(node) else { return nil }
    guard document.kind(node) == .object else {
      malformed(.shippingAddress, .root, "Expected an object.")
      return nil
    }
    let fields = document.fields(node)
    return CheckoutRequest.Address(
      name: text(fields[.name], .name, .address, FieldRules.addressLine),
      line1: text(fields[.line1], .line1, .address, FieldRules.addressLine),
      line2: optionalText(fields[.line2], .line2, .address, FieldRules.addressLine),
      city: text(fields[.city], .city, .address, FieldRules.addressLine),
      region: optionalText(fields[.region], .region, .address, FieldRules.addressLine),
      postalCode: optionalText(fields[.postalCode], .postalCode, .address, FieldRules.postalCode),
      country: text(fields[.country], .country, .address, FieldRules.country))
  }

  // Absent or null is left to the payment method check.
  private mutating func payment(_ node: JSONNode?) -> CheckoutRequest.Payment? {
    guard let node = present(node) else { return nil }
    guard document.kind(node) == .object else {
      malformed(.payment, .root, "Expected an object.")
      return nil
    }
    let fields = document.fields(node)
    return CheckoutRequest.Payment(
      methodToken: text(fields[.methodToken], .methodToken, .payment, FieldRules.methodToken),
      methodType: text(fields[.methodType], .methodType, .payment, FieldRules.methodType),
      capture: capture(fields[.capture]))
  }

  private mutating func capture(_ node: JSONNode?) -> CheckoutRequest.Capture {
    guard let node else {
      missing(.capture, .payment)
      return .automatic
    }
    if document.isString(node, "automatic") { return .automatic }
    if document.isString(node, "manual") { return .manual }
    malformed(.capture, .payment, "Expected \"automatic\" or \"manual\".")
    return .automatic
  }

  /// The cancellation whose members are `fields`; to be used only if there are no refusals afterwards.
  mutating func cancel(_ fields: JSONFields, merchantID: String, checkoutID: String) -> CancelRequest {
    CancelRequest(
      checkout: CheckoutKey(merchantID: merchantID, checkoutID: checkoutID),
      reason: text(fields[.reason], .reason, .root, FieldRules.cancelReason),
      requestedAt: time(fields[.requestedAt], .requestedAt, .root),
      livemode: bool(fields[.livemode], .livemode, .root))
  }
}
