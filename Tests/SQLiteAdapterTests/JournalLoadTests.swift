// The journal while several threads use it: every request is answered once, closing loses nothing that was acknowledged,
// and the history says what was written.

import CheckoutCore
import JournalQueue
import JournalSamples
import Operations
import Testing

@testable import SQLiteAdapter

@Suite(.serialized) struct JournalLoadTests {
  private static let time = JournalTimeSource(wall: { SampleAttempts.start }, boot: nil)

  @Test("closing while others submit answers what was accepted, once, and every acknowledged row is there, 50 times")
  func closeUnderLoad() throws {
    for _ in 0..<50 {
      let folder = try TemporaryFolder()
      let path = folder.path("journal.db")
      let journal = try SQLiteJournal(path: path, missing: .create, time: Self.time)
      let answers = AnswerBox<JournalReply>()
      let submitters = try (0..<3).map { thread in
        try NamedThread(name: "submitter") {
          for number in 0..<30 {
            let name = "t\(thread)-n\(number)"
            guard let attempt = SampleAttempts.new("key-\(name)-000000000000", checkout: name) else { continue }
            let request = JournalRequest(
              id: UInt64(thread * 1000 + number), command: .create(AttemptWrite(attempt, name)))
            journal.submit([request]) { answers.put($0) }
          }
        }
      }
      _ = answers.wait(for: 5)
      #expect(journal.close(patience: .seconds(30)))
      for submitter in submitters { submitter.join() }
      let replies = answers.all
      #expect(Set(replies.map(\.id)).count == replies.count)
      #expect(replies.allSatisfy { $0.result == .written })
      let reader = try SQLiteJournalReader(path: path) { SampleAttempts.start }
      #expect(try reader.counts().attempts == Int64(replies.count))
    }
  }

  @Test("of two connections that write the same version one wins and the other is told, 50 times")
  func twoConnections() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("journal.db")
    let journals = try (0..<2).map { _ in try SQLiteJournal(path: path, missing: .create, time: Self.time) }
    #expect(journals[0].id == journals[1].id)
    for round in 0..<50 {
      let attempt = try #require(SampleAttempts.new("key-of-round-\(round)-000", checkout: "chk_\(round)"))
      let created = AnswerBox<JournalReply>()
      journals[0].submit([JournalRequest(id: 0, command: .create(AttemptWrite(attempt, "c-\(round)")))]) {
        created.put($0)
      }
      #expect(created.wait(for: 1).map(\.result) == [.written])
      let answers = AnswerBox<JournalReply>()
      for (index, journal) in journals.enumerated() {
        let next = attempt.next { $0.lastTrouble = "writer \(index)" }
        journal.submit([JournalRequest(id: UInt64(index), command: .update(AttemptWrite(next, "w-\(round)-\(index)")))])
        { answers.put($0) }
      }
      let results = answers.wait(for: 2).sorted { $0.id < $1.id }.map(\.result)
      let winner = try #require(results.firstIndex(of: .written))
      let row = attempt.next { $0.lastTrouble = "writer \(winner)" }
      #expect(results[1 - winner] == .conflict(AttemptView(attempt: row, ownedUntil: nil)))
    }
    for journal in journals { journal.close() }
  }

  @Test("the history has each write's version, time, name and steps, in order")
  func history() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("journal.db")
    let journal = try SQLiteJournal(path: path, missing: .create, time: Self.time)
    let attempt = try #require(SampleAttempts.new("key-of-the-history"))
    let steps = [
      Step("reserved", [Step.Detail("hold", "res_1"), Step.Detail("words", "a \"quoted\" \u{1F9FE}\n")]),
      Step("charge sent"),
    ]
    let answers = AnswerBox<JournalReply>()
    journal.submit([
      JournalRequest(id: 1, command: .create(AttemptWrite(attempt, "w1"))),
      JournalRequest(
        id: 2,
        command: .update(AttemptWrite(row: attempt.next(), expectedEpoch: 1, writeID: "w2", steps: steps))),
      JournalRequest(
        id: 3,
        command: .update(AttemptWrite(row: attempt.next().next(), expectedEpoch: nil, writeID: "w3", steps: []))),
      JournalRequest(id: 4, command: .update(AttemptWrite(attempt.next(), "lost"))),
    ]) { answers.put($0) }
    _ = answers.wait(for: 4)
    journal.close()
    let reader = try SQLiteJournalReader(path: path) { SampleAttempts.start }
    #expect(
      try reader.history(of: attempt.identity.attemptID) == [
        RecordedWrite(
          version: 1, at: SampleAttempts.start, writeID: "w1", steps: [Step("wrote", [Step.Detail("id", "w1")])]),
        RecordedWrite(version: 2, at: SampleAttempts.start, writeID: "w2", steps: steps),
        RecordedWrite(version: 3, at: SampleAttempts.start, writeID: "w3", steps: []),
      ])
  }
}
