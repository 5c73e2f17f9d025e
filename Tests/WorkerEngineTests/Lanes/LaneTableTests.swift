// The table of lanes: keys are told apart by their bytes, also when their hashes are equal.

import CheckoutCore
import Testing

@testable import WorkerEngine

@Suite("Lane tables")
struct LaneTableTests {
  @Test("Equal keys in different storage are one lane")
  func sameKey() {
    var table = LaneTable()
    let first = table.open(Bytes("abc"), hash: Bytes("abc").hash(seed: 1))
    let padded = Bytes(Array("xxabcxx".utf8), start: 2, count: 3)
    #expect(table.open(padded, hash: padded.hash(seed: 1)) == first)
    #expect(table.count == 1)
  }

  @Test("Keys with equal hashes are different lanes")
  func collision() {
    var table = LaneTable()
    let lanes = (0..<40).map { index in table.open(Bytes("key-\(index)"), hash: 5) }
    #expect(Set(lanes).count == 40)
    for index in stride(from: 0, to: 40, by: 2) { table.close(lanes[index]) }
    for index in stride(from: 1, to: 40, by: 2) { #expect(table.open(Bytes("key-\(index)"), hash: 5) == lanes[index]) }
    #expect(table.count == 20)
  }

  @Test("The table agrees with a dictionary over random opens and closes")
  func model() {
    var random = SplitMix64(seed: 21)
    var table = LaneTable()
    var model: [String: Int32] = [:]
    for _ in 0..<20_000 {
      let name = "k\(Int.random(in: 0..<400, using: &random))"
      let key = Bytes(name)
      if let lane = model[name], Bool.random(using: &random) {
        table.close(lane)
        model[name] = nil
      } else {
        // Few bits of hash, so that runs are long and wrap around.
        let lane = table.open(key, hash: key.hash(seed: 9) & 0x3F)
        #expect(model[name] == nil || model[name] == lane)
        model[name] = lane
      }
      #expect(table.count == model.count)
    }
  }

  @Test("Hashes depend on every byte, on the length and on the seed")
  func hashing() {
    let texts = ["", "a", "b", "ab", "ba", "12345678", "123456789", "12345678\u{0}", "\u{0}", "\u{0}\u{0}"]
    #expect(Set(texts.map { text in Bytes(text).hash(seed: 1) }).count == texts.count)
    #expect(Bytes("a").hash(seed: 1) != Bytes("a").hash(seed: 2))
  }
}
