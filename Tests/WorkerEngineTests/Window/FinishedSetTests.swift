// The text form of finished sets: what is written is read back, and what is not ours or not whole is refused.

import CheckoutCore
import Testing

@testable import WorkerEngine

@Suite("Finished sets")
struct FinishedSetTests {
  private func write(
    _ ranges: [Range<Int64>], frontier: Int64, context: String = "j1", timestamp: Int64? = 1_796_040_000_000,
    charactersMax: Int = FinishedSet.charactersMax
  ) -> String? {
    var writer = FinishedSetWriter(
      context: context, frontierTimestamp: timestamp, frontier: frontier, charactersMax: charactersMax)
    for range in ranges {
      writer.append(upTo: range.lowerBound, finished: false)
      writer.append(upTo: range.upperBound, finished: true)
    }
    return writer.finish()
  }

  @Test("The form is pinned: it outlives versions")
  func form() throws {
    #expect(write([], frontier: 7, context: "", timestamp: nil) == "w1..A.")
    #expect(write([10..<13, 50..<51], frontier: 7, context: "j-1", timestamp: nil) == "w1.j-1.A.DDlBB")
    let read = try FinishedSet.decode("w1.j-1.A.DDlBB", frontier: 7)
    #expect(read == FinishedSet(context: "j-1", frontierTimestamp: nil, ranges: [10..<13, 50..<51]))
  }

  @Test("The time of the record before the frontier stands where that at the frontier is unknown")
  func previousTime() throws {
    let unknown = FinishedSetWriter(context: "j", frontierTimestamp: nil, previousTimestamp: 61, frontier: 7).finish()
    #expect(unknown == "w1.j.A-B.")
    let read = try FinishedSet.decode("w1.j.A-B.", frontier: 7)
    #expect(read == FinishedSet(context: "j", frontierTimestamp: nil, previousTimestamp: 61, ranges: []))
    let known = FinishedSetWriter(context: "j", frontierTimestamp: 0, previousTimestamp: 61, frontier: 7).finish()
    #expect(known == "w1.j.B.")
    let before1970 = FinishedSetWriter(context: "j", frontierTimestamp: nil, previousTimestamp: -1, frontier: 7)
      .finish()
    #expect(before1970 == "w1.j.A.")
    #expect(throws: FinishedSetUnreadable.damaged("timestamp")) {
      try FinishedSet.decode("w1.j.BB.", frontier: 7)
    }
  }

  @Test("No metadata is no set")
  func none() throws {
    #expect(try FinishedSet.decode("", frontier: 7) == nil)
  }

  @Test("A frontier that is itself finished, and times before 1970 or unknown")
  func edges() throws {
    let text = try #require(write([7..<9], frontier: 7, timestamp: -1))
    #expect(
      try FinishedSet.decode(text, frontier: 7)
        == FinishedSet(context: "j1", frontierTimestamp: nil, ranges: [7..<9]))
    let zero = try #require(write([], frontier: 0, timestamp: 0))
    #expect(try FinishedSet.decode(zero, frontier: 0)?.frontierTimestamp == 0)
    let far = try #require(write([Int64.max - 5..<Int64.max - 1], frontier: 0))
    #expect(try FinishedSet.decode(far, frontier: 0)?.ranges == [Int64.max - 5..<Int64.max - 1])
  }

  @Test(
    "Foreign metadata is told from damaged",
    arguments: [
      ("hello", FinishedSetUnreadable.foreign),
      ("w2.j.A.BB", .foreign),
      ("w1", .damaged("1 parts instead of 4")),
      ("w1.j.A.B=", .damaged("a character that is no digit")),
      ("w1.j.A.Bl", .damaged("ends inside a number")),
      ("w1.j.A.B", .damaged("ends with unfinished offsets")),
      ("w1.j.A.BABB", .damaged("an empty run")),
      ("w1.j.A.B_______________B", .damaged("a number beyond 63 bits")),
      ("w1.j..BB", .damaged("timestamp")),
    ])
  func unreadable(text: String, expected: FinishedSetUnreadable) {
    #expect(throws: expected) { try FinishedSet.decode(text, frontier: 7) }
  }

  @Test("Offsets beyond 64 bits are damage, not a trap")
  func overflow() {
    #expect(throws: FinishedSetUnreadable.damaged("offsets beyond 64 bits")) {
      try FinishedSet.decode("w1.j.A.BB", frontier: Int64.max - 1)
    }
  }

  @Test("4,096 characters pass, 4,097 do not")
  func limit() throws {
    let ranges = stride(from: Int64(1), to: 6001, by: 2).map { offset in offset..<offset + 1 }
    let whole = try #require(write(ranges, frontier: 0, charactersMax: 100_000))
    #expect(write(ranges, frontier: 0, charactersMax: whole.utf8.count) == whole)
    #expect(write(ranges, frontier: 0, charactersMax: whole.utf8.count - 1) == nil)
    #expect(write(ranges, frontier: 0) == nil)
  }

  @Test("1,300 unfinished messages fit, with up to 1,000 finished ones between two")
  func capacity() throws {
    var random = SplitMix64(seed: 11)
    for _ in 0..<50 {
      var ranges: [Range<Int64>] = []
      var offset: Int64 = 1_000_000_000
      for _ in 0..<1300 {
        let start = offset + 1
        offset = start + Int64.random(in: 1...1000, using: &random)
        ranges.append(start..<offset)
      }
      #expect(write(ranges, frontier: 1_000_000_000) != nil)
    }
  }

  @Test("What is written is read back, for any set")
  func roundTrip() throws {
    var random = SplitMix64(seed: 12)
    for _ in 0..<300 {
      let frontier = Int64.random(in: 0...1 << 40, using: &random)
      var ranges: [Range<Int64>] = []
      var offset = frontier
      for _ in 0..<Int.random(in: 0...60, using: &random) {
        let width = Int64(1) << Int64.random(in: 0...20, using: &random)
        let start = offset + Int64.random(in: 1...width, using: &random)
        offset = start + Int64.random(in: 1...width, using: &random)
        ranges.append(start..<offset)
      }
      let text = try #require(write(ranges, frontier: frontier))
      #expect(
        try FinishedSet.decode(text, frontier: frontier)
          == FinishedSet(context: "j1", frontierTimestamp: 1_796_040_000_000, ranges: ranges))
    }
  }

  @Test("A changed or cut text never traps")
  func mutilated() throws {
    var random = SplitMix64(seed: 13)
    let text = Array(try #require(write([10..<13, 50..<51, 999..<70_000], frontier: 7)).utf8)
    for _ in 0..<5000 {
      var changed = text
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        changed[Int.random(in: 0..<changed.count, using: &random)] = UInt8.random(in: 32...126, using: &random)
      }
      changed.removeLast(Int.random(in: 0...changed.count - 1, using: &random))
      let read = try? FinishedSet.decode(String(decoding: changed, as: UTF8.self), frontier: 7)
      for (earlier, later) in zip(read?.ranges ?? [], (read?.ranges ?? []).dropFirst()) {
        #expect(earlier.upperBound < later.lowerBound)
      }
    }
  }
}
