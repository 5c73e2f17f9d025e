// One batch, one transaction: what happens to the others when one row is refused, when the disk is full, when another
// process holds the file.

import CheckoutCore
import JournalQueue
import JournalSamples
import Testing

@testable import SQLiteAdapter

@Suite(.serialized) struct JournalStoreTests {
  private static func store(_ path: String) throws -> SQLiteJournalStore {
    try SQLiteJournalStore(
      path: path, missing: .create, time: JournalTimeSource(wall: { SampleAttempts.start }, boot: nil), newID: "id-1")
  }

  private static func batch(_ commands: [JournalCommand]) throws -> JournalBatch {
    let requests = commands.enumerated().map { JournalRequest(id: UInt64($0), command: $1) }
    return try #require(
      JournalBatch.batches(of: [Submission(requests: requests) { _ in }], limit: SQLiteJournalStore.batchMax).first)
  }

  private static func creates(
    _ prefix: String, _ count: Int, email: (Int) -> String = { _ in "a@example.com" }
  )
    throws -> [JournalCommand]
  {
    try (0..<count).map { number in
      let attempt = try #require(
        SampleAttempts.new(
          "\(prefix)-key-\(number)-00000000", checkout: "\(prefix)-\(number)", email: email(number)))
      return .create(AttemptWrite(attempt, "\(prefix)-\(number)"))
    }
  }

  private static func attempts(_ store: SQLiteJournalStore) throws -> Int64 {
    try store.database.integer("SELECT count(*) FROM attempts")
  }

  @Test("a row that SQLite refuses half-way leaves the others of its transaction as they are")
  func badRow() throws {
    let folder = try TemporaryFolder()
    let store = try Self.store(folder.path("journal.db"))
    // The attempt is inserted before its birth, which is too long here.
    store.database.limitLength(bytes: 3000)
    let long = String(repeating: "x", count: 4000)
    let commands = try Self.creates("bad", 7) { $0 == 2 || $0 == 5 ? long : "a@example.com" }
    let refused = JournalResult.refused(detail: "string or blob too big")
    #expect(
      try store.results(of: Self.batch(commands)) == [
        .written, .written, refused, .written, .written, refused, .written,
      ])
    #expect(try Self.attempts(store) == 5)
    #expect(try store.database.integer("SELECT count(*) FROM births") == 5)
    #expect(try store.database.integer("SELECT count(*) FROM steps") == 5)
  }

  @Test("with a full disk nothing of a batch happens; with room again the same batch is applied")
  func fullDisk() throws {
    let folder = try TemporaryFolder()
    let store = try Self.store(folder.path("journal.db"))
    let pages = try store.database.integer("PRAGMA page_count")
    try store.database.execute("PRAGMA max_page_count=\(pages + 4)")
    let batch = try Self.batch(Self.creates("full", 200))
    for _ in 0..<2 {
      #expect {
        _ = try store.results(of: batch)
      } throws: { error in
        (error as? SQLiteProblem)?.kind == .outage && (error as? SQLiteProblem)?.message == "database or disk is full"
      }
      #expect(try Self.attempts(store) == 0)
    }
    try store.database.execute("PRAGMA max_page_count=1000000")
    #expect(try store.results(of: batch) == Array(repeating: .written, count: 200))
    #expect(try Self.attempts(store) == 200)
  }

  @Test("a lock of another connection delays a batch and never fails it, 50 times")
  func locked() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("journal.db")
    let journal = try SQLiteJournal(
      path: path, missing: .create, time: JournalTimeSource(wall: { SampleAttempts.start }, boot: nil))
    let other = try SQLiteHandle(path: path, mode: .existing)
    for round in 0..<50 {
      let answers = AnswerBox<JournalReply>()
      try other.execute("BEGIN IMMEDIATE")
      let commands = try Self.creates("lock-\(round)", 3)
      journal.submit(commands.enumerated().map { JournalRequest(id: UInt64($0), command: $1) }) { answers.put($0) }
      #expect(answers.all.isEmpty)
      try other.execute("COMMIT")
      #expect(answers.wait(for: 3).map(\.result) == [.written, .written, .written])
    }
    journal.close()
  }

  @Test("a lock that lasts is told as trouble, and the trouble passes with it")
  func lastingLock() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("journal.db")
    let journal = try SQLiteJournal(
      path: path, missing: .create, time: JournalTimeSource(wall: { SampleAttempts.start }, boot: nil))
    let other = try SQLiteHandle(path: path, mode: .existing)
    let answers = AnswerBox<JournalReply>()
    try other.execute("BEGIN IMMEDIATE")
    journal.submit([JournalRequest(id: 1, command: try #require(try Self.creates("last", 1).first))]) {
      answers.put($0)
    }
    let end = ContinuousClock().now + .seconds(30)
    while journal.trouble == nil, ContinuousClock().now < end { answers.pause() }
    #expect(journal.trouble == "SQLite error 5: database is locked")
    try other.execute("COMMIT")
    #expect(answers.wait(for: 1).map(\.result) == [.written])
    #expect(journal.trouble == nil)
    journal.close()
  }
}
