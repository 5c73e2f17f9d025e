// Where the tests find the repository's samples, schemas and scripts.
import CheckoutCore
import CheckoutWire
import Foundation

enum SampleFiles {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: root.appending(path: path)))
  }

  static func lines(_ path: String) throws -> [ArraySlice<UInt8>] {
    try bytes(path).split(separator: 0x0A)
  }

  static func json(_ path: String) throws -> [JSONValue] {
    try lines(path).map { try JSONValue(parsing: $0) }
  }
}

extension InboundMessage {
  /// A message of text and text headers.
  init(_ text: String, _ headers: [(String, String)] = []) {
    self.init(
      value: Array(text.utf8)[...],
      headers: headers.map { (Array($0.0.utf8)[...], Array($0.1.utf8)[...]) })
  }
}

extension Inbound {
  /// The dead letter's code; nil for anything else.
  var deadLetterCode: String? {
    if case .deadLetter(let code, _, _) = self { code.rawValue } else { nil }
  }

  /// `code path` of each refusal; nil for anything else.
  var faults: [String]? {
    guard case .refused(let refusal) = self else { return nil }
    return refusal.refusals.map { "\($0.code.rawValue) \($0.path)" }
  }

  var request: InboundRequest? {
    if case .request(let request) = self { request } else { nil }
  }

  var cancel: InboundCancel? {
    if case .cancel(let cancel) = self { cancel } else { nil }
  }

  var redacted: String? {
    guard case .deadLetter(_, _, let bytes?) = self else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// A right request, in which single parts can be replaced.
enum RequestText {
  static let right =
    #"{"schema_version":1,"checkout_id":"chk_1","idempotency_key":"key-0123456789abcdef","merchant_id":"shop-eu","#
    + #""account_id":"acct_1","email":"ana@example.com","locale":"de-DE","currency":"EUR","items":[{"line_id":"1","#
    + #""sku":"SKU-1","quantity":2,"unit_price_minor":1999,"title":"Red mug"}],"discounts":[{"code":"TEN","#
    + #""amount_minor":10}],"tax_minor":0,"shipping_minor":490,"expected_total_minor":4478,"shipping_address":"#
    + #"{"name":"Ana","line1":"Hauptstr. 5","line2":"c/o Kr\u00fcger","city":"Berlin","region":"BE","postal_code":"10115","country":"DE"},"#
    + #""payment":{"method_token":"pm_tok_visa_ok","method_type":"card","capture":"manual"},"#
    + #""requested_at":"2026-11-30T12:00:00.123Z","expires_at":"2026-11-30T13:00:00Z","livemode":false}"#

  /// The right request with `part` replaced; the part has to be there.
  static func replacing(_ part: String, with other: String) throws -> String {
    guard let range = right.range(of: part) else { throw MissingPart(part: part) }
    return right.replacingCharacters(in: range, with: other)
  }

  struct MissingPart: Error {
    let part: String
  }
}
