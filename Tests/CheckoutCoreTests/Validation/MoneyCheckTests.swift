// The check `money`, alone, with the amounts that bring other checkouts down.

import CheckoutCore
import Testing

@Suite("The money check")
struct MoneyCheckTests {
  private let check = MoneyCheck(amountMinorMax: 1_000_000_000_000, currencies: nil)

  private func cart(
    _ items: [(quantity: Int64, price: Int64)], discounts: [Int64] = [], tax: Int64 = 0, shipping: Int64 = 0,
    expected: Int64
  ) -> SampleRequest {
    var sample = SampleRequest()
    sample.lines = items.enumerated().map {
      SampleRequest.line("\($0.offset)", sku: "SKU", quantity: $0.element.quantity, price: $0.element.price)
    }
    sample.discounts = discounts.map { CheckoutRequest.Discount(code: "D", amountMinor: $0) }
    sample.taxMinor = tax
    sample.shippingMinor = shipping
    sample.expectedTotalMinor = expected
    return sample
  }

  @Test("lets totals pass that add up")
  func passes() {
    #expect(check.examine(SampleRequest()) == .passed)
    #expect(check.examine(cart([(1, 500)], expected: 500)) == .passed)
    #expect(
      check.examine(cart([(2, 100), (1, 50)], discounts: [20, 30], tax: 7, shipping: 3, expected: 210)) == .passed)
    #expect(check.examine(cart([(1, 100)], discounts: [100], expected: 0)) == .passed)
    #expect(check.examine(cart([(1, 0)], expected: 0)) == .passed)
  }

  @Test("yen have no decimals, dinars have three: integers are taken as they are")
  func exponents() {
    #expect(check.examine(SampleRequest.single(price: 500, currency: "JPY")) == .passed)
    #expect(check.examine(SampleRequest.single(price: 12345, currency: "KWD")) == .passed)
  }

  @Test("refuses what never was a currency, for good", arguments: ["usd", "XXX", "BTC", "", "EURO", "XAU", "XTS"])
  func noCurrency(code: String) {
    #expect(
      check.complaint(SampleRequest.single(price: 1, currency: code)) == "unsupported_currency /currency content")
  }

  @Test("refuses withdrawn and unlisted currencies, for now")
  func unlistedCurrency() {
    let expected = "unsupported_currency /currency changeable"
    #expect(check.complaint(SampleRequest.single(price: 1, currency: "BGN")) == expected)
    let euroOnly = MoneyCheck(amountMinorMax: 1000, currencies: ["EUR"])
    #expect(euroOnly.complaint(SampleRequest.single(price: 1, currency: "USD")) == expected)
    #expect(euroOnly.examine(SampleRequest.single(price: 1)) == .passed)
  }

  @Test("refuses negative amounts wherever they stand")
  func negative() {
    #expect(
      check.complaint(cart([(1, 5), (1, -1)], expected: 4)) == "negative_amount /items/1/unit_price_minor content")
    #expect(
      check.complaint(cart([(1, .min)], expected: .min)) == "negative_amount /items/0/unit_price_minor content")
    #expect(
      check.complaint(cart([(1, 5)], discounts: [0, -1], expected: 6))
        == "negative_amount /discounts/1/amount_minor content")
    #expect(check.complaint(cart([(1, 5)], tax: -1, expected: 4)) == "negative_amount /tax_minor content")
    #expect(check.complaint(cart([(1, 5)], shipping: -1, expected: 4)) == "negative_amount /shipping_minor content")
  }

  @Test("a negative expected total is a mismatch, not a negative amount")
  func negativeExpected() {
    #expect(check.complaint(cart([(1, 5)], expected: -5)) == "total_mismatch /expected_total_minor content")
    #expect(check.complaint(cart([(1, 5)], expected: .min)) == "total_mismatch /expected_total_minor content")
  }

  @Test("no line sets off another: a negative quantity is refused even if the cart check did not run")
  func offsettingLine() {
    #expect(
      check.complaint(cart([(10, 100), (-9, 100)], expected: 100)) == "negative_amount /items/1/quantity content")
  }

  @Test(
    "refuses sums past 64 bits and does not trap",
    arguments: [
      ([(2, .max)], [], 0, 0, "/items/0"), ([(1, .max), (1, 1)], [], 0, 0, "/items/1"),
      ([(.max, .max)], [], 0, 0, "/items/0"), ([(3, 3_074_457_345_618_258_603)], [], 0, 0, "/items/0"),
      ([(1, 1)], [.max, 1], 0, 0, "/discounts/1/amount_minor"), ([(1, .max)], [], 1, 0, "/tax_minor"),
      ([(1, .max)], [], 0, 1, "/shipping_minor"), ([(1, 0)], [], .max, .max, "/shipping_minor"),
      ([(1, .max)], [1], 1, 1, "/shipping_minor"),
    ] as [([(quantity: Int64, price: Int64)], [Int64], Int64, Int64, String)])
  func overflow(
    items: [(quantity: Int64, price: Int64)], discounts: [Int64], tax: Int64, shipping: Int64, path: String
  ) {
    let sample = cart(items, discounts: discounts, tax: tax, shipping: shipping, expected: 1)
    #expect(check.complaint(sample) == "amount_overflow \(path) content")
  }

  @Test(
    "sums that just fit are judged by their size",
    arguments: [
      ([(1, .max)], [], 0, 0, .max), ([(7, 1_317_624_576_693_539_401)], [], 0, 0, .max),
      ([(1, .max - 2)], [], 1, 1, .max), ([(1, .max)], [2], 1, 1, .max), ([(1, .max)], [.max], .max, 0, .max),
    ] as [([(quantity: Int64, price: Int64)], [Int64], Int64, Int64, Int64)])
  func justFits(
    items: [(quantity: Int64, price: Int64)], discounts: [Int64], tax: Int64, shipping: Int64, total: Int64
  ) {
    let sample = cart(items, discounts: discounts, tax: tax, shipping: shipping, expected: total)
    #expect(check.complaint(sample) == "amount_out_of_range /expected_total_minor changeable")
    #expect(MoneyCheck(amountMinorMax: .max, currencies: nil).examine(sample) == .passed)
  }

  @Test("refuses discounts above the lines, even where tax and shipping would pay for them")
  func discount() {
    #expect(
      check.complaint(cart([(1, 100)], discounts: [60, 41], shipping: 500, expected: 499))
        == "invalid_discount /discounts content")
    #expect(check.complaint(cart([(1, 0)], discounts: [.max], expected: 0)) == "invalid_discount /discounts content")
  }

  @Test("says what the total is, and what the request said")
  func mismatch() {
    guard case .refused(let refusal, .content) = check.examine(cart([(2, 100)], tax: 7, expected: 200)) else {
      Issue.record("not refused")
      return
    }
    #expect(refusal.code == .totalMismatch)
    #expect(refusal.expected == .integer(207))
    #expect(refusal.actual == .integer(200))
  }

  @Test("totals are limited by configuration, up to the limit itself")
  func range() {
    #expect(check.examine(SampleRequest.single(price: 1_000_000_000_000)) == .passed)
    #expect(
      check.complaint(SampleRequest.single(price: 1_000_000_000_001))
        == "amount_out_of_range /expected_total_minor changeable")
  }

  @Test("reports in the order of the codes")
  func order() {
    var sample = cart([(1, -1), (2, .max)], discounts: [.max], expected: 3)
    sample.currency = "XXX"
    #expect(check.complaint(sample) == "unsupported_currency /currency content")
    sample.currency = "EUR"
    #expect(check.complaint(sample) == "negative_amount /items/0/unit_price_minor content")
    sample.lines[0] = SampleRequest.line("0", sku: "SKU", quantity: 1, price: 1)
    #expect(check.complaint(sample) == "amount_overflow /items/1 content")
    sample.lines.removeLast()
    #expect(check.complaint(sample) == "invalid_discount /discounts content")
    sample.discounts = []
    #expect(check.complaint(sample) == "total_mismatch /expected_total_minor content")
  }
}
