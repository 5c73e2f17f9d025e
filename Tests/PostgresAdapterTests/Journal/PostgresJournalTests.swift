// One batch, one transaction: what happens to the others when one row is refused, when a lock is held, when the clock goes
// back, when two connections write at once.

import CheckoutCore
import JournalQueue
import JournalSamples
import PostgresServer
import Testing

@testable import PostgresAdapter

@Suite(.serialized) struct PostgresJournalTests {
  private static func journal() throws -> (journal: PostgresJournal, address: String) {
    let address = try TestServer.sharedServer().emptySchema()
    let location = try PostgresLocation(address)
    _ = try PostgresSchema.migrate(location)
    return (try PostgresJournal(location), address)
  }

  private static func ask(_ journal: PostgresJournal, _ commands: [JournalCommand]) -> [JournalReply] {
    let answers = AnswerBox<JournalReply>()
    journal.submit(commands.enumerated().map { JournalRequest(id: UInt64($0), command: $1) }) { answers.put($0) }
    return answers.wait(for: commands.count).sorted { $0.id < $1.id }
  }

  private static func create(_ name: String, key: String? = nil) throws -> JournalCommand {
    let attempt = try #require(SampleAttempts.new(key ?? "key-of-\(name)-00000000", checkout: "chk_\(name)"))
    return .create(AttemptWrite(attempt, "w-\(name)"))
  }

  @Test("rows that the server refuses for their data are refused alone; all others of their batch are written")
  func badRows() throws {
    let (journal, address) = try Self.journal()
    defer { journal.close() }
    // A text of PostgreSQL holds no NUL.
    let commands = try (0..<60).map { number in
      try Self.create("\(number)", key: number % 40 == 7 ? "key-with-\u{0}-inside-\(number)" : nil)
    }
    let refused = JournalResult.refused(detail: "invalid byte sequence for encoding \"UTF8\": 0x00")
    let results = Self.ask(journal, commands).map(\.result)
    #expect(results.enumerated().allSatisfy { $1 == ($0 % 40 == 7 ? refused : .written) })
    #expect(try PostgresJournalReader(try PostgresLocation(address)).counts().attempts == 58)
    #expect(
      Self.ask(journal, [.find(AttemptID(merchantID: "m", idempotencyKey: "nul \u{0}"))]).map(\.result) == [refused])
  }

  @Test("another session's lock delays a batch without another answer")
  func locked() throws {
    let (journal, address) = try Self.journal()
    defer { journal.close() }
    #expect(Self.ask(journal, [try Self.create("held")]).map(\.result) == [.written])
    let location = try PostgresLocation(address)
    let other = try PostgresSession(location) { false }
    try other.run(sql: ["BEGIN", "SELECT 1 FROM checkout_attempts FOR UPDATE"])
    let answers = AnswerBox<JournalReply>()
    let held = try #require(SampleAttempts.new("key-of-held-00000000", checkout: "chk_held"))
    journal.submit([JournalRequest(id: 1, command: .update(AttemptWrite(held.next(), "w2")))]) { answers.put($0) }
    #expect(answers.all.isEmpty)
    try other.run(sql: ["COMMIT"])
    #expect(answers.wait(for: 1).map(\.result) == [.written])
  }

  @Test("of two connections that write the same version one wins and the other is told, 20 times")
  func twoConnections() throws {
    let (first, address) = try Self.journal()
    let second = try PostgresJournal(try PostgresLocation(address))
    defer {
      first.close()
      second.close()
    }
    #expect(first.id == second.id)
    for round in 0..<20 {
      let attempt = try #require(SampleAttempts.new("key-of-round-\(round)-000", checkout: "chk_\(round)"))
      #expect(Self.ask(first, [.create(AttemptWrite(attempt, "c-\(round)"))]).map(\.result) == [.written])
      let answers = AnswerBox<JournalReply>()
      for (index, journal) in [first, second].enumerated() {
        let next = attempt.next { $0.lastTrouble = "writer \(index)" }
        journal.submit([JournalRequest(id: UInt64(index), command: .update(AttemptWrite(next, "w-\(round)-\(index)")))])
        { answers.put($0) }
      }
      let results = answers.wait(for: 2).sorted { $0.id < $1.id }.map(\.result)
      let winner = try #require(results.firstIndex(of: .written))
      let row = attempt.next { $0.lastTrouble = "writer \(winner)" }
      #expect(results[1 - winner] == .conflict(AttemptView(attempt: row, ownedUntil: nil)))
    }
  }

  @Test(
    "two connections create attempts of the same checkouts in opposite order: one each is written, the other blocked")
  func opposite() throws {
    let (first, address) = try Self.journal()
    let second = try PostgresJournal(try PostgresLocation(address))
    defer {
      first.close()
      second.close()
    }
    let answers = AnswerBox<JournalReply>()
    for (index, journal) in [first, second].enumerated() {
      let commands = try (0..<300).map { number in
        let checkout = index == 0 ? number : 299 - number
        let attempt = try #require(
          SampleAttempts.new("key-\(index)-of-\(checkout)-00000", checkout: "chk_\(checkout)"))
        return JournalCommand.create(AttemptWrite(attempt, "w\(index)-\(checkout)"))
      }
      journal.submit(commands.enumerated().map { JournalRequest(id: UInt64($0), command: $1) }) { answers.put($0) }
    }
    let results = answers.wait(for: 600).map(\.result)
    #expect(results.count { $0 == .written } == 300)
    #expect(results.count { if case .blocked = $0 { true } else { false } } == 300)
    #expect(try PostgresJournalReader(try PostgresLocation(address)).counts().open == 300)
  }

  @Test("journal time goes on when the server's clock is behind what was recorded")
  func clockBehind() throws {
    let (first, address) = try Self.journal()
    let server = try TestServer.sharedServer()
    let lease = JournalCommand.lease(WorkerID("w/1"), duration: .seconds(10))
    #expect(Self.ask(first, [lease]).count == 1)
    // As if the clock had been an hour ahead when that lease was taken.
    try server.run("UPDATE checkout_workers SET renewed_at = renewed_at + 3600000000000", on: address)
    let one = try #require(Self.ask(first, [lease]).first)
    let two = try #require(Self.ask(first, [.endLease(WorkerID("w/2"))]).first)
    #expect(two.at > one.at)
    #expect(two.at - one.at < .seconds(30))
    first.close()
  }
}
