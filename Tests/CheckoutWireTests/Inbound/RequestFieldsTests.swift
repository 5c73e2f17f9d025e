// Every rule on a field of a request, each by the smallest change that breaks it.
import CheckoutCore
import CheckoutWire
import Testing

private func decode(_ text: String) -> Inbound {
  InboundDecoder().decode(InboundMessage(text))
}

struct RequestFieldsTests {
  @Test func `reads every field of a right request`() throws {
    let inbound = try #require(decode(RequestText.right).request)
    let time = Timestamp(nanoseconds: 1_796_040_000_123_000_000)
    let expected = CheckoutRequest(
      identity: AttemptIdentity(
        merchantID: "shop-eu", checkoutID: "chk_1", idempotencyKey: "key-0123456789abcdef"),
      accountID: "acct_1", email: "ana@example.com", locale: "de-DE", currency: "EUR",
      lines: [.init(lineID: "1", sku: "SKU-1", quantity: 2, unitPriceMinor: 1999, title: "Red mug")],
      discounts: [.init(code: "TEN", amountMinor: 10)], taxMinor: 0, shippingMinor: 490, expectedTotalMinor: 4478,
      shippingAddress: .init(
        name: "Ana", line1: "Hauptstr. 5", line2: "c/o Krüger", city: "Berlin", region: "BE", postalCode: "10115",
        country: "DE"),
      payment: .init(methodToken: "pm_tok_visa_ok", methodType: "card", capture: .manual), requestedAt: time,
      expiresAt: Timestamp(nanoseconds: 1_796_043_600_000_000_000), livemode: false)
    #expect(inbound.request == expected)
    #expect(inbound.requestJSON == Array(RequestText.right.utf8)[...])
    #expect(inbound.trace == nil)
  }

