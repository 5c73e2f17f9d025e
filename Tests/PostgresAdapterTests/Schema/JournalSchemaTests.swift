// Migrations: made once, by whoever comes first; a journal of another version is refused with the command to run.

import CheckoutCore
import JournalQueue
import Operations
import PostgresServer
import Synchronization
import Testing

@testable import PostgresAdapter

@Suite(.serialized) struct JournalSchemaTests {
  private static func refusal(_ location: PostgresLocation) -> String? {
    do throws(JournalOpenProblem) {
      try PostgresJournal(location, patience: .zero).close()
      return nil
    } catch {
      return error.description
    }
  }

  @Test("missing, made, current; the id is drawn once")
  func made() throws {
    let server = try TestServer.sharedServer()
    let location = try PostgresLocation(try server.emptySchema())
    #expect(try PostgresSchema.state(at: location) == .missing)
    #expect(
      Self.refusal(location)
        == "\(location): there is no checkout journal; run `checkout migrate --journal \(location)`")
    #expect(try PostgresSchema.migrate(location) == .missing)
    #expect(try PostgresSchema.state(at: location) == .current)
    let id = try PostgresJournalReader(location).id
    #expect(id.count == 32)
    #expect(try PostgresSchema.migrate(location) == .current)
    #expect(try PostgresJournalReader(location).id == id)
  }

  @Test("two and more runs at once make one journal, 10 times")
  func together() throws {
    let server = try TestServer.sharedServer()
    for _ in 0..<10 {
      let location = try PostgresLocation(try server.emptySchema())
      let states = Mutex<[MigrationState?]>([])
      let threads = try (0..<4).map { _ in
        try NamedThread(name: "migrate") {
          let state = try? PostgresSchema.migrate(location)
          states.withLock { $0.append(state) }
        }
      }
      for thread in threads { thread.join() }
      let found = states.withLock { $0 }
      #expect(found.count { $0 == .missing } == 1)
      #expect(found.count { $0 == .current } == 3)
    }
  }

  @Test("an older and a newer journal are refused, each with what to do, and a newer one is never touched")
  func otherVersions() throws {
    let server = try TestServer.sharedServer()
    let address = try server.emptySchema()
    let location = try PostgresLocation(address)
    _ = try PostgresSchema.migrate(location)
    let needed = PostgresSchema.version
    try server.run("UPDATE checkout_meta SET value = '99' WHERE name = 'schema_version'", on: address)
    #expect(
      Self.refusal(location)
        == "\(location): the journal has schema version 99, this release needs \(needed); use the newer release")
    #expect(try PostgresSchema.migrate(location) == .newer(99))
    #expect(try PostgresSchema.state(at: location) == .newer(99))
    try server.run("UPDATE checkout_meta SET value = '0' WHERE name = 'schema_version'", on: address)
    #expect(try PostgresSchema.state(at: location) == .older(0))
    #expect(
      Self.refusal(location)
        == "\(location): the journal has schema version 0, this release needs \(needed); run `checkout migrate --journal "
        + "\(location)`")
  }
}
