// Rows read back, with their owners' leases.

import CheckoutCore
import CheckoutWire

/// A row that was read: a view, or why it does not decode.
typealias ReadRow = Result<AttemptView, JournalRowProblem>

extension PostgresResult {
  /// The row of a statement with the columns of `JournalStatement.columns`; leases are judged at `now`.
  func journalRow(_ row: Int, at now: Timestamp) -> ReadRow {
    let columns = JournalCodec.Columns(
      version: integer(row, 1) ?? 0, epoch: integer(row, 2) ?? 0, owner: text(row, 3))
    let end = integer(row, 6).map { Timestamp(nanoseconds: $0) }
    do throws(JournalRowProblem) {
      let attempt = try JournalCodec.decode(columns, birth: bytes(row, 5)[...], details: bytes(row, 4)[...])
      return .success(AttemptView(attempt: attempt, ownedUntil: end.flatMap { $0 > now ? $0 : nil }))
    } catch {
      return .failure(error)
    }
  }

  /// The rows by their number in the request (column 0, from 1).
  func journalRows(at now: Timestamp) -> [Int: ReadRow] {
    var rows: [Int: ReadRow] = [:]
    for row in 0..<count { rows[Int(integer(row, 0) ?? 0)] = journalRow(row, at: now) }
    return rows
  }

  /// As above, several rows of each number, in their order.
  func journalGroups(at now: Timestamp) -> [Int: [ReadRow]] {
    var groups: [Int: [ReadRow]] = [:]
    for row in 0..<count { groups[Int(integer(row, 0) ?? 0), default: []].append(journalRow(row, at: now)) }
    return groups
  }

  /// All rows, in their order.
  func journalList(at now: Timestamp) -> [ReadRow] {
    (0..<count).map { journalRow($0, at: now) }
  }
}

extension JournalResult {
  /// The answer with a row; a row that does not decode refuses this one request.
  static func of(_ row: ReadRow?, _ result: (AttemptView?) -> JournalResult) -> JournalResult {
    switch row {
    case nil: result(nil)
    case .success(let view)?: result(view)
    case .failure(let problem)?: .refused(detail: problem.description)
    }
  }

  /// The answer with all these rows; one that does not decode refuses the request: nobody may act as if it were not there.
  static func listing(_ rows: ArraySlice<ReadRow>) -> JournalResult {
    var views: [AttemptView] = []
    for row in rows {
      switch row {
      case .success(let view): views.append(view)
      case .failure(let problem): return .refused(detail: problem.description)
      }
    }
    return .listed(views)
  }
}
