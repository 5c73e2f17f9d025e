// The check `price`: are the prices those of the authority? The request's own word is never believed.

/// `unknown_item`, `price_changed`, in this order; both changeable, because price lists are.
package struct PriceCheck: Check {
  /// `price` in configuration, meters and logs.
  package var name: CheckName { .price }

  /// The check has no settings.
  package init() {}

  /// The first code that applies to `request`, in the order above.
  package func examine(_ request: CheckoutRequest, in context: CheckContext) -> CheckResult {
    var unknown: Int?
    var changed: (index: Int, authority: Int64)?
    var notLoaded: [PriceKey] = []
    for (index, line) in request.lines.enumerated() {
      let key = PriceKey(merchantID: request.identity.merchantID, sku: line.sku, currency: request.currency)
      switch context.reference.prices.answer(for: key) {
      case .known(let price):
        if price != line.unitPriceMinor, changed == nil { changed = (index, price) }
      case .absent:
        if unknown == nil { unknown = index }
      case .notLoaded:
        notLoaded.append(key)
      }
    }
    // One item without an answer could be an unknown one, and so the first code: nothing is said before all are there.
    if !notLoaded.isEmpty { return .needs(.prices(notLoaded)) }
    if let unknown {
      let message = "The merchant has no item with this sku in the currency of the request."
      return .refused(Refusal(.unknownItem, path: "/items/\(unknown)/sku", message: message), .changeable)
    }
    if let changed {
      let refusal = Refusal(
        .priceChanged, path: "/items/\(changed.index)/unit_price_minor",
        message: "The price of this item is not the one in the request.",
        expected: .integer(changed.authority), actual: .integer(request.lines[changed.index].unitPriceMinor))
      return .refused(refusal, .changeable)
    }
    return .passed
  }
}
