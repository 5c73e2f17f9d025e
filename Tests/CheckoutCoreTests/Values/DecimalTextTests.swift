// Numbers written straight into bytes.
import CheckoutCore
import Testing

struct DecimalTextTests {
  @Test(
    arguments: [
      (0, "0"), (7, "7"), (9, "9"), (10, "10"), (99, "99"), (100, "100"), (-1, "-1"),
      (1_796_040_001_000, "1796040001000"),
      (999_999_999_999_999_999, "999999999999999999"), (1_000_000_000_000_000_000, "1000000000000000000"),
      (.max, "9223372036854775807"), (.min, "-9223372036854775808"),
    ] as [(Int64, String)])
  func `writes every integer as people do`(value: Int64, text: String) {
    var bytes: [UInt8] = [0x78]
    bytes.append(decimal: value)
    #expect(String(decoding: bytes, as: UTF8.self) == "x" + text)
  }

  @Test func `hex digits are lower case, two for each byte`() {
    var bytes: [UInt8] = []
    bytes.append(hex: [0x00, 0x0F, 0xA9, 0xFF])
    #expect(String(decoding: bytes, as: UTF8.self) == "000fa9ff")
  }
}
