// Card numbers are refused wherever they stand, never echoed, and masked in dead letters.
import CheckoutWire
import Testing

private func decode(_ text: String) -> Inbound {
  InboundDecoder().decode(InboundMessage(text))
}

private func note(_ value: String) throws -> [String]? {
  decode(try RequestText.replacing("Red mug", with: value)).faults
}

struct CardNumberTests {
  // Published test numbers of the brands.
  @Test(arguments: [
    "4111111111111111", "4111 1111 1111 1111", "4111-1111-1111-1111", " 4111111111111111 ", "4222222222222",
    "5555555555554444", "2223003122003222", "378282246310005", "30569309025904", "38520000023237",
    "6011111111111117", "3530111333300000", "6200000000000005", "6304000000000000", "2200000000000004",
  ])
  func `the brands' test numbers are found`(number: String) throws {
    #expect(try note(number) == ["card_number_in_payload /items/0/title"])
  }

  @Test(arguments: [
    "4111111111111112", "411111111111111", "4111111111111111x", "No 4111111111111111", "4111.1111.1111.1111",
    "1234567890123452", "9111111111111111", "41111111111111111111", "", "-", "0000000000000000", "378282246310006",
  ])
  func `other digits are not`(text: String) throws {
    #expect(try note(text) == nil)
  }

  @Test(arguments: [
    (#""livemode":false"#, #""livemode":false,"x":"4111111111111111""#, "/x"),
    (
      #""livemode":false"#, #""livemode":false,"metadata":{"a/b":[1,{"c~":"4111111111111111"}]}"#,
      "/metadata/a~1b/1/c~0"
    ),
    (#""livemode":false"#, #""livemode":false,"list":["ok","4111 1111 1111 1111"]"#, "/list/1"),
    (#""livemode":false"#, #""livemode":false,"metadata":{"sku":"4111111111111111"}"#, "/metadata/sku"),
    (#""livemode":false"#, #""livemode":false,"metadata":{"4111111111111111":1}"#, "/metadata/****************"),
    ("pm_tok_visa_ok", "4111111111111111", "/payment/method_token"),
    (#""Ana""#, #""4111111111111111""#, "/shipping_address/name"),
    ("pm_tok_visa_ok", #"\u0034111111111111111"#, "/payment/method_token"),
  ])
  func `anywhere in the document, with its path`(part: String, other: String, path: String) throws {
    #expect(decode(try RequestText.replacing(part, with: other)).faults == ["card_number_in_payload \(path)"])
  }

  @Test(arguments: [
    ("chk_1", "4111111111111111"), ("key-0123456789abcdef", "4111111111111111"), ("shop-eu", "4111111111111111"),
    ("acct_1", "4111111111111111"), (#""line_id":"1""#, #""line_id":"4111111111111111""#),
    ("SKU-1", "4111111111111111"),
    ("TEN", "4111111111111111"),
  ])
  func `ids may look like one`(part: String, other: String) throws {
    #expect(decode(try RequestText.replacing(part, with: other)).request != nil)
  }

  @Test func `a cancellation is searched too, and nothing is echoed`() {
    let text =
      #"{"type":"checkout.cancel_requested","schema_version":1,"checkout_id":"c","merchant_id":"m","livemode":false,"#
      + #""reason":"4111111111111111","requested_at":"2026-11-30T12:01:00Z"}"#
    let inbound = decode(text)
    #expect(inbound.faults == ["card_number_in_payload /reason"])
    #expect(!"\(inbound)".contains("4111"))
  }

  @Test func `a dead letter for another reason is masked`() {
    let valid = #"{"schema_version":2,"pan":"4111-1111-1111-1111","esc":"\u0034111111111111111","n":[1.5,"ok"]}"#
    #expect(
      decode(valid).redacted
        == #"{"schema_version":2,"pan":"****-****-****-****","esc":"****************","n":[1.5,"ok"]}"#)
    #expect(decode(#"["4111111111111111"]"#).redacted == #"["****************"]"#)
    #expect(decode(#"{"a":"4111111111111111","b""#).redacted == #"{"a":"****************","b""#)
    #expect(decode(#"{"a":"4111 1111 1111 1111"#).redacted == #"{"a":"**** **** **** ****"#)
    #expect(decode(#"{"a":"41111111111111112","b":"x"#).redacted == nil)
    #expect(decode(#"{"schema_version":2}"#).redacted == nil)
    let small = InboundDecoder(payloadBytesMax: 8)
    #expect(small.decode(InboundMessage(#"{"a":"4111111111111111"}"#)).redacted == #"{"a":"****************"}"#)
  }
}
