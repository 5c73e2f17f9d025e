// Opens our own database files, or says in one line why not.

import CSQLite
import Operations

/// A database file cannot be used; an environment problem (exit 3).
package struct DatabaseOpenProblem: Error, Hashable, CustomStringConvertible {
  /// One line for a person: what is wrong and what to do.
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// What to do about a missing file.
package enum MissingFile: Hashable, Sendable {
  /// Make it: `run`, `demo`, `migrate`, `sandbox`.
  case create
  /// Say so: commands that only read.
  case refuse
}

/// One kind of file of ours.
struct DatabaseKind {
  /// For messages: `checkout journal`.
  let name: String
  /// SQLite's `application_id`: which program's file it is.
  let applicationID: Int64
  /// SQLite's `user_version`: which schema it has.
  var schemaVersion: Int64 { Int64(migrations.count) }
  /// Make all tables: step by step, from version 1 on. A step that was released is never changed.
  let migrations: [String]
}

/// Opens files of one kind.
struct DatabaseFile {
  let path: String
  let kind: DatabaseKind
  /// Tells the magic number of the file system a path is on; a test gives its own.
  var fileSystemType: (String) -> Int = { FilePlace.fileSystemType(of: $0) }

  /// Pages of a new file: twice SQLite's default saves a sixth of the CPU of a write here, because rows of a batch lie
  /// side by side.
  private static let pageBytes = 8192
  /// How long opening waits for another process's lock.
  private static let openPatienceMilliseconds: Int32 = 30_000
  /// How long one call waits for another process's lock before the caller's own retry.
  private static let busyTimeoutMilliseconds: Int32 = 250

  /// An open connection in WAL mode with full sync. `fill` writes the first rows of a new file, inside the transaction
  /// that makes it. `upgrading`: an older file is brought up to date instead of refused.
  func open(
    missing: MissingFile, upgrading: Bool = false, fill: (SQLiteHandle) throws(SQLiteProblem) -> Void
  ) throws(DatabaseOpenProblem) -> SQLiteHandle {
    let isNew = try checkPlace(missing: missing)
    let handle: SQLiteHandle
    let fault: String?
    do throws(SQLiteProblem) {
      handle = try SQLiteHandle(path: path, mode: missing == .create ? .create : .existing)
      handle.setBusyTimeout(milliseconds: Self.openPatienceMilliseconds)
      if handle.isReadOnly { throw SQLiteProblem(kind: .access, code: SQLITE_READONLY, message: "read-only file") }
      fault = try patiently(handle) { () throws(SQLiteProblem) in
        if upgrading { try upgrade(handle) }
        return try prepare(handle, missing: missing, fill: fill)
      }
    } catch {
      throw explain(error)
    }
    if let fault { throw DatabaseOpenProblem(fault) }
    handle.setBusyTimeout(milliseconds: Self.busyTimeoutMilliseconds)
    if isNew, !FilePlace.syncFolder(of: path) {
      throw DatabaseOpenProblem("\(path): the folder cannot be synced, so a new file might be lost in a crash")
    }
    return handle
  }

  /// Runs `body` again while another process holds a lock. SQLite's own patience does not cover the change to WAL mode: of
  /// several processes that make one file at the same moment all but one are told `busy` at once.
  private func patiently(
    _ handle: SQLiteHandle, _ body: () throws(SQLiteProblem) -> String?
  ) throws(SQLiteProblem) -> String? {
    let end = ContinuousClock.now + .milliseconds(Int(Self.openPatienceMilliseconds))
    let bell = Doorbell()
    while true {
      do throws(SQLiteProblem) {
        return try body()
      } catch {
        if !handle.isAutocommit { try? handle.execute("ROLLBACK") }
        guard error.kind == .busy, ContinuousClock.now < end else { throw error }
        bell.wait(nanoseconds: 5_000_000)
      }
    }
  }

  /// True if the file is missing and may be made.
  private func checkPlace(missing: MissingFile) throws(DatabaseOpenProblem) -> Bool {
    let folder = FilePlace.folder(of: path)
    let found = FilePlace.kind(of: path)
    switch found {
    case .directory: throw DatabaseOpenProblem("\(path) is a folder; name a file for the \(kind.name)")
    case .other: throw DatabaseOpenProblem("\(path) is no ordinary file, or may not be looked at; name another")
    case .missing where missing == .refuse:
      throw DatabaseOpenProblem("there is no \(kind.name) at \(path); `checkout run` or `checkout migrate` makes one")
    case .missing where FilePlace.kind(of: folder) != .directory:
      throw DatabaseOpenProblem("the folder \(folder) does not exist; make it first")
    case .missing, .file: break
    }
    if let system = FilePlace.networkFileSystem(ofType: fileSystemType(found == .file ? path : folder)) {
      throw DatabaseOpenProblem(
        "\(path) is on a network file system (\(system)), where SQLite's locks do not hold; use a local disk, "
          + "or PostgreSQL for several hosts")
    }
    return found == .missing
  }

  /// Brings the file into shape; the answer is what is wrong with it, or nil.
  private func prepare(
    _ handle: SQLiteHandle, missing: MissingFile, fill: (SQLiteHandle) throws(SQLiteProblem) -> Void
  ) throws(SQLiteProblem) -> String? {
    if try isEmpty(handle) {
      if missing == .refuse { return "\(path) is empty, not a \(kind.name)" }
      try handle.execute("PRAGMA page_size=\(Self.pageBytes); PRAGMA journal_mode=WAL")
      try handle.execute("BEGIN IMMEDIATE")
      // Another process may have made it meanwhile.
      if try isEmpty(handle) {
        for step in kind.migrations { try handle.execute(step) }
        try handle.execute("PRAGMA application_id=\(kind.applicationID); PRAGMA user_version=\(kind.schemaVersion)")
        try fill(handle)
      }
      try handle.execute("COMMIT")
    }
    if try handle.integer("PRAGMA application_id") != kind.applicationID {
      return otherProgram
    }
    let version = try handle.integer("PRAGMA user_version")
    if version != kind.schemaVersion {
      return "\(path) has schema version \(version), this release needs \(kind.schemaVersion); "
        + (version > kind.schemaVersion ? "use the newer release" : "run `checkout migrate`")
    }
    try handle.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA temp_store=MEMORY")
    try handle.execute("PRAGMA cache_size=-65536; PRAGMA wal_autocheckpoint=4000")
    if try handle.text("PRAGMA journal_mode") != "wal" { return "\(path): SQLite cannot use WAL mode there" }
    return nil
  }

  /// Applies the steps that an older file lacks, in one transaction; two processes take turns.
  private func upgrade(_ handle: SQLiteHandle) throws(SQLiteProblem) {
    guard try handle.integer("PRAGMA application_id") == kind.applicationID else { return }
    try handle.execute("BEGIN IMMEDIATE")
    let version = Int(try handle.integer("PRAGMA user_version"))
    for step in kind.migrations.dropFirst(version) { try handle.execute(step) }
    if version < kind.migrations.count { try handle.execute("PRAGMA user_version=\(kind.schemaVersion)") }
    try handle.execute("COMMIT")
  }

  /// The version of the file at `path`; nil: there is none.
  func foundVersion() throws(DatabaseOpenProblem) -> Int? {
    if FilePlace.kind(of: path) == .missing { return nil }
    do throws(SQLiteProblem) {
      let handle = try SQLiteHandle(path: path, mode: .existing)
      handle.setBusyTimeout(milliseconds: Self.openPatienceMilliseconds)
      if try isEmpty(handle) { return nil }
      if try handle.integer("PRAGMA application_id") == kind.applicationID {
        return Int(try handle.integer("PRAGMA user_version"))
      }
    } catch {
      throw explain(error)
    }
    throw DatabaseOpenProblem(otherProgram)
  }

  private var otherProgram: String {
    "\(path) is a SQLite file of another program, not a \(kind.name); name another file"
  }

  private func isEmpty(_ handle: SQLiteHandle) throws(SQLiteProblem) -> Bool {
    let objects = try handle.integer("SELECT count(*) FROM sqlite_schema")
    return try handle.integer("PRAGMA application_id") == 0 && objects == 0
  }

  private func explain(_ problem: SQLiteProblem) -> DatabaseOpenProblem {
    switch problem.kind {
    case .busy: DatabaseOpenProblem("\(path) has been locked by another process for 30 s; end that process first")
    case .damaged: DatabaseOpenProblem("\(path) is not a SQLite file, or is damaged; name another, or restore a copy")
    case .access:
      DatabaseOpenProblem("\(path) cannot be opened for writing; check the rights of the file and of its folder")
    case .data, .outage: DatabaseOpenProblem("\(path) cannot be used: \(problem)")
    }
  }
}

extension SQLiteHandle {
  /// The first column of the first row; 0 if there is none.
  func integer(_ sql: String) throws(SQLiteProblem) -> Int64 {
    let statement = try prepare(sql)
    return try statement.step() ? statement.integer(0) : 0
  }

  /// The first column of the first row; empty if there is none.
  func text(_ sql: String) throws(SQLiteProblem) -> String {
    let statement = try prepare(sql)
    return try statement.step() ? statement.text(0) : ""
  }
}
