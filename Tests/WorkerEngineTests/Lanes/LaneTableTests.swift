// The table of lanes: who may start, who waits for whom, and that no lane is lost however long its run of neighbours is.

import CheckoutCore
import Testing

@testable import WorkerEngine

@Suite("Lane tables")
struct LaneTableTests {
  @Test("Equal keys in different storage have one hash")
  func sameKey() {
    let padded = Bytes(Array("xxabcxx".utf8), start: 2, count: 3)
    #expect(padded.hash(seed: 1) == Bytes("abc").hash(seed: 1))
  }

  @Test("A message waits for the one before it and is told of when that one leaves")
  func order() {
    var table = LaneTable()
    let first = table.enter(7, interrupting: false)
    let second = table.enter(7, interrupting: false)
    let beforeSecond = table.wait(11, in: 7)
    let third = table.enter(7, interrupting: true)
    let beforeThird = table.wait(12, in: 7)
    #expect([first, second, third] == [true, false, false], "nothing overtakes one that waits")
    #expect([beforeSecond, beforeThird] == [nil, 11])
    let next = table.leave(7)
    let secondStarts = table.release(7, interrupting: false, next: 12)
    let thirdStarts = table.release(7, interrupting: true, next: nil)
    #expect(next == 11 && secondStarts && thirdStarts)
    let ends = [table.leave(7), table.leave(7)]
    #expect(ends == [nil, nil])
    #expect(table.count == 0)
  }

  @Test("An interrupting message starts beside one that has started; an ordinary one behind it does not")
  func interrupting() {
    var table = LaneTable()
    let starts = [table.enter(7, interrupting: false), table.enter(7, interrupting: true)]
    let third = table.enter(7, interrupting: false)
    #expect(starts == [true, true] && !third)
    _ = table.wait(5, in: 7)
    let afterOne = table.leave(7)
    let tooEarly = table.release(7, interrupting: false, next: nil)
    let afterBoth = table.leave(7)
    let inTime = table.release(7, interrupting: false, next: nil)
    #expect(afterOne == 5 && afterBoth == 5)
    #expect(!tooEarly && inTime)
  }

  @Test("The table agrees with a dictionary over random arrivals and departures")
  func model() {
    var random = SplitMix64(seed: 21)
    var table = LaneTable()
    var started: [UInt64: Int] = [:]
    for _ in 0..<20_000 {
      // Homes are few, so that runs are long and wrap around; hashes are many.
      let hash = UInt64(Int.random(in: 1..<400, using: &random)) << 32 | 0x3E
      if let count = started[hash], Bool.random(using: &random) {
        let waiting = table.leave(hash)
        #expect(waiting == nil)
        started[hash] = count > 1 ? count - 1 : nil
      } else {
        let mayStart = table.enter(hash, interrupting: true)
        #expect(mayStart)
        started[hash, default: 0] += 1
      }
      #expect(table.count == started.count)
    }
  }

  @Test("Hashes depend on every byte, on the length and on the seed")
  func hashing() {
    let texts = ["", "a", "b", "ab", "ba", "12345678", "123456789", "12345678\u{0}", "\u{0}", "\u{0}\u{0}"]
    #expect(Set(texts.map { text in Bytes(text).hash(seed: 1) }).count == texts.count)
    #expect(Bytes("a").hash(seed: 1) != Bytes("a").hash(seed: 2))
  }
}
