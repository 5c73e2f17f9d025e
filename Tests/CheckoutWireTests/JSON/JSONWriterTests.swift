// What the writer writes, read back by an independent reader.
import CheckoutWire
import Testing

struct JSONWriterTests {
  @Test func `writes commas, nesting and all kinds`() {
    var writer = JSONWriter()
    writer.beginObject()
    writer.field("a", 1)
    writer.key("b")
    writer.beginArray()
    writer.integer(.min)
    writer.integer(.max)
    writer.beginObject()
    writer.endObject()
    writer.bool(true)
    writer.null()
    writer.raw(Array("[1]".utf8)[...])
    writer.endArray()
    writer.field("c", ifPresent: nil as String?)
    writer.field("d", false)
    writer.endObject()
    #expect(
      String(decoding: writer.bytes, as: UTF8.self)
        == #"{"a":1,"b":[-9223372036854775808,9223372036854775807,{},true,null,[1]],"d":false}"#)
  }

  @Test func `every character reads back the same`() throws {
    let awkward = (1..<0x300).compactMap { Unicode.Scalar($0) } + ["\u{2028}", "\u{FFFF}", "\u{1F600}", "\u{10FFFF}"]
    for scalar in awkward {
      let text = "a" + String(scalar) + "z"
      var writer = JSONWriter()
      writer.beginObject()
      writer.key(named: text)
      writer.string(text)
      writer.endObject()
      let value = try JSONValue(parsing: writer.bytes[...])
      #expect(value.members.first?.name.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
      #expect(value.members.first?.value.string?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
    }
  }

  @Test(arguments: [
    ("0.0", "0"), ("-0.0", "0"), ("1", "1"), ("-1.5", "-1.5"), ("100", "100"), ("1e20", "100000000000000000000"),
    ("1e21", "1e+21"), ("1.5e21", "1.5e+21"), ("123456789012345680000", "123456789012345680000"),
    ("1e-6", "0.000001"), ("1e-7", "1e-7"), ("1.25e-7", "1.25e-7"), ("5e-324", "5e-324"),
    ("1.7976931348623157e308", "1.7976931348623157e+308"), ("0.1", "0.1"), ("4.50", "4.5"), ("2e-3", "0.002"),
    ("333333333.33333329", "333333333.3333333"), ("1e-27", "1e-27"), ("9007199254740992", "9007199254740992"),
    ("295147905179352830000", "295147905179352830000"), ("0.000001234", "0.000001234"),
  ])
  func `writes doubles as ECMAScript does`(source: String, text: String) throws {
    let value = try #require(Double(source))
    #expect(ecmaScriptText(value) == text)
  }
}
