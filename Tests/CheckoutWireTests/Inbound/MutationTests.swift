// Damaged samples, 20,000 of them from a fixed seed: decoding never traps and always gives exactly one answer.

import CheckoutCore
import CheckoutWire
import Testing

private let splices = [
  "\"", "\\", "{", "}", "[", "]", ",", ":", "null", "1e400", "-", "\\u0000", "\\ud800", "4111111111111111",
  "99999999999999999999", "\u{FEFF}", "true", "0.1", "\"a\":1,", "2026-11-30T23:59:60Z",
].map { Array($0.utf8) }

private func mutate(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
  var bytes = bytes
  for _ in 0...random.below(4) {
    let at = random.below(bytes.count)
    switch random.below(6) {
    case 0: if !bytes.isEmpty { bytes[at] = UInt8(truncatingIfNeeded: random.next()) }
    case 1: if !bytes.isEmpty { bytes.remove(at: at) }
    case 2: bytes.insert(contentsOf: splices[random.below(splices.count)], at: at)
    case 3: bytes.removeLast(random.below(bytes.count))
    case 4: bytes.removeSubrange(at..<min(bytes.count, at + random.below(20)))
    default: bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + random.below(60))], at: at)
    }
  }
  return bytes
}

struct MutationTests {
  @Test func `damaged messages never trap and keep their promises`() throws {
    var random = SplitMix64(seed: 20_261_130)
    let samples = try SampleFiles.lines("samples/requests.ndjson").map { Array($0) }
    let decoder = InboundDecoder()
    var counts: [String: Int] = [:]
    for round in 0..<20_000 {
      let bytes = mutate(samples[random.below(samples.count)], &random)
      let structured = round % 7 == 0
      let headers: [InboundMessage.Header] =
        structured ? [(Array("content-type".utf8)[...], Array("application/cloudevents+json".utf8)[...])] : []
      let value = structured ? Array(#"{"data":"#.utf8) + bytes + Array("}".utf8) : bytes
      switch decoder.decode(InboundMessage(value: value[...], headers: headers)) {
      case .tombstone: counts["tombstone", default: 0] += 1
      case .request(let request):
        counts["request", default: 0] += 1
        let again = decoder.decode(InboundMessage(value: request.requestJSON, headers: []))
        #expect(again.request?.fingerprint == request.fingerprint)
      case .cancel: counts["cancel", default: 0] += 1
      case .refused(let refusal):
        counts["refused", default: 0] += 1
        #expect(!refusal.refusals.isEmpty)
      case .deadLetter: counts["deadLetter", default: 0] += 1
      }
    }
    #expect(counts["tombstone"] == nil)
    #expect(counts.values.reduce(0, +) == 20_000)
    for kind in ["request", "cancel", "refused", "deadLetter"] { #expect(counts[kind, default: 0] > 20, "\(kind)") }
  }
}
