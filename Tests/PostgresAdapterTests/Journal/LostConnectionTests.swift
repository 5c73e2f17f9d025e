// The server crashes, sessions are ended, replies are lost: nothing acknowledged is missing, nothing happens twice, nobody is
// told of it.

import CheckoutCore
import JournalQueue
import JournalSamples
import Operations
import PostgresServer
import Synchronization
import Testing

@testable import PostgresAdapter

@Suite(.serialized) struct LostConnectionTests {
  /// "KEY VERSION" lines of a hammer against the journal's rows: all there, each version once.
  private static func check(_ lines: [String], at address: String) throws {
    let reader = try PostgresJournalReader(try PostgresLocation(address))
    var latest: [String: Int64] = [:]
    for line in lines {
      let parts = line.split(separator: " ")
      let version = try #require(parts.count == 2 ? Int64(parts[1]) : nil, "a line was: \(line)")
      latest[String(parts[0])] = max(latest[String(parts[0])] ?? 0, version)
    }
    for (key, version) in latest {
      let id = AttemptID(merchantID: "shop-eu", idempotencyKey: key)
      let row = try #require(try reader.attempt(id))
      #expect(row.attempt.version >= version)
      #expect(try reader.history(of: id).map(\.version) == Array(1...row.attempt.version))
    }
  }

  @Test(
    "the postmaster is killed with kill -9 under load, four times: every acknowledged write is there, no other answer came"
  )
  func crashedServer() throws {
    let server = try TestServer()
    let address = try server.emptySchema()
    _ = try PostgresSchema.migrate(try PostgresLocation(address))
    let writer = try Hammer(["write", address, "crash"])
    var lines = writer.readLines(atLeast: 200)
    for round in 0..<4 {
      if round % 2 == 0 { try server.crash() } else { try server.stop() }
      try server.start()
      lines += writer.readLines(atLeast: 400)
    }
    writer.kill()
    lines += writer.rest()
    #expect(!lines.contains { $0.hasPrefix("NOT WRITTEN") })
    try Self.check(lines, at: address)
  }

  @Test("a writer is killed with kill -9 under load: every acknowledged write is there")
  func crashedWriter() throws {
    let server = try TestServer.sharedServer()
    let address = try server.emptySchema()
    _ = try PostgresSchema.migrate(try PostgresLocation(address))
    var lines: [String] = []
    for round in 0..<3 {
      let writers = try ["a", "b"].map { try Hammer(["write", address, "\($0)\(round)"]) }
      for writer in writers { lines += writer.readLines(atLeast: 200) }
      for writer in writers { writer.kill() }
      for writer in writers { lines += writer.rest() }
    }
    try Self.check(lines, at: address)
  }

  @Test("sessions are ended by an administrator again and again under load: all is written, nothing twice")
  func terminatedSessions() throws {
    let server = try TestServer.sharedServer()
    let address = try server.emptySchema()
    _ = try PostgresSchema.migrate(try PostgresLocation("\(address)&application_name=victim"))
    let writer = try Hammer(["write", "\(address)&application_name=victim", "term", "300"])
    var lines: [String] = []
    for _ in 0..<10 {
      lines += writer.readLines(atLeast: 40)
      try server.run(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'victim'")
    }
    lines += writer.rest()
    #expect(writer.waitForExit() == 0)
    #expect(lines.count == 1200)
    try Self.check(lines, at: address)
    let reader = try PostgresJournalReader(try PostgresLocation(address))
    #expect(try reader.counts() == JournalCounts(attempts: 300, open: 0, parked: 0, watched: 0))
  }

  @Test("the reply to a commit is lost, 20 times: the same write is recognised as done and answered as written")
  func lostReplies() throws {
    let server = try TestServer.sharedServer()
    let address = try server.emptySchema()
    _ = try PostgresSchema.migrate(try PostgresLocation(address))
    let proxy = try CuttingProxy(to: "\(server.folder)/.s.PGSQL.5432")
    let through = address.replacing("host=\(server.folder)", with: "host=\(proxy.folder)")
    let journal = try PostgresJournal(try PostgresLocation(through))
    for round in 0..<20 {
      let attempt = try #require(SampleAttempts.new("key-of-round-\(round)-0000", checkout: "chk_\(round)"))
      let answers = AnswerBox<JournalReply>()
      proxy.cutNextReply()
      journal.submit([JournalRequest(id: 1, command: .create(AttemptWrite(attempt, "c\(round)")))]) { answers.put($0) }
      #expect(answers.wait(for: 1).map(\.result) == [.written])
      proxy.cutNextReply()
      let next = attempt.next { $0.state = .charging }
      journal.submit([JournalRequest(id: 2, command: .update(AttemptWrite(next, "u\(round)", epoch: 1)))]) {
        answers.put($0)
      }
      #expect(answers.wait(for: 2).map(\.result) == [.written, .written])
    }
    journal.close()
    #expect(proxy.cuts == 40)
    let reader = try PostgresJournalReader(try PostgresLocation(address))
    #expect(try reader.counts().attempts == 20)
    let id = AttemptID(merchantID: "shop-eu", idempotencyKey: "key-of-round-19-0000")
    #expect(try reader.history(of: id).map(\.writeID) == ["c19", "u19"])
  }

  @Test("while the server is away answers wait and the trouble is told; closing with no patience left ends at once")
  func away() throws {
    let server = try TestServer()
    let address = try server.emptySchema()
    _ = try PostgresSchema.migrate(try PostgresLocation(address))
    let journal = try PostgresJournal(try PostgresLocation(address))
    try server.stop()
    let attempt = try #require(SampleAttempts.new("key-of-the-outage-0000"))
    let answers = AnswerBox<JournalReply>()
    journal.submit([JournalRequest(id: 1, command: .create(AttemptWrite(attempt, "w1")))]) { answers.put($0) }
    let end = ContinuousClock.now + .seconds(30)
    while journal.trouble == nil, ContinuousClock.now < end { answers.pause() }
    // Its words depend on what is met first: the closed connection, or the refused one.
    #expect(journal.trouble != nil)
    #expect(answers.all.isEmpty)
    try server.start()
    #expect(answers.wait(for: 1).map(\.result) == [.written])
    #expect(journal.trouble == nil)
    try server.stop()
    journal.submit([JournalRequest(id: 2, command: .create(AttemptWrite(attempt, "w1")))]) { answers.put($0) }
    #expect(!journal.close(patience: .milliseconds(50)))
  }
}
