// What a message is: size, JSON, kind, schema version, identity, in that order; envelopes and traces.
import CheckoutCore
import CheckoutWire
import Testing

private func decode(_ text: String, _ headers: [(String, String)] = []) -> Inbound {
  InboundDecoder().decode(InboundMessage(text, headers))
}

private let cancelText =
  #"{"schema_version":1,"checkout_id":"chk_1","merchant_id":"m","reason":"changed my mind","#
  + #""requested_at":"2026-11-30T12:01:00Z","livemode":false}"#
private let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

struct InboundDecoderTests {
  @Test func `a null value is a tombstone, an empty one is not`() {
    #expect(InboundDecoder().decode(InboundMessage(value: nil, headers: [])) == .tombstone)
    #expect(decode("").deadLetterCode == "malformed_json")
  }

  @Test func `a value over the limit is not even parsed`() {
    let decoder = InboundDecoder(payloadBytesMax: 10)
    #expect(decoder.decode(InboundMessage("[[[[[[[[[[[")).deadLetterCode == "payload_too_large")
    #expect(decoder.decode(InboundMessage("[[[[[[[[[[")).deadLetterCode == "malformed_json")
    let large = String(repeating: "[", count: 5_000_000)
    #expect(decode(large).deadLetterCode == "payload_too_large")
  }

