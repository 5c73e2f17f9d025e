// `checkout migrate`, `checkout journal purge` and `checkout config` on a journal, as a person calls them.

import Foundation
import Testing

@Suite("checkout migrate and journal purge")
struct MigrateCommandTests {
  @Test("a missing journal is found missing, made, found up to date, and purged of nothing")
  func sqlite() throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "migrate-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let journal = "sqlite:\(folder.path)/journal.db"
    let missing = try Project.checkout(["migrate", "--check", "--journal", journal])
    #expect(missing.ending == .exit(1))
    #expect(missing.output == "\(journal): there is no checkout journal; run: checkout migrate\n")
    let made = try Project.checkout(["migrate", "--journal", journal, "--json"])
    #expect(made.ending == .exit(0))
    #expect(
      made.output
        == "{\"journal\":\"\(journal)\",\"before\":\"missing\",\"version\":1,\"needed_version\":1,\"changed\":true}\n")
    let current = try Project.checkout(["migrate", "--check", "--journal", journal])
    #expect(current.ending == .exit(0))
    #expect(current.output == "\(journal): up to date, schema version 1\n")
    let purge = try Project.checkout(["journal", "purge", "--journal", journal, "--json"])
    #expect(purge.ending == .exit(0))
    #expect(
      purge.output
        == "{\"applied\":false,\"narrowed\":0,\"removed\":0,\"history_entries\":0,\"untouched\":0,\"bytes\":0}\n")
  }

  @Test("a password in the journal's address is never shown")
  func masked() throws {
    let shown = try Project.checkout(["config", "--journal", "postgres://u:hunter2@db/checkout?sslpassword=hunter2"])
    #expect(shown.ending == .exit(0))
    #expect(!shown.output.contains("hunter2"))
    #expect(shown.output.contains("postgres://u:****@db/checkout?sslpassword=****"))
  }
}
