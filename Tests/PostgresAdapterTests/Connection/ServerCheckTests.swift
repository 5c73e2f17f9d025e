// Servers that cannot be trusted with money are refused in words that say what to do.

import CheckoutCore
import JournalQueue
import Operations
import PostgresServer
import Testing

@testable import PostgresAdapter

@Suite(.serialized) struct ServerCheckTests {
  private static func refusal(_ address: String) throws -> String? {
    let location = try PostgresLocation(address)
    do throws(JournalOpenProblem) {
      try PostgresJournal(location, patience: .zero).close()
      return nil
    } catch {
      #expect(error.description.hasPrefix("\(address): "))
      return String(error.description.dropFirst(address.count + 2))
    }
  }

  private static let settingRefusal =
    "is off on this server: what it acknowledges would be lost in a crash, and a checkout charged twice; set"

  @Test("fsync, full_page_writes, synchronous_commit off: each is named with what to do")
  func unsafeSettings() throws {
    let server = try TestServer()
    let address = try server.emptySchema()
    _ = try PostgresSchema.migrate(try PostgresLocation(address))
    #expect(try Self.refusal(address) == nil)
    #expect(
      try Self.refusal("\(address)%20-csynchronous_commit%3Doff")
        == "synchronous_commit \(Self.settingRefusal) synchronous_commit = on (for this role or database too)")
    for setting in ["fsync", "full_page_writes"] {
      try server.set("\(setting)=off")
      try server.stop()
      try server.start()
      #expect(try Self.refusal(address) == "\(setting) \(Self.settingRefusal) \(setting) = on and reload it")
      try server.set("\(setting)=on")
    }
    try server.stop()
    try server.start()
    #expect(try Self.refusal(address) == nil)
  }

  @Test("a read-only server is refused, with the way to name the primary")
  func readOnly() throws {
    let address = try TestServer.sharedServer().emptySchema()
    _ = try PostgresSchema.migrate(try PostgresLocation(address))
    #expect(
      try Self.refusal("\(address)%20-cdefault_transaction_read_only%3Don")
        == "the server is read-only (a standby, or default_transaction_read_only); name the primary, or all hosts of the "
        + "cluster: postgres://host1,host2/…")
  }

  @Test("no server, no database, no role: refused in libpq's words")
  func nobodyThere() throws {
    let server = try TestServer.sharedServer()
    #expect(
      try Self.refusal("postgres://postgres@/nowhere?host=\(server.folder)")?.contains("does not exist") == true)
    #expect(
      try Self.refusal("postgres://nobody@/postgres?host=\(server.folder)")?.contains("does not exist") == true)
    #expect(
      try Self.refusal("postgres://postgres@/postgres?host=/tmp/no-such-folder")?.contains("No such file") == true)
  }

  @Test("a database that is not UTF-8 is refused")
  func encoding() throws {
    let server = try TestServer.sharedServer()
    try server.run("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    defer { _ = try? server.run("DROP DATABASE latin") }
    let refusal = try Self.refusal("postgres://postgres@/latin?host=\(server.folder)")
    #expect(refusal == "the database's encoding is LATIN1; make one with ENCODING 'UTF8'")
  }
}
