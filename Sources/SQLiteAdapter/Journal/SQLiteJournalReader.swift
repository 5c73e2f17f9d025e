// The read side for tools (`trace`, `verify`, `parked`): short reads beside a running worker.

package import CheckoutCore
import Synchronization

/// Reads a journal's file without ever writing a row. Each call is one short read, so that a worker's checkpoints are not
/// held up; a list longer than a page is not one snapshot.
package final class SQLiteJournalReader: JournalReader {
  package let id: String
  private let tables: Mutex<ReaderTables>
  private let now: @Sendable () -> Timestamp

  /// Opens the journal at `path`, which must exist. `now` judges leases.
  package init(path: String, now: @escaping @Sendable () -> Timestamp) throws(DatabaseOpenProblem) {
    let database = try DatabaseFile(path: path, kind: journalKind).open(missing: .refuse) { _ in }
    do throws(SQLiteProblem) {
      try database.execute("PRAGMA query_only=1")
      id = try database.text("SELECT value FROM meta WHERE name = 'journal_id'")
      tables = Mutex(try ReaderTables(database))
    } catch {
      throw DatabaseOpenProblem("\(path) cannot be used: \(error)")
    }
    self.now = now
  }

  package func attempt(_ id: AttemptID) throws(JournalReadProblem) -> AttemptView? {
    try read { (tables, now) throws(JournalReadProblem) in
      try tables.views(tables.byKey, at: now) { (statement) throws(SQLiteProblem) in
        try statement.bind(1, id.merchantID)
        try statement.bind(2, id.idempotencyKey)
      }
    }.first?.view
  }

  package func attempts(of checkout: CheckoutKey) throws(JournalReadProblem) -> [AttemptView] {
    try read { (tables, now) throws(JournalReadProblem) in
      try tables.views(tables.byCheckout, at: now) { (statement) throws(SQLiteProblem) in
        try statement.bind(1, checkout.merchantID)
        try statement.bind(2, checkout.checkoutID)
      }
    }.map(\.view)
  }

  package func attempts(ofCheckoutID checkoutID: String) throws(JournalReadProblem) -> [AttemptView] {
    try read { (tables, now) throws(JournalReadProblem) in
      try tables.views(tables.byCheckoutID, at: now) { (statement) throws(SQLiteProblem) in
        try statement.bind(1, checkoutID)
      }
    }.map(\.view)
  }

  package func parked() throws(JournalReadProblem) -> [AttemptView] {
    try read { (tables, now) throws(JournalReadProblem) in
      try tables.views(tables.parked, at: now) { (_) throws(SQLiteProblem) in }
    }.map(\.view)
  }

  package func page(
    after cursor: Int64, limit: Int
  ) throws(JournalReadProblem) -> (
    views: [AttemptView], next: Int64?
  ) {
    let rows = try read { (tables, now) throws(JournalReadProblem) in
      try tables.views(tables.page, at: now) { (statement) throws(SQLiteProblem) in
        try statement.bind(1, cursor)
        try statement.bind(2, Int64(limit))
      }
    }
    return (rows.map(\.view), rows.count < limit ? nil : rows.last?.row)
  }

  package func history(of id: AttemptID) throws(JournalReadProblem) -> [RecordedWrite] {
    try read { (tables, _) throws(JournalReadProblem) in try tables.history(of: id) }
  }

  package func counts() throws(JournalReadProblem) -> JournalCounts {
    try read { (tables, _) throws(JournalReadProblem) in try tables.readCounts() }
  }

  private func read<Value: Sendable>(
    _ body: (ReaderTables, Timestamp) throws(JournalReadProblem) -> Value
  ) throws(JournalReadProblem) -> Value {
    let now = now()
    let result = tables.withLock { tables -> Result<Value, JournalReadProblem> in
      do throws(JournalReadProblem) { return .success(try body(tables, now)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
