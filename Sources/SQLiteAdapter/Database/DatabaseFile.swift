// Opens our own database files, or says in one line why not.

import CSQLite

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
  let schemaVersion: Int64
  /// Makes all tables.
  let schema: String
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
  /// that makes it.
  func open(
    missing: MissingFile, fill: (SQLiteHandle) throws(SQLiteProblem) -> Void
  ) throws(DatabaseOpenProblem) -> SQLiteHandle {
    let isNew = try checkPlace(missing: missing)
    let handle: SQLiteHandle
    let fault: String?
    do throws(SQLiteProblem) {
      handle = try SQLiteHandle(path: path, mode: missing == .create ? .create : .existing)
      handle.setBusyTimeout(milliseconds: Self.openPatienceMilliseconds)
      if handle.isReadOnly { throw SQLiteProblem(kind: .access, code: SQLITE_READONLY, message: "read-only file") }
      fault = try prepare(handle, missing: missing, fill: fill)
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
        try handle.execute(kind.schema)
        try handle.execute("PRAGMA application_id=\(kind.applicationID); PRAGMA user_version=\(kind.schemaVersion)")
        try fill(handle)
      }
      try handle.execute("COMMIT")
    }
    if try handle.integer("PRAGMA application_id") != kind.applicationID {
      return "\(path) is a SQLite file of another program, not a \(kind.name); name another file"
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
