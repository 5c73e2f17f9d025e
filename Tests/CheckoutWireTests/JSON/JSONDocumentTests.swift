// The parser's strictness: everything the design refuses, and what it must accept.
import CheckoutWire
import Testing

private func parse(_ text: String) throws(JSONError) -> JSONValue {
  try JSONValue(parsing: Array(text.utf8)[...])
}

private func nested(_ depth: Int) -> String {
  String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
}

struct JSONDocumentTests {
  @Test func `reads every kind of value`() throws {
    let value = try parse(#"{"a":[1,-2,1.5,"x\n",true,false,null,{}],"b":{"c":"d"}}"#)
    let array = try #require(value["a"]).elements
    #expect(array.map(\.kind) == [.integer, .integer, .double, .string, .boolean, .boolean, .null, .object])
    #expect(array.map(\.integer) == [1, -2, nil, nil, nil, nil, nil, nil])
    #expect(array[2].double == 1.5)
    #expect(array[3].string == "x\n")
    #expect(array[4].bool == true)
    #expect(array[5].bool == false)
    #expect(value["b"]?["c"]?.string == "d")
    #expect(value.members.map(\.name) == ["a", "b"])
    #expect(value.document.count(value.node) == 2)
  }

  @Test(arguments: [
    (#"{"a":1,"a":2}"#, JSONError.duplicateKey), (#"{"a":{"b":[{"c":1,"c":1}]}}"#, .duplicateKey),
    (#"{"a":1,"\u0061":2}"#, .duplicateKey), (#"{"a":"\ud800"}"#, .syntax), (#"{"a":"\udc00x"}"#, .syntax),
    (#"{"a":"x\u0000y"}"#, .nulInString), (#"{"a\u0000":1}"#, .nulInString), ("{\"a\":\"\u{1}\"}", .syntax),
    ("9223372036854775808", .number), ("18446744073709551616", .number), ("-9223372036854775809", .number),
    ("1e400", .number), ("01", .number), ("1.", .number), ("", .empty), ("  ", .empty), ("{", .syntax),
    ("{}x", .syntax), ("{} {}", .syntax), ("[1,]", .syntax), ("{\"a\":1,}", .syntax), ("{'a':1}", .syntax),
    ("NaN", .syntax), ("// x\n1", .syntax), ("\u{FEFF}\u{FEFF}1", .syntax),
  ])
  func `refuses what is not strict JSON`(text: String, error: JSONError) {
    let failure = #expect(throws: JSONError.self) { try parse(text) }
    #expect(failure == error)
  }

  @Test func `refuses bytes that are not UTF-8`() {
    for bytes: [UInt8] in [[0xFF, 0xFE, 0, 1], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]] {
      #expect(throws: JSONError.self) { try JSONValue(parsing: bytes[...]) }
    }
  }

  @Test func `skips one byte order mark`() throws {
    #expect(try parse("\u{FEFF}{\"a\":7}")["a"]?.integer == 7)
  }

  @Test func `accepts 64 levels and refuses 65`() throws {
    #expect(try parse(nested(64)).kind == .array)
    #expect(throws: JSONError.tooDeep) { try parse(nested(65)) }
    #expect(throws: JSONError.self) { try parse(String(repeating: "[", count: 100_000)) }
    #expect(throws: JSONError.tooDeep) { try parse(nested(100_000)) }
    let deeper = try JSONValue(parsing: Array(nested(66).utf8)[...], depthMax: 66)
    #expect(deeper.kind == .array)
  }

  @Test func `reads five megabytes and many keys`() throws {
    let text = "[" + String(repeating: "\"0123456789\",", count: 400_000) + "1]"
    #expect(try parse(text).elements.count == 400_001)
    let keys = (0..<50_000).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
    #expect(try parse("{\(keys)}")["k49999"]?.integer == 49_999)
    #expect(throws: JSONError.duplicateKey) { try parse("{\(keys),\"k17\":1}") }
  }

  @Test func `keeps whole doubles apart from integers`() throws {
    #expect(try parse("1999.0").integer == nil)
    #expect(try parse("1e3").integer == nil)
    #expect(try parse("1e3").double == 1000)
    #expect(try parse("9223372036854775807").integer == .max)
    #expect(try parse("-9223372036854775808").integer == .min)
    #expect(try parse("-0").integer == 0)
  }

  @Test func `names that begin alike are told apart, and found again`() throws {
    let value = try parse(#"{"":0,"expected_a":1,"expected_b":2,"expected":3,"expecte":4}"#)
    #expect(value["expected_b"]?.integer == 2)
    #expect(value["expected"]?.integer == 3)
    #expect(value[""]?.integer == 0)
    #expect(throws: JSONError.duplicateKey) { try parse(#"{"expected_a":1,"expected_b":2,"expected_a":3}"#) }
    #expect(throws: JSONError.duplicateKey) { try parse(#"{"":1,"":2}"#) }
  }

  @Test func `a text that escapes nothing is plain`() throws {
    #expect(try parse(#"{"a":"b/é"}"#).document.isPlain)
    #expect(try parse(#"{"a":"b\/"}"#).document.isPlain == false)
  }
}
