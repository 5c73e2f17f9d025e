// The one owner of a `PGresult *`: status, error, and columns in binary.

import CPostgres

/// One statement's result. Rows and columns count from 0.
// SAFETY: `@safe`: the pointer comes from PQgetResult, belongs to this object alone and is cleared only in `deinit`; every
// row and column is checked by libpq (a wrong one reads as NULL), and what is read is copied at once.
@safe final class PostgresResult {
  /// What it is.
  enum Status {
    case done
    /// The end of a transaction: what came before is durable.
    case synced
    /// Not carried out, because an earlier statement of the transaction failed.
    case aborted
    case failed(PostgresProblem)
  }

  private let result: OpaquePointer

  init(_ result: OpaquePointer) {
    unsafe self.result = result
  }

  deinit {
    unsafe PQclear(result)
  }

  /// What it is, with the server's words if it failed.
  var status: Status {
    switch unsafe PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return .done
    case PGRES_PIPELINE_SYNC: return .synced
    case PGRES_PIPELINE_ABORTED: return .aborted
    default:
      let state = unsafe text(cpostgres_sqlstate(result)) ?? ""
      let words = unsafe text(cpostgres_primary_message(result)) ?? text(PQresultErrorMessage(result)) ?? ""
      return .failed(
        unsafe PostgresProblem(state: state, message: words.oneLine, constraint: text(cpostgres_constraint(result))))
    }
  }

  private func text(_ words: UnsafePointer<CChar>?) -> String? {
    unsafe words.map { unsafe String(cString: $0) }
  }

  /// Rows.
  var count: Int { Int(unsafe PQntuples(result)) }

  /// True for NULL.
  func isNull(_ row: Int, _ column: Int32) -> Bool { unsafe PQgetisnull(result, Int32(row), column) == 1 }

  /// An integer of eight bytes or fewer; nil for NULL.
  func integer(_ row: Int, _ column: Int32) -> Int64? {
    if isNull(row, column) { return nil }
    let bytes = bytes(row, column)
    guard let first = bytes.first, bytes.count <= 8 else { return nil }
    return bytes.reduce(first >= 0x80 ? -1 : 0) { $0 << 8 | Int64($1) }
  }

  /// A boolean; false for NULL.
  func flag(_ row: Int, _ column: Int32) -> Bool { bytes(row, column) == [1] }

  /// A text; nil for NULL.
  func text(_ row: Int, _ column: Int32) -> String? {
    isNull(row, column) ? nil : String(decoding: bytes(row, column), as: UTF8.self)
  }

  /// A value's bytes; empty for NULL.
  func bytes(_ row: Int, _ column: Int32) -> [UInt8] {
    guard let start = unsafe PQgetvalue(result, Int32(row), column) else { return [] }
    let count = Int(unsafe PQgetlength(result, Int32(row), column))
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }
}
