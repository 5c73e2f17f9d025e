// Opening: what is refused and in which words; what survives closing and opening again.

import CheckoutCore
import Foundation
import JournalQueue
import JournalSamples
import SQLiteAdapter
import Synchronization
import Testing

@Suite struct JournalFileTests {
  private static func open(
    _ path: String, _ missing: MissingFile = .create, wall: Timestamp = SampleAttempts.start
  )
    throws -> SQLiteJournal
  {
    try SQLiteJournal(path: path, missing: missing, time: JournalTimeSource(wall: { wall }, boot: nil))
  }

  private static func refusal(_ path: String, _ missing: MissingFile = .create) -> String? {
    do {
      try open(path, missing).close()
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test("a missing file is made when asked, keeps its id, and is refused otherwise")
  func missing() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("journal.db")
    #expect(
      Self.refusal(path, .refuse)
        == "there is no checkout journal at \(path); `checkout run` or `checkout migrate` makes one")
    let made = try Self.open(path)
    made.close()
    let again = try Self.open(path, .refuse)
    again.close()
    #expect(made.id == again.id)
    #expect(made.id.count == 32)
  }

  @Test("what is no journal is refused in one line")
  func strangers() throws {
    let folder = try TemporaryFolder()
    #expect(Self.refusal(folder.path(""))?.contains("is a folder") == true)
    #expect(Self.refusal(folder.path("no/journal.db"))?.contains("does not exist; make it first") == true)
    let text = folder.path("text.db")
    try Data(repeating: 0x41, count: 4096).write(to: URL(fileURLWithPath: text))
    #expect(Self.refusal(text)?.contains("is not a SQLite file") == true)
    let ledger = folder.path("ledger.db")
    _ = try SQLiteSandboxLedger(path: ledger, missing: .create)
    #expect(Self.refusal(ledger)?.contains("is a SQLite file of another program") == true)
  }

  @Test("journal time does not go back over a restart")
  func timeOverRestart() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("journal.db")
    let first = try Self.open(path)
    let lease = JournalRequest(id: 1, command: .lease(WorkerID("w/1"), duration: .seconds(10)))
    #expect(Self.ask(first, lease)?.at == SampleAttempts.start)
    first.close()
    let second = try Self.open(path, wall: SampleAttempts.start - .hours(1))
    #expect(Self.ask(second, lease)?.at == SampleAttempts.start)
    second.close()
  }

  @Test("closing commits and answers everything accepted")
  func closing() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("journal.db")
    let journal = try Self.open(path)
    let answered = Mutex(0)
    for number in 0..<500 {
      let attempt = try #require(SampleAttempts.new("key-\(number)-00000000000", checkout: "chk_\(number)"))
      journal.submit([JournalRequest(id: UInt64(number), command: .create(AttemptWrite(attempt, "w\(number)")))]) {
        replies in
        answered.withLock { $0 += replies.count }
      }
    }
    #expect(journal.close(patience: .seconds(60)))
    #expect(answered.withLock { $0 } == 500)
    let reader = try SQLiteJournalReader(path: path) { SampleAttempts.start }
    #expect(try reader.counts().attempts == 500)
    var seen = 0
    try reader.forEachAttempt { _ in seen += 1 }
    #expect(seen == 500)
  }

  private static func ask(_ journal: SQLiteJournal, _ request: JournalRequest) -> JournalReply? {
    let done = DispatchSemaphore(value: 0)
    let reply = Mutex<JournalReply?>(nil)
    journal.submit([request]) { replies in
      reply.withLock { $0 = replies.first }
      done.signal()
    }
    done.wait()
    return reply.withLock { $0 }
  }
}
