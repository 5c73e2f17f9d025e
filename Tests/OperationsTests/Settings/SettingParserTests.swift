// Tests of values: times, sizes, addresses, and their bounds.

import Testing

@testable import Operations

@Suite("Values of settings")
struct SettingParserTests {
  @Test(
    "times",
    arguments: [
      ("250ms", 250_000_000), ("10s", 10_000_000_000), ("5m", 300_000_000_000), ("24h", 86_400_000_000_000),
      ("0", 0), ("7us", 7_000), ("1d", 86_400_000_000_000),
    ] as [(String, Int64)])
  func durations(_ text: String, _ nanoseconds: Int64) {
    #expect(SettingParser.duration(text) == nanoseconds)
  }

  @Test("no times", arguments: ["10", "s", "-5s", "1.5s", "10 s", "9999999999999h", "", "٣s"])
  func noDurations(_ text: String) {
    #expect(SettingParser.duration(text) == nil)
  }

  @Test(
    "sizes",
    arguments: [("900", 900), ("512KiB", 524_288), ("64MiB", 67_108_864), ("1GiB", 1_073_741_824), ("5kB", 5_000)]
      as [(String, Int64)])
  func sizes(_ text: String, _ bytes: Int64) {
    #expect(SettingParser.size(text) == bytes)
  }

  @Test("no sizes", arguments: ["", "KiB", "-1", "1.5MiB", "99999999999GiB", "5K"])
  func noSizes(_ text: String) {
    #expect(SettingParser.size(text) == nil)
  }

  @Test("addresses, with names, IPv4 and IPv6")
  func addresses() {
    #expect(
      SettingParser.addresses("kafka-1:9092, 10.0.0.1:9093,[::1]:1") == [
        HostPort(host: "kafka-1", port: 9092), HostPort(host: "10.0.0.1", port: 9093), HostPort(host: "::1", port: 1),
      ])
    #expect(HostPort(host: "::1", port: 1).description == "[::1]:1")
  }

  @Test(
    "no addresses", arguments: ["", "kafka", "kafka:", ":9092", "a:65536", "::1:9092", "http://a:1", "a b:1", "a:1,b"])
  func noAddresses(_ text: String) {
    #expect(SettingParser.addresses(text) == nil)
  }

  @Test("bounds belong to the range")
  func bounds() {
    #expect(SettingParser.value("1", .integer(1...5)) == .integer(1))
    #expect(SettingParser.value("5", .integer(1...5)) == .integer(5))
    #expect(SettingParser.value("6", .integer(1...5)) == nil)
    #expect(SettingParser.value("1s", .duration(0...999_999_999)) == nil)
    #expect(SettingParser.value("YES", .flag) == .flag(true))
    #expect(SettingParser.value("maybe", .flag) == nil)
  }

  @Test("a value is written as one would write it")
  func writing() {
    #expect(SettingParser.text(.duration(nanoseconds: 90_000_000_000)) == "90s")
    #expect(SettingParser.text(.duration(nanoseconds: 0)) == "0s")
    #expect(SettingParser.text(.size(bytes: 524_288)) == "512KiB")
    #expect(SettingParser.text(.size(bytes: 0)) == "0")
  }
}
