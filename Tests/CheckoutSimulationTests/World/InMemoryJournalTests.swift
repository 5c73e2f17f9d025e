// What the simulated journal adds to every journal's duties (ConformanceTests): the moment of a commit is the caller's.

import CheckoutCore
import CheckoutSimulation
import JournalSamples
import Testing

@Suite struct InMemoryJournalTests {
  private static func journal() -> InMemoryJournal {
    InMemoryJournal(id: "journal-1", delivery: .onFlush) { SampleAttempts.start }
  }

  private static func create(_ key: String, id: UInt64) throws -> JournalRequest {
    let attempt = try #require(SampleAttempts.new("key-of-\(key)-00000000", checkout: key))
    return JournalRequest(id: id, command: .create(AttemptWrite(attempt, "w-\(key)")))
  }

  @Test("until it is flushed nothing is written and nothing answered; then in order, as many as asked")
  func flushing() throws {
    let journal = Self.journal()
    let answers = AnswerBox<JournalReply>()
    journal.submit([try Self.create("a", id: 1), try Self.create("b", id: 2)]) { answers.put($0) }
    #expect(journal.queued == 2)
    #expect(answers.all == [])
    journal.flush(limit: 1)
    #expect(answers.all == [JournalReply(id: 1, result: .written, at: SampleAttempts.start)])
    #expect(journal.attempts().map(\.identity.checkoutID) == ["a"])
    journal.flush()
    #expect(answers.all.map(\.id) == [1, 2])
    #expect(journal.queued == 0)
  }

  @Test("a crash before the commit leaves nothing, a lost reply leaves the row")
  func crashes() throws {
    let journal = Self.journal()
    let answers = AnswerBox<JournalReply>()
    journal.submit([try Self.create("a", id: 1)]) { answers.put($0) }
    journal.dropQueued()
    journal.flush()
    #expect(journal.attempts() == [])
    journal.submit([try Self.create("b", id: 2)]) { answers.put($0) }
    journal.flush(answering: false)
    #expect(answers.all == [])
    let row = try #require(journal.attempts().first)
    #expect(
      journal.history(of: row.identity.attemptID) == [
        JournalHistoryEntry(
          version: 1, at: SampleAttempts.start, writeID: "w-b", steps: [Step("wrote", [Step.Detail("id", "w-b")])])
      ])
    // The same write again is known as done.
    journal.submit([try Self.create("b", id: 3)]) { answers.put($0) }
    journal.flush()
    #expect(answers.all == [JournalReply(id: 3, result: .written, at: SampleAttempts.start)])
  }
}
