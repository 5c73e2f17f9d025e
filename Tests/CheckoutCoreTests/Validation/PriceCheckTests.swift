// The check `price`, alone.

import CheckoutCore
import Testing

@Suite("The price check")
struct PriceCheckTests {
  private let check = PriceCheck()

  private func cart(_ items: (sku: String, price: Int64)..., currency: String = "EUR") -> SampleRequest {
    var sample = SampleRequest()
    sample.currency = currency
    sample.lines = items.enumerated().map {
      SampleRequest.line("\($0.offset)", sku: $0.element.sku, quantity: 1, price: $0.element.price)
    }
    return sample
  }

  @Test("lets the authority's prices pass")
  func passes() {
    #expect(check.examine(SampleRequest()) == .passed)
  }

  @Test("the client says 1 cent, the price list says 1999")
  func clientPrice() {
    let expected = Refusal(
      .priceChanged, path: "/items/1/unit_price_minor",
      message: "The price of this item is not the one in the request.",
      expected: .integer(1999), actual: .integer(1))
    #expect(check.examine(cart(("SKU-BLU-7", 4550), ("SKU-RED-42", 1))) == .refused(expected, .changeable))
  }

  @Test("too much is changed as well")
  func tooMuch() {
    #expect(check.complaint(cart(("SKU-RED-42", 2000))) == "price_changed /items/0/unit_price_minor changeable")
  }

  @Test("an unknown item comes before a changed price, wherever it stands")
  func order() {
    #expect(
      check.complaint(cart(("SKU-RED-42", 1), ("SKU-NONE", 5))) == "unknown_item /items/1/sku changeable")
  }

  @Test("a price is for one currency and one merchant")
  func scope() {
    #expect(check.complaint(cart(("SKU-RED-42", 1999), currency: "USD")) == "unknown_item /items/0/sku changeable")
    var sample = SampleRequest()
    sample.merchantID = "shop-us"
    #expect(check.complaint(sample) == "unknown_item /items/0/sku changeable")
  }

  @Test("names all prices it lacks, and says nothing before they are there")
  func waits() {
    let red = PriceKey(merchantID: "shop-eu", sku: "SKU-RED-42", currency: "EUR")
    let blue = PriceKey(merchantID: "shop-eu", sku: "SKU-BLU-7", currency: "EUR")
    let sample = cart(("SKU-RED-42", 1), ("SKU-BLU-7", 4550))
    let down = CheckContext(now: SampleRequest.noon, reference: .unavailable(version: ReferenceVersion("none")))
    #expect(check.examine(sample.request, in: down) == .needs(.prices([red, blue])))
    var reference = ReferenceData.sample
    reference.prices = ReferenceTable(coverage: .partial, entries: [(red, 1999)])
    let partial = CheckContext(now: SampleRequest.noon, reference: reference)
    #expect(check.examine(sample.request, in: partial) == .needs(.prices([blue])))
    reference.prices.set(4550, for: blue)
    #expect(
      check.complaint(sample, in: CheckContext(now: SampleRequest.noon, reference: reference))
        == "price_changed /items/0/unit_price_minor changeable")
  }
}
