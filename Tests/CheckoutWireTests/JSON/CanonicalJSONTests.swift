// The canonical form's room is computed beforehand: values that need the most of it.
import CheckoutCore
import CheckoutWire
import Testing

private func canonical(_ text: String) throws -> String {
  let document = try JSONDocument(parsing: Array(text.utf8)[...])
  return String(decoding: CanonicalJSON.bytes(document, document.root), as: UTF8.self)
}

struct CanonicalJSONTests {
  @Test(arguments: [
    "-2.2250738585072014e-308", "-1.7976931348623157e+308", "-123456789012345680000", "-9223372036854775808", "false",
    "null", "{}", "[]", #""""#, #"{"":""}"#, #"{"a":{}}"#, #"{"currency":[]}"#,
  ])
  func `many of the values that need the most room fit`(value: String) throws {
    let text = "[" + Array(repeating: value, count: 3000).joined(separator: ",") + "]"
    #expect(try canonical(text.replacing("-123456789012345680000", with: "-123456789012345680000.0")) == text)
  }

  @Test func `strings of nothing but escapes fit`() throws {
    let text = #"{"currency":""# + String(repeating: #"\u0001"#, count: 5000) + #"","\u0002":"\u0003"}"#
    #expect(
      try canonical(text) == #"{"\u0002":"\u0003","currency":""# + String(repeating: #"\u0001"#, count: 5000) + #""}"#)
  }

  @Test func `known and unknown members are sorted together`() throws {
    #expect(
      try canonical(#"{"sku":1,"items":[{"title":"t","line_id":"x","zz":0,"a":1}],"currency":2}"#)
        == #"{"currency":2,"items":[{"a":1,"line_id":"x","title":"t","zz":0}],"sku":1}"#)
  }

  @Test func `known members alone are sorted, whatever their order`() throws {
    var random = SplitMix64(seed: 7)
    let sorted = MemberName.allCases.map { #""\#($0.text)":\#($0.rawValue)"# }
    for _ in 0..<50 {
      var members = sorted
      for index in members.indices { members.swapAt(index, random.below(members.count)) }
      #expect(try canonical("{" + members.joined(separator: ",") + "}") == "{" + sorted.joined(separator: ",") + "}")
    }
  }
}
