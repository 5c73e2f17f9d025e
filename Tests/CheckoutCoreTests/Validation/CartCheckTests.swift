// The check `cart`, alone.

import CheckoutCore
import Testing

@Suite("The cart check")
struct CartCheckTests {
  private let check = CartCheck(quantityMax: 999, linesMax: 1000)

  private func cart(_ quantities: Int64...) -> SampleRequest {
    var sample = SampleRequest()
    sample.lines = quantities.enumerated().map {
      SampleRequest.line("line-\($0.offset)", sku: "SKU", quantity: $0.element, price: 1)
    }
    return sample
  }

  private func cart(lineIDs: [String]) -> SampleRequest {
    var sample = SampleRequest()
    sample.lines = lineIDs.map { SampleRequest.line($0, sku: "SKU", quantity: 1, price: 1) }
    return sample
  }

  @Test("lets a proper cart pass")
  func passes() {
    #expect(check.examine(SampleRequest()) == .passed)
    #expect(check.examine(cart(1)) == .passed)
    #expect(check.examine(cart(999)) == .passed)
    #expect(check.examine(cart(lineIDs: (1...1000).map(String.init))) == .passed)
  }

  @Test("refuses an empty cart")
  func empty() {
    #expect(check.complaint(cart()) == "empty_cart /items content")
  }

  @Test("refuses quantities below 1 for good", arguments: [0, -1, -3, .min] as [Int64])
  func quantityBelowOne(quantity: Int64) {
    #expect(check.complaint(cart(1, quantity, 1)) == "invalid_quantity /items/1/quantity content")
  }

  @Test("refuses quantities above the configured limit for now", arguments: [1000, .max] as [Int64])
  func quantityAboveMax(quantity: Int64) {
    #expect(check.complaint(cart(1, quantity)) == "invalid_quantity /items/1/quantity changeable")
    #expect(CartCheck(quantityMax: .max, linesMax: 1000).examine(cart(1, quantity)) == .passed)
  }

  @Test("names a quantity that no limit allows before one that only today's limit refuses")
  func quantityOrder() {
    #expect(check.complaint(cart(1000, 0)) == "invalid_quantity /items/1/quantity content")
  }

  @Test("refuses the second line with the same id, in small carts and large ones")
  func duplicates() {
    #expect(check.complaint(cart(lineIDs: ["a", "b", "a", "b"])) == "duplicate_line /items/2/line_id content")
    let many = (0..<50).map(String.init) + ["49"]
    #expect(check.complaint(cart(lineIDs: many)) == "duplicate_line /items/50/line_id content")
    for count in 2...12 {
      let ids = (1..<count).map(String.init) + ["1"]
      #expect(check.complaint(cart(lineIDs: ids)) == "duplicate_line /items/\(count - 1)/line_id content")
    }
  }

  @Test("refuses more lines than configured, but says first what is wrong with the lines")
  func tooLarge() {
    let ids = (0...1000).map(String.init)
    #expect(check.complaint(cart(lineIDs: ids)) == "cart_too_large /items changeable")
    #expect(check.complaint(cart(lineIDs: ids + ["7"])) == "duplicate_line /items/1001/line_id content")
    #expect(CartCheck(quantityMax: 999, linesMax: 1).complaint(cart(1, 1)) == "cart_too_large /items changeable")
  }
}
