// What a command has done of a topic, through a committed offset and back.

import Testing
import WorkerEngine

@Suite("Offset ledger")
struct OffsetLedgerTests {
  @Test("what is marked is done; neighbours join; the frontier passes what is done")
  func marks() throws {
    var ledger = OffsetLedger(frontier: 0)
    ledger.mark(5..<6)
    ledger.mark(8..<10)
    #expect(ledger.frontier == 0)
    #expect((0..<12).filter { ledger.contains($0) } == [5, 8, 9])
    ledger.mark(6..<8)
    ledger.mark(0..<1)
    #expect(ledger.frontier == 1)
    ledger.mark(1..<5)
    #expect(ledger.frontier == 10)
    #expect(ledger.metadata == "w1..A.")
    ledger.mark(3..<4)
    #expect(ledger.frontier == 10)
  }

  @Test("the metadata read back says the same")
  func roundTrip() throws {
    var ledger = OffsetLedger(frontier: 100)
    for start in [103, 200, 1_000_000] as [Int64] { ledger.mark(start..<start + 7) }
    let text = try #require(ledger.metadata)
    #expect(try OffsetLedger(frontier: 100, metadata: text) == ledger)
    #expect(try OffsetLedger(frontier: 100, metadata: "") == OffsetLedger(frontier: 100))
  }

  @Test("metadata of another program is not taken for ours; too many pieces are told, not cut")
  func limits() throws {
    #expect(throws: FinishedSetUnreadable.foreign) { try OffsetLedger(frontier: 0, metadata: "consumer 7") }
    var ledger = OffsetLedger(frontier: 0)
    for piece in 1...3_000 as ClosedRange<Int64> { ledger.mark(piece * 2..<piece * 2 + 1) }
    #expect(ledger.metadata == nil)
  }

  @Test("random marks: done is what was marked, in any order", arguments: 1...20)
  func random(seed: UInt64) throws {
    var state = seed
    var ledger = OffsetLedger(frontier: 0)
    var done: Set<Int64> = []
    for _ in 0..<60 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let start = Int64(state >> 40) % 90
      let end = start + Int64(state >> 20) % 7
      ledger.mark(start..<max(start, end))
      done.formUnion(start..<max(start, end))
      ledger = try OffsetLedger(frontier: ledger.frontier, metadata: try #require(ledger.metadata))
      #expect((0..<120).filter { ledger.contains($0) } == (0..<120).filter { done.contains($0) })
    }
  }
}
