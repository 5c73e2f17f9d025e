// The one owner of a `sqlite3 *`. All calls on one thread at a time.

import CSQLite

/// An open database connection; closed when the last reference goes.
// SAFETY: `@safe`: the pointer comes from sqlite3_open_v2, belongs to this object alone and is closed only in `deinit`. The
// connection is opened without SQLite's own mutex: its owner uses it on one thread at a time.
@safe final class SQLiteHandle {
  /// How a file is opened.
  enum Mode {
    /// Make the file if it is missing.
    case create
    /// Refuse a missing file.
    case existing
  }

  private let database: OpaquePointer

  // SQLite's memory statistics cost a lock for each allocation and nobody reads them. Set before the first connection.
  private static let withoutMemoryStatistics: Void = { csqlite_disable_memory_statistics() }()

  /// Opens `path`, which is taken as a path, never as a URI.
  init(path: String, mode: Mode) throws(SQLiteProblem) {
    Self.withoutMemoryStatistics
    let flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
      | (mode == .create ? SQLITE_OPEN_CREATE : 0)
    var opened: OpaquePointer?
    // SAFETY: the out-pointer lives on this stack; SQLite gives a handle even on failure, closed below.
    let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
    guard let handle = unsafe opened else {
      throw SQLiteProblem(kind: .outage, code: code, message: "out of memory")
    }
    if code != SQLITE_OK {
      let problem = unsafe SQLiteHandle.problem(code, of: handle)
      unsafe sqlite3_close_v2(handle)
      throw problem
    }
    unsafe database = handle
    unsafe csqlite_set_defensive(handle)
  }

  deinit {
    // SAFETY: the pointer came from sqlite3_open_v2 and is closed only here; close_v2 waits for the statements.
    unsafe sqlite3_close_v2(database)
  }

  /// How long one call waits for another connection's lock before it answers `busy`.
  func setBusyTimeout(milliseconds: Int32) {
    unsafe sqlite3_busy_timeout(database, milliseconds)
  }

  /// Runs SQL without parameters and results.
  func execute(_ sql: String) throws(SQLiteProblem) {
    let code = unsafe sqlite3_exec(database, sql, nil, nil, nil)
    if code != SQLITE_OK { throw problem(code) }
  }

  /// Prepares a statement that is used many times.
  func prepare(_ sql: String) throws(SQLiteProblem) -> SQLiteStatement {
    var prepared: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let statement = unsafe prepared else { throw problem(code) }
    return unsafe SQLiteStatement(statement: statement, database: self)
  }

  /// True outside a transaction: also after SQLite has rolled one back by itself.
  var isAutocommit: Bool { unsafe sqlite3_get_autocommit(database) != 0 }

  /// True if the file can be read only: SQLite falls back to that silently when the file is write-protected.
  var isReadOnly: Bool { unsafe sqlite3_db_readonly(database, "main") == 1 }

  /// The row id of the latest insert of this connection.
  var lastInsertedRow: Int64 { unsafe sqlite3_last_insert_rowid(database) }

  /// Rows changed by the latest insert, update or delete.
  var changedRows: Int { Int(unsafe sqlite3_changes64(database)) }

  /// Lowers the longest text or blob that is accepted, in bytes.
  func limitLength(bytes: Int32) {
    unsafe sqlite3_limit(database, SQLITE_LIMIT_LENGTH, bytes)
  }

  /// The error for a result code, with SQLite's own words.
  func problem(_ code: Int32) -> SQLiteProblem {
    unsafe SQLiteHandle.problem(code, of: database)
  }

  private static func problem(_ code: Int32, of database: OpaquePointer) -> SQLiteProblem {
    // SAFETY: errmsg is valid until the next call on the connection; it is copied at once.
    let message = unsafe String(cString: sqlite3_errmsg(database))
    return SQLiteProblem(kind: kind(of: code), code: code, message: message)
  }

  private static func kind(of code: Int32) -> SQLiteProblem.Kind {
    switch code & 0xff {
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .busy
    case SQLITE_TOOBIG, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_RANGE: .data
    case SQLITE_NOTADB, SQLITE_CORRUPT: .damaged
    case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: .access
    default: .outage
    }
  }
}
