// The one owner of a `sqlite3_stmt *`: bind, step, read columns, reset.

import CSQLite

/// A prepared statement. Parameters and columns are numbered from 1 and from 0, as SQLite numbers them. What was bound
/// lasts until the next `reset`, so each use binds everything anew.
// SAFETY: `@safe`: the pointer is made by the connection's `prepare`, belongs to this object alone and is finalised only in
// `deinit`; one thread at a time uses the connection and its statements, which keep it open.
@safe final class SQLiteStatement {
  private let statement: OpaquePointer
  private let texts = BindArena()
  /// Kept so that the connection outlives its statements.
  private let database: SQLiteHandle

  init(statement: OpaquePointer, database: SQLiteHandle) {
    unsafe self.statement = statement
    self.database = database
  }

  deinit {
    // SAFETY: prepared once, finalised only here.
    unsafe sqlite3_finalize(statement)
  }

  /// Binds an integer; nil is NULL.
  func bind(_ index: Int32, _ value: Int64?) throws(SQLiteProblem) {
    let code =
      if let value { unsafe sqlite3_bind_int64(statement, index, value) } else {
        unsafe sqlite3_bind_null(statement, index)
      }
    if code != SQLITE_OK { throw database.problem(code) }
  }

  /// Binds a text; nil is NULL.
  func bind(_ index: Int32, _ value: String?) throws(SQLiteProblem) {
    guard var value else { return try bind(index, Int64?.none) }
    let code = value.withUTF8 { bytes in unsafe bind(index, UnsafeRawBufferPointer(bytes)) }
    if code != SQLITE_OK { throw database.problem(code) }
  }

  /// Binds UTF-8 bytes as a text.
  func bind(_ index: Int32, utf8 value: [UInt8]) throws(SQLiteProblem) {
    let code = unsafe value.withUnsafeBytes { bytes in unsafe bind(index, bytes) }
    if code != SQLITE_OK { throw database.problem(code) }
  }

  private func bind(_ index: Int32, _ bytes: UnsafeRawBufferPointer) -> Int32 {
    let count = Int32(clamping: bytes.count)
    // SAFETY: a kept copy stays until `reset` has made SQLite forget it; without room, SQLite copies during the call.
    if let kept = unsafe texts.keep(bytes) { return unsafe sqlite3_bind_text(statement, index, kept, count, nil) }
    return unsafe csqlite_bind_text_copy(
      statement, index, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), count)
  }

  /// Goes on to the next row; false at the end.
  func step() throws(SQLiteProblem) -> Bool {
    let code = unsafe sqlite3_step(statement)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default:
      let problem = database.problem(code)
      reset()
      throw problem
    }
  }

  /// Steps to the end and resets: for statements without rows.
  func run() throws(SQLiteProblem) {
    while try step() {}
    reset()
  }

  /// Makes the statement ready for its next use: releases its locks, forgets what was bound.
  func reset() {
    unsafe sqlite3_reset(statement)
    unsafe sqlite3_clear_bindings(statement)
    texts.clear()
  }

  /// The integer in a column; 0 for NULL.
  func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(statement, column) }

  /// The integer in a column; nil for NULL.
  func optionalInteger(_ column: Int32) -> Int64? {
    unsafe sqlite3_column_type(statement, column) == SQLITE_NULL ? nil : integer(column)
  }

  /// The text in a column; empty for NULL.
  func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

  /// The text in a column; nil for NULL.
  func optionalText(_ column: Int32) -> String? {
    unsafe sqlite3_column_type(statement, column) == SQLITE_NULL ? nil : text(column)
  }

  /// The bytes of the text in a column; empty for NULL.
  func bytes(_ column: Int32) -> [UInt8] {
    // SAFETY: column_text before column_bytes, as SQLite asks; valid until the next step or reset, copied at once.
    guard let start = unsafe sqlite3_column_text(statement, column) else { return [] }
    let count = Int(unsafe sqlite3_column_bytes(statement, column))
    return unsafe Array(UnsafeBufferPointer(start: start, count: count))
  }
}