  @Test(arguments: [
    ("{", "malformed_json"), ("[1,2,3]", "malformed_json"), ("42", "malformed_json"), ("null", "malformed_json"),
    (#"{"schema_version":1,"schema_version":1}"#, "malformed_json"),
    (#"{"type":"checkout.completed","schema_version":9}"#, "unsupported_type"),
    (#"{"type":7,"schema_version":1,"checkout_id":"c","merchant_id":"m"}"#, "unsupported_type"),
    (#"{"checkout_id":"c","merchant_id":"m"}"#, "unsupported_schema_version"),
    (#"{"schema_version":2}"#, "unsupported_schema_version"),
    (#"{"schema_version":1.0,"checkout_id":"c","merchant_id":"m"}"#, "unsupported_schema_version"),
    (#"{"schema_version":"1","checkout_id":"c","merchant_id":"m"}"#, "unsupported_schema_version"),
    (#"{"schema_version":1,"merchant_id":"m"}"#, "missing_identity"),
    (#"{"schema_version":1,"checkout_id":"","merchant_id":"m"}"#, "missing_identity"),
    (#"{"schema_version":1,"checkout_id":"ü","merchant_id":"m"}"#, "missing_identity"),
    (#"{"schema_version":1,"checkout_id":5,"merchant_id":"m"}"#, "missing_identity"),
    (#"{"schema_version":1,"checkout_id":"c"}"#, "missing_identity"),
    (#"{"schema_version":1,"checkout_id":"c","merchant_id":null}"#, "missing_identity"),
    (
      #"{"schema_version":1,"checkout_id":"c","merchant_id":"\#(String(repeating: "m", count: 65))"}"#,
      "missing_identity"
    ),
    (
      #"{"schema_version":1,"checkout_id":"\#(String(repeating: "c", count: 129))","merchant_id":"m"}"#,
      "missing_identity"
    ),
  ])
  func `what cannot be answered is a dead letter`(text: String, code: String) {
    #expect(decode(text).deadLetterCode == code)
  }

  @Test func `the kind is the header, else the member, else a request`() throws {
    let named = cancelText.replacing("{\"schema", with: "{\"type\":\"checkout.cancel_requested\",\"schema")
    #expect(decode(named).cancel?.cancel.reason == "changed my mind")
    #expect(decode(cancelText, [("ce_type", "checkout.cancel_requested")]).cancel != nil)
    #expect(decode(RequestText.right, [("ce_type", "checkout.requested")]).request != nil)
    #expect(decode(RequestText.right, [("ce_type", "checkout.paid")]).deadLetterCode == "unsupported_type")
    #expect(decode(named, [("ce_type", "checkout.requested")]).faults?.first == "missing_field /idempotency_key")
    #expect(decode(cancelText).faults?.first == "missing_field /idempotency_key")
  }

  @Test func `a cancellation of another form is refused with its paths`() {
    let text =
      #"{"type":"checkout.cancel_requested","schema_version":1,"checkout_id":"c","merchant_id":"m","reason":1}"#
    #expect(
      decode(text).faults == ["malformed_field /reason", "missing_field /requested_at", "missing_field /livemode"])
    guard case .refused(let refusal) = decode(text) else { return }
    #expect(refusal.isCancel)
    #expect(refusal.subject == EventSubject(merchantID: "m", checkoutID: "c", idempotencyKey: nil))
  }

  @Test func `a refusal names the key if it is usable`() throws {
    guard case .refused(let refusal) = decode(try RequestText.replacing("acct_1", with: "")) else {
      Issue.record("not refused")
      return
    }
    #expect(refusal.subject.idempotencyKey == "key-0123456789abcdef")
  }

  @Test(arguments: [
    "application/cloudevents+json", "application/cloudevents+json; charset=utf-8",
    "Application/CloudEvents+JSON;charset=UTF-8",
  ])
  func `structured mode is read, in every spelling of its content type`(contentType: String) throws {
    let text =
      #"{"specversion":"1.0","id":"1","source":"/shop","type":"checkout.requested","traceparent":"\#(parent)","data":"#
      + RequestText.right + "}"
    let inbound = try #require(decode(text, [("content-type", contentType)]).request)
    let bare = try #require(decode(RequestText.right).request)
    #expect(inbound.request == bare.request)
    #expect(inbound.fingerprint == bare.fingerprint)
    #expect(inbound.trace?.parent == parent)
    let again = try #require(
      InboundDecoder().decode(InboundMessage(value: inbound.requestJSON, headers: [])).request)
    #expect(again.fingerprint == bare.fingerprint)
    #expect(again.request == bare.request)
  }

  @Test func `structured mode with base64 data, and without usable data`() throws {
    let header = [("Content-Type", "application/cloudevents+json")]
    let encoded = base64(Array(cancelText.utf8))
    let text = #"{"type":"checkout.cancel_requested","data_base64":"\#(encoded)"}"#
    #expect(decode(text, header).cancel?.cancel.checkout.checkoutID == "chk_1")
    for data in [#""data_base64":"%%""#, #""data_base64":"e30""#, #""data":7"#, #""x":1"#, #""data_base64":"ew==""#] {
      let code = decode("{\(data)}", header).deadLetterCode
      #expect(code == (data.contains("e30") ? "unsupported_schema_version" : "malformed_json"), "\(data)")
    }
    #expect(decode(#"{"type":"x.y","data":{}}"#, header).deadLetterCode == "unsupported_type")
  }

  @Test func `a trace is taken along and an incoming origin is ignored`() throws {
    let headers = [("traceparent", parent), ("tracestate", "shop=1"), ("ce_origin", "checkout.requests/0/0/0")]
    let inbound = try #require(decode(RequestText.right, headers).request)
    #expect(inbound.trace == TraceContext(parent: parent, state: "shop=1"))
  }

  @Test(arguments: [
    "", "00", "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
    "00-00000000000000000000000000000000-b7ad6b7169203331-01",
    "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
    "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-x",
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0", "00-0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331-01",
  ])
  func `a malformed trace is ignored, never fatal`(traceparent: String) throws {
    let inbound = try #require(decode(RequestText.right, [("traceparent", traceparent)]).request)
    #expect(inbound.trace == nil)
  }

  @Test func `a later version of the trace header may be longer, a malformed state is dropped`() throws {
    let headers = [("traceparent", "01" + parent.dropFirst(2) + "-more"), ("tracestate", "a\u{1}")]
    let inbound = try #require(decode(RequestText.right, headers).request)
    #expect(inbound.trace == TraceContext(parent: "01" + parent.dropFirst(2) + "-more", state: nil))
  }
}

private func base64(_ bytes: [UInt8]) -> String {
  let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  var text = ""
  var index = 0
  while index < bytes.count {
    let part = bytes[index..<min(index + 3, bytes.count)]
    let bits = part.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - part.count))
    for place in 0...part.count { text.append(digits[Int(bits >> UInt32(18 - 6 * place) & 63)]) }
    text += String(repeating: "=", count: 3 - part.count)
    index += 3
  }
  return text
}
