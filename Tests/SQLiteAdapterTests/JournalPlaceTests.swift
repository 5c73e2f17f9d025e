// Files the journal must not be in, or cannot write: refused in one line that says what to do.

import CheckoutCore
import Foundation
import JournalSamples
import Testing

@testable import SQLiteAdapter

@Suite struct JournalPlaceTests {
  private static func refusal(_ path: String, fileSystem: Int? = nil) -> String? {
    var file = DatabaseFile(path: path, kind: journalKind)
    if let fileSystem { file.fileSystemType = { _ in fileSystem } }
    do throws(DatabaseOpenProblem) {
      _ = try file.open(missing: .create) { _ in }
      return nil
    } catch {
      return error.description
    }
  }

  @Test(
    "a network file system is refused by name, a local one is not",
    arguments: [
      (0x6969, "NFS"), (0xFF53_4D42, "SMB/CIFS"), (0xFE53_4D42, "SMB/CIFS"), (0x6573_5546, "FUSE"),
      (0x0102_1997, "9P"), (0x00C3_6400, "Ceph"), (0x7461_636F, "OCFS2"),
      // ext4, xfs, btrfs, tmpfs, and a system that does not tell.
      (0xEF53, nil), (0x5846_5342, nil), (0x9123_683E, nil), (0x0102_1994, nil), (-1, nil),
    ] as [(Int, String?)])
  func networkFileSystem(type: Int, name: String?) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("journal.db")
    let words = name.map {
      "\(path) is on a network file system (\($0)), where SQLite's locks do not hold; use a local disk, "
        + "or PostgreSQL for several hosts"
    }
    #expect(Self.refusal(path, fileSystem: type) == words)
    #expect(FileManager.default.fileExists(atPath: path) == (name == nil))
  }

  @Test("another schema version is refused, with what to do about it")
  func schemaVersion() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("journal.db")
    #expect(Self.refusal(path) == nil)
    let handle = try SQLiteHandle(path: path, mode: .existing)
    try handle.execute("PRAGMA user_version=2")
    #expect(Self.refusal(path) == "\(path) has schema version 2, this release needs 1; use the newer release")
    try handle.execute("PRAGMA user_version=0")
    #expect(Self.refusal(path) == "\(path) has schema version 0, this release needs 1; run `checkout migrate`")
  }

  @Test("a file that cannot be written is refused", .enabled(if: WriteProtection.isPossible))
  func readOnly() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("journal.db")
    #expect(Self.refusal(path) == nil)
    try WriteProtection.set(true, path)
    defer { try? WriteProtection.set(false, path) }
    #expect(
      Self.refusal(path)
        == "\(path) cannot be opened for writing; check the rights of the file and of its folder")
  }
}

/// Takes the right to write a file away: from a user by its mode, from root (who ignores modes) by an attribute.
private enum WriteProtection {
  static let isPossible: Bool = {
    guard let folder = try? TemporaryFolder() else { return false }
    let path = folder.path("file")
    guard FileManager.default.createFile(atPath: path, contents: nil) else { return false }
    guard (try? set(true, path)) != nil else { return false }
    defer { try? set(false, path) }
    return FileHandle(forUpdatingAtPath: path) == nil
  }()

  static func set(_ isProtected: Bool, _ path: String) throws {
    let change = Process()
    let root = NSUserName() == "root"
    change.executableURL = URL(filePath: root ? "/usr/bin/chattr" : "/usr/bin/chmod")
    change.arguments = root ? [isProtected ? "+i" : "-i", path] : [isProtected ? "a-w" : "u+w", path]
    change.standardError = FileHandle.nullDevice
    try change.run()
    change.waitUntilExit()
  }
}
