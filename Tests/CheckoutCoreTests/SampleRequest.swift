// A request that every check lets pass, to be spoilt one field at a time.

import CheckoutCore

/// Builds requests; each property starts with a value that every check accepts.
struct SampleRequest {
  var merchantID = "shop-eu"
  var checkoutID = "chk_000001"
  var idempotencyKey = "5f0c2a52-3c1e-4a0b-9a51-000000000001"
  var accountID = "acct_7781"
  var currency = "EUR"
  var lines = [
    line("1", sku: "SKU-RED-42", quantity: 2, price: 1999),
    line("2", sku: "SKU-BLU-7", quantity: 1, price: 4550),
  ]
  var discounts: [CheckoutRequest.Discount] = []
  var taxMinor: Int64 = 0
  var shippingMinor: Int64 = 490
  var expectedTotalMinor: Int64 = 9038
  var address: CheckoutRequest.Address? = address()
  var payment: CheckoutRequest.Payment? = payment()
  var requestedAt = SampleRequest.noon
  var expiresAt: Timestamp?
  var livemode = false

  /// 2026-11-30T12:00:00Z.
  static let noon = Timestamp(milliseconds: 1_796_040_000_000)

  static func line(_ id: String, sku: String, quantity: Int64, price: Int64) -> CheckoutRequest.Line {
    CheckoutRequest.Line(lineID: id, sku: sku, quantity: quantity, unitPriceMinor: price, title: nil)
  }

  static func address(
    name: String = "Ana Krüger", line1: String = "Hauptstr. 5", city: String = "Berlin",
    postalCode: String? = "10115", country: String = "DE"
  ) -> CheckoutRequest.Address {
    CheckoutRequest.Address(
      name: name, line1: line1, line2: nil, city: city, region: nil, postalCode: postalCode, country: country)
  }

  static func payment(token: String = "pm_tok_visa_ok", type: String = "card") -> CheckoutRequest.Payment {
    CheckoutRequest.Payment(methodToken: token, methodType: type, capture: .automatic)
  }

  /// One line of one piece, no tax, no shipping: the total is the price.
  static func single(price: Int64, currency: String = "EUR") -> SampleRequest {
    var sample = SampleRequest()
    sample.currency = currency
    sample.lines = [line("1", sku: "SKU-RED-42", quantity: 1, price: price)]
    sample.shippingMinor = 0
    sample.expectedTotalMinor = price
    return sample
  }

  var request: CheckoutRequest {
    CheckoutRequest(
      identity: AttemptIdentity(merchantID: merchantID, checkoutID: checkoutID, idempotencyKey: idempotencyKey),
      accountID: accountID, email: "ana@example.com", locale: "de-DE", currency: currency, lines: lines,
      discounts: discounts, taxMinor: taxMinor, shippingMinor: shippingMinor, expectedTotalMinor: expectedTotalMinor,
      shippingAddress: address, payment: payment, requestedAt: requestedAt, expiresAt: expiresAt, livemode: livemode)
  }
}

extension ReferenceData {
  /// The accounts and prices that `SampleRequest` is right about.
  static let sample = ReferenceData(
    version: ReferenceVersion("test-1"),
    accounts: [
      AccountEntry(key: AccountKey(merchantID: "shop-eu", accountID: "acct_7781"), status: .enabled),
      AccountEntry(key: AccountKey(merchantID: "shop-eu", accountID: "acct_0666"), status: .disabled),
    ],
    prices: [
      PriceEntry(key: PriceKey(merchantID: "shop-eu", sku: "SKU-RED-42", currency: "EUR"), unitPriceMinor: 1999),
      PriceEntry(key: PriceKey(merchantID: "shop-eu", sku: "SKU-BLU-7", currency: "EUR"), unitPriceMinor: 4550),
    ])
}

extension CheckContext {
  /// Noon, with the sample's reference data.
  static let sample = CheckContext(now: SampleRequest.noon, reference: .sample)
}

extension Check {
  /// What the check says of a sample at noon.
  func examine(_ sample: SampleRequest) -> CheckResult { examine(sample.request, in: .sample) }

  /// The refusal's code, path and basis as one line; nil if the check passed or needs data.
  func complaint(_ sample: SampleRequest, in context: CheckContext = .sample) -> String? {
    guard case .refused(let refusal, let basis) = examine(sample.request, in: context) else { return nil }
    return "\(refusal.code.rawValue) \(refusal.path) \(basis)"
  }
}
