// The samples' files: requests and what they lead to, line by line.

import CheckoutCore
import CheckoutTools
import Testing
import WorkerEngine

@Suite struct SampleSetTests {
  private static func set(_ requests: String, _ expected: String, _ poison: String = "") throws -> SampleSet {
    try SampleSet(requests: Array(requests.utf8), expected: Array(expected.utf8), poison: Array(poison.utf8))
  }

  private static func problem(_ requests: String, _ expected: String, _ poison: String = "") -> String? {
    do {
      _ = try set(requests, expected, poison)
      return nil
    } catch {
      return (error as? SampleProblem)?.detail
    }
  }

  @Test("a request stands beside its expectation; members that are not given are not looked at")
  func requests() throws {
    let sample = try #require(
      try Self.set(
        "{\"merchant_id\":\"shop-eu\",\"checkout_id\":\"chk_1\"}",
        "{\"what\":\"declined\",\"expect\":\"checkout.failed\",\"codes\":[\"payment_declined\"],\"charges\":0}"
      ).samples.first)
    #expect(sample.title == "declined")
    #expect(sample.checkout == CheckoutKey(merchantID: "shop-eu", checkoutID: "chk_1"))
    #expect(sample.message.key == Bytes("chk_1"))
    #expect(sample.expectation.answer == "checkout.failed")
    #expect(sample.expectation.codes == ["payment_declined"])
    #expect(sample.expectation.charges == 0)
    #expect(sample.expectation.receipts == nil)
    #expect(!sample.expectation.refundsEqualCharges)
  }

  @Test("poison is given as base64, so that any bytes can be sent, and none at all")
  func poison() throws {
    let samples = try Self.set(
      "", "",
      """
      {"name":"bytes","expect":"dead-letter malformed_json","key_base64":"AP8=","value_base64":"ew=="}
      {"name":"tombstone","expect":"skipped","key_base64":null,"value_base64":null}
      """
    ).samples
    #expect(samples.map(\.message.name) == ["bytes", "tombstone"])
    #expect(samples.map(\.message.key) == [Bytes([0x00, 0xFF]), nil])
    #expect(samples.map(\.message.value) == [Bytes("{"), nil])
    #expect(samples.map(\.expectation.answer) == ["dead-letter malformed_json", "skipped"])
  }

  @Test("files that do not fit together are refused, with the place")
  func problems() {
    #expect(Self.problem("{}\n{}", "{}") == "requests.ndjson and expected.ndjson differ in length")
    #expect(Self.problem("{}\n{}", "{}\n{")?.hasPrefix("expected.ndjson:2: ") == true)
    #expect(Self.problem("", "", "{\"name\":\"x\"}") == "poison.ndjson: a line without name or expect")
    #expect(
      Self.problem("", "", "{\"name\":\"x\",\"expect\":\"y\",\"value_base64\":\"*\"}") == "poison.ndjson: not base64")
  }
}
