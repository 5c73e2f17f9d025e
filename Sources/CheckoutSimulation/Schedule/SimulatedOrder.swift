// A checkout request in a few words, as the simulated customers send it.

package import CheckoutCore

/// What varies from request to request; the rest is always the same.
package struct SimulatedOrder: Hashable, Sendable {
  /// The order.
  package var checkout: String
  /// The attempt.
  package var key: String
  /// Decides what the payment service does.
  package var token = "pm_tok_visa_ok"
  /// Decides what the receipt service does.
  package var email = "ana@example.com"
  /// Decides what the inventory service does.
  package var sku = SimulatedShop.sku
  /// Of one piece, in minor units.
  package var price = SimulatedShop.price
  /// Pieces.
  package var quantity = 1
  /// True: authorise only.
  package var isManual = false

  /// An order of one piece that ends well.
  package init(checkout: String, key: String) {
    self.checkout = checkout
    self.key = key
  }

  /// The message's value.
  package var json: String {
    #"{"schema_version":1,"checkout_id":"\#(checkout)","idempotency_key":"\#(key)","merchant_id":"\#(SimulatedShop.merchant)","#
      + #""account_id":"\#(SimulatedShop.account)","email":"\#(email)","currency":"EUR","items":[{"line_id":"1","#
      + #""sku":"\#(sku)","quantity":\#(quantity),"unit_price_minor":\#(price)}],"tax_minor":0,"shipping_minor":0,"#
      + #""expected_total_minor":\#(price * quantity),"shipping_address":{"name":"Ana","line1":"Hauptstr. 5","#
      + #""city":"Berlin","postal_code":"10115","country":"DE"},"payment":{"method_token":"\#(token)","#
      + #""method_type":"card","capture":"\#(isManual ? "manual" : "automatic")"},"requested_at":"2026-11-30T12:00:00Z","#
      + #""livemode":false}"#
  }

  /// A request to cancel the checkout.
  package static func cancellation(of checkout: String) -> String {
    #"{"type":"checkout.cancel_requested","schema_version":1,"checkout_id":"\#(checkout)","#
      + #""merchant_id":"\#(SimulatedShop.merchant)","livemode":false,"reason":"customer","#
      + #""requested_at":"2026-11-30T12:00:00Z"}"#
  }
}

/// The one merchant, its account and prices.
package enum SimulatedShop {
  static let merchant = "shop-eu"
  static let account = "acct_1"
  static let sku = "SKU-RED-42"
  static let shortHoldSKU = "SKU-SHORTHOLD"
  static let noStockSKU = "SKU-NOSTOCK"
  static let stickySKU = "SKU-RELEASE-FAILS"
  static let freeSKU = "SKU-FREE"
  static let price = 1999

  /// Accounts and prices; `raised`: prices have gone up.
  package static func reference(raised: Bool) -> ReferenceData {
    let prices = [
      (sku, raised ? price + 100 : price), (shortHoldSKU, price), (noStockSKU, price), (stickySKU, price), (freeSKU, 0),
    ]
    return ReferenceData(
      version: ReferenceVersion(raised ? "raised" : "first"),
      accounts: [AccountEntry(key: AccountKey(merchantID: merchant, accountID: account), status: .enabled)],
      prices: prices.map { sku, price in
        PriceEntry(key: PriceKey(merchantID: merchant, sku: sku, currency: "EUR"), unitPriceMinor: Int64(price))
      })
  }
}
