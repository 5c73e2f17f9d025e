// A person's word: what is refused before it is said, and how its fate is read from the journal.

import CheckoutCore
import CheckoutStages
import CheckoutTools
import CheckoutWire
import JournalSamples
import Testing
import WorkerEngine

@Suite("A person's word")
struct PersonsWordPlanTests {
  private func word(
    _ row: Attempt, _ resolution: ResolvedAs?, version: Int64? = nil, refundedOutside: String? = nil
  ) -> PersonsWord {
    PersonsWord(
      attempt: row.identity, rowVersion: version ?? row.version, journalID: "j1", resolution: resolution,
      who: "ana@host",
      note: "seen", refundedOutside: refundedOutside)
  }

  private func plan(_ row: Attempt, _ word: PersonsWord) throws(WordRefusal) -> PersonsWordPlan {
    try PersonsWordPlan(
      word, about: row, identifiers: Identifiers(digest: SHA256.digest), topics: TopicNames(),
      at: SampleAttempts.start + .seconds(200))
  }

  @Test("a word about another version, or about an attempt that is not parked, is refused")
  func refused() throws {
    let row = try ParkedItemTests.row(1)
    #expect(throws: WordRefusal.otherVersion(now: 4)) { try plan(row, word(row, nil, version: 3)) }
    let free = try ParkedItemTests.row(1) { $0.parked = nil }
    #expect(throws: WordRefusal.notParked(state: "receipting")) { try plan(free, word(free, nil)) }
  }

  @Test(
    "unpaid while money is held needs evidence; completed and retry do not", arguments: [ResolvedAs.failed, .cancelled])
  func evidence(resolution: ResolvedAs) throws {
    let row = try ParkedItemTests.row(1)
    #expect(throws: WordRefusal.moneyHeld(.refundedOutside)) { try plan(row, word(row, resolution)) }
    #expect(try plan(row, word(row, resolution, refundedOutside: "re_1")).word.refundedOutside == "re_1")
    #expect(try plan(row, word(row, .completed)).word.resolution == .completed)
    #expect(try plan(row, word(row, nil)).word.resolution == nil)
  }

  @Test("the event goes to checkout.pending under the checkout's key, and reconciliation reads it")
  func event() throws {
    let row = try ParkedItemTests.row(1)
    let output = try plan(row, word(row, .failed, refundedOutside: "re_1")).output
    #expect(output.topic == "checkout.pending")
    #expect(output.key.map { String(decoding: $0.slice, as: UTF8.self) } == "chk_1")
    let event = try EventDecoder.reconciliationInput(
      InboundMessage(
        value: output.value?.slice, headers: output.headers.map { (name: $0.name.slice, value: $0.value?.slice) }))
    #expect(event.type == .parkedResolve)
    #expect(event.content == .word(word(row, .failed, refundedOutside: "re_1")))
  }

  @Test("its fate: waiting, overtaken by somebody else's write, applied, settled")
  func fate() throws {
    let row = try ParkedItemTests.row(1)
    let plan = try plan(row, word(row, nil))
    #expect(plan.fate(of: row, history: []) == .waiting)
    let open = try ParkedItemTests.row(1) {
      $0.version = 5
      $0.parked = nil
    }
    func write(_ word: String) -> RecordedWrite {
      RecordedWrite(
        version: 5, at: SampleAttempts.start, writeID: "w", steps: [Step("retried by a person", [.init("word", word)])])
    }
    #expect(plan.fate(of: open, history: [write("another")]) == .overtaken)
    #expect(plan.fate(of: open, history: [write(plan.eventID)]) == .applied)
    let again = try ParkedItemTests.row(1) { $0.version = 6 }
    #expect(plan.fate(of: again, history: [write(plan.eventID)]) == .settled(again))
  }
}