  @Test(arguments: [
    (#""account_id":"acct_1","#, "missing_field /account_id"),
    (#""idempotency_key":"key-0123456789abcdef","#, "missing_field /idempotency_key"),
    (#""currency":"EUR","#, "missing_field /currency"),
    (#""tax_minor":0,"#, "missing_field /tax_minor"),
    (#""shipping_minor":490,"#, "missing_field /shipping_minor"),
    (#""expected_total_minor":4478,"#, "missing_field /expected_total_minor"),
    (#""requested_at":"2026-11-30T12:00:00.123Z","#, "missing_field /requested_at"),
    (#","livemode":false"#, "missing_field /livemode"),
    (#""sku":"SKU-1","#, "missing_field /items/0/sku"),
    (#""line_id":"1","#, "missing_field /items/0/line_id"),
    (#""quantity":2,"#, "missing_field /items/0/quantity"),
    (#""unit_price_minor":1999,"#, "missing_field /items/0/unit_price_minor"),
    (#""code":"TEN","#, "missing_field /discounts/0/code"),
    (#","amount_minor":10"#, "missing_field /discounts/0/amount_minor"),
    (#""name":"Ana","#, "missing_field /shipping_address/name"),
    (#""line1":"Hauptstr. 5","#, "missing_field /shipping_address/line1"),
    (#""city":"Berlin","#, "missing_field /shipping_address/city"),
    (#","country":"DE""#, "missing_field /shipping_address/country"),
    (#""method_token":"pm_tok_visa_ok","#, "missing_field /payment/method_token"),
    (#""method_type":"card","#, "missing_field /payment/method_type"),
    (#","capture":"manual""#, "missing_field /payment/capture"),
  ])
  func `a required field that is missing`(part: String, fault: String) throws {
    #expect(decode(try RequestText.replacing(part, with: "")).faults == [fault])
  }

  @Test(arguments: [
    ("key-0123456789abcdef", "key-01234567890", "/idempotency_key"),
    ("acct_1", "", "/account_id"), ("acct_1", #"a\u0007"#, "/account_id"),
    (#""acct_1""#, "null", "/account_id"), (#""acct_1""#, "7", "/account_id"),
    (#""EUR""#, "978", "/currency"), (#""ana@example.com""#, "{}", "/email"),
    ("de-DE", "de_DE", "/locale"), ("de-DE", "", "/locale"), ("de-DE", "1-DE", "/locale"),
    (#""tax_minor":0"#, #""tax_minor":0.0"#, "/tax_minor"),
    (#""shipping_minor":490"#, #""shipping_minor":"490""#, "/shipping_minor"),
    ("4478", "4478e0", "/expected_total_minor"), ("1999", "19.99", "/items/0/unit_price_minor"),
    ("1999", "1e3", "/items/0/unit_price_minor"), ("1999", "1999.0", "/items/0/unit_price_minor"),
    ("1999", #""1999""#, "/items/0/unit_price_minor"), ("1999", "true", "/items/0/unit_price_minor"),
    (#""quantity":2"#, #""quantity":2.5"#, "/items/0/quantity"),
    (#""quantity":2"#, #""quantity":null"#, "/items/0/quantity"),
    ("SKU-1", "", "/items/0/sku"), (#""Red mug""#, "[]", "/items/0/title"),
    (#""line_id":"1""#, #""line_id":1"#, "/items/0/line_id"),
    (#"[{"code":"TEN","amount_minor":10}]"#, "{}", "/discounts"),
    (#"{"code":"TEN","amount_minor":10}"#, "1", "/discounts/0"),
    (#""amount_minor":10"#, #""amount_minor":1.0"#, "/discounts/0/amount_minor"),
    (#""10115""#, "10115", "/shipping_address/postal_code"), (#""Berlin""#, "null", "/shipping_address/city"),
    (#""manual""#, #""later""#, "/payment/capture"), (#""card""#, "[]", "/payment/method_type"),
    ("2026-11-30T12:00:00.123Z", "2026-11-30T12:00:00", "/requested_at"),
    ("2026-11-30T12:00:00.123Z", "2026-02-30T12:00:00Z", "/requested_at"),
    (#""2026-11-30T13:00:00Z""#, "1796043600", "/expires_at"),
    (#""livemode":false"#, #""livemode":"false""#, "/livemode"),
    (#""livemode":false"#, #""livemode":null"#, "/livemode"),
    (#""livemode":false"#, #""livemode":false,"metadata":[]"#, "/metadata"),
    (#""livemode":false"#, #""livemode":false,"client_context":"x""#, "/client_context"),
  ])
  func `a field of another form`(part: String, other: String, path: String) throws {
    #expect(decode(try RequestText.replacing(part, with: other)).faults == ["malformed_field \(path)"])
  }

  @Test func `lengths count characters, not bytes`() throws {
    func faults(_ count: Int) throws -> [String]? {
      decode(try RequestText.replacing("acct_1", with: String(repeating: "日", count: count))).faults
    }
    #expect(try faults(128) == nil)
    #expect(try faults(129) == ["malformed_field /account_id"])
    #expect(try faults(600) == ["malformed_field /account_id"])
  }

  @Test func `all faults come in the order of the fields, and there is a limit`() throws {
    let text = #"{"livemode":1,"merchant_id":"m","items":[{},7],"checkout_id":"c","schema_version":1,"email":5}"#
    #expect(
      decode(text).faults == [
        "missing_field /idempotency_key", "missing_field /account_id", "malformed_field /email",
        "missing_field /currency", "missing_field /items/0/line_id", "missing_field /items/0/sku",
        "missing_field /items/0/quantity", "missing_field /items/0/unit_price_minor", "malformed_field /items/1",
        "missing_field /tax_minor", "missing_field /shipping_minor", "missing_field /expected_total_minor",
        "missing_field /requested_at", "malformed_field /livemode",
      ])
    let many = String(repeating: "{},", count: 5000)
    #expect(
      decode(#"{"merchant_id":"m","items":[\#(many)1],"checkout_id":"c","schema_version":1}"#).faults?.count == 100)
  }

  @Test(arguments: [
    (#""email":"ana@example.com""#, #""email":null"#), (#""locale":"de-DE""#, #""locale":null"#),
    (#""Red mug""#, "null"), (#"[{"code":"TEN","amount_minor":10}]"#, "null"),
    (#""2026-11-30T13:00:00Z""#, "null"), (#""10115""#, "null"), (#""10115""#, #""""#), (#""Berlin""#, #""""#),
    (#""EUR""#, #""eur""#), (#""quantity":2"#, #""quantity":-9223372036854775808"#),
    (#""livemode":false"#, #""livemode":false,"metadata":null,"client_context":{"a":[{}]},"x":1.5"#),
    ("de-DE", "zh-Hant-TW-x-shop"), ("1999", "-1999"), ("pm_tok_visa_ok", ""),
  ])
  func `what is left to the checks or is optional`(part: String, other: String) throws {
    #expect(decode(try RequestText.replacing(part, with: other)).request != nil)
  }

  @Test func `no address, no payment and no lines are for their checks`() throws {
    let text =
      #"{"schema_version":1,"checkout_id":"chk_1","idempotency_key":"key-0123456789abcdef","merchant_id":"m","#
      + #""account_id":"a","currency":"EUR","items":[],"tax_minor":0,"shipping_minor":0,"expected_total_minor":0,"#
      + #""payment":null,"requested_at":"2026-11-30T12:00:00Z","livemode":true}"#
    let request = try #require(decode(text).request).request
    #expect(request.shippingAddress == nil)
    #expect(request.payment == nil)
    #expect(request.lines.isEmpty)
  }

  @Test func `metadata is bounded`() throws {
    func metadata(_ object: String) throws -> [String]? {
      decode(try RequestText.replacing(#""livemode":false"#, with: #""livemode":false,"metadata":\#(object)"#)).faults
    }
    let members = (0..<101).map { "\"k\($0)\":1" }.joined(separator: ",")
    #expect(try metadata("{\(members)}") == ["malformed_field /metadata"])
    #expect(try metadata("{\"k\":\"\(String(repeating: "x", count: 16_383))\"}") == nil)
    #expect(try metadata("{\"k\":\"\(String(repeating: "x", count: 16_384))\"}") == ["malformed_field /metadata"])
  }
}
