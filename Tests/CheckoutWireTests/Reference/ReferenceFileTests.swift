// The development file of accounts and prices.
import CheckoutCore
import CheckoutWire
import Testing

struct ReferenceFileTests {
  @Test func `the sample file is read whole`() throws {
    let data = try ReferenceFile.decode(try SampleFiles.bytes("samples/reference.json"))
    #expect(data.accounts.answer(for: AccountKey(merchantID: "shop-eu", accountID: "acct_7781")) == .known(.enabled))
    #expect(data.accounts.answer(for: AccountKey(merchantID: "shop-eu", accountID: "acct_0666")) == .known(.disabled))
    #expect(data.accounts.answer(for: AccountKey(merchantID: "shop-eu", accountID: "acct_none")) == .absent)
    let price = PriceKey(merchantID: "shop-eu", sku: "SKU-RED-42", currency: "USD")
    #expect(data.prices.answer(for: price) == .known(2199))
    #expect(data.version.text.hasPrefix("file:"))
    #expect(data.version.text.utf8.count == 21)
  }

  @Test(arguments: [
    ("[", ""), ("{}", "/accounts"), (#"{"accounts":[]}"#, "/prices"),
    (#"{"accounts":[{"merchant_id":"m","account_id":"a","status":"odd"}],"prices":[]}"#, "/accounts/0"),
    (#"{"accounts":[],"prices":[{"merchant_id":"m","sku":"s","currency":"EUR","unit_price_minor":1.0}]}"#, "/prices/0"),
    (#"{"accounts":[],"prices":[{"merchant_id":"m","sku":"s","currency":"EUR","unit_price_minor":-1}]}"#, "/prices/0"),
  ])
  func `a fault is named by its place`(text: String, path: String) {
    let error = #expect(throws: ReferenceFileError.self) { try ReferenceFile.decode(Array(text.utf8)) }
    #expect(error?.path == path)
  }
}
