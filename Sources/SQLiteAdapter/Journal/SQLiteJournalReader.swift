// The read side for tools (`trace`, `verify`, `parked`): short reads beside a running worker.

package import CheckoutCore
import CheckoutWire
import Synchronization

/// How many attempts there are, by what `checkout parked`, metrics and `verify` ask for.
package struct JournalCounts: Hashable, Sendable {
  /// All attempts, ended or not.
  package let attempts: Int64
  /// Attempts that have not ended.
  package let open: Int64
  /// Open attempts that wait for a person.
  package let parked: Int64
  /// Attempts that ended unpaid and whose charge is looked up again later.
  package let watched: Int64
}

/// Reads a journal's file without ever writing a row. Each call is one short read, so that a worker's checkpoints are not
/// held up; a list longer than a page is not one snapshot.
package final class SQLiteJournalReader: JournalReader {
  /// The journal's id.
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

  /// One attempt; nil: there is none.
  package func attempt(_ id: AttemptID) throws(JournalReadProblem) -> AttemptView? {
    try read { (tables, now) throws(JournalReadProblem) in
      try tables.views(tables.byKey, at: now) { (statement) throws(SQLiteProblem) in
        try statement.bind(1, id.merchantID)
        try statement.bind(2, id.idempotencyKey)
      }
    }.first?.view
  }

  /// All attempts of one checkout, oldest first.
  package func attempts(of checkout: CheckoutKey) throws(JournalReadProblem) -> [AttemptView] {
    try read { (tables, now) throws(JournalReadProblem) in
      try tables.views(tables.byCheckout, at: now) { (statement) throws(SQLiteProblem) in
        try statement.bind(1, checkout.merchantID)
        try statement.bind(2, checkout.checkoutID)
      }
    }.map(\.view)
  }

  /// All attempts with this checkout id, whichever the merchant, oldest first. Looks through the whole table.
  package func attempts(ofCheckoutID checkoutID: String) throws(JournalReadProblem) -> [AttemptView] {
    try read { (tables, now) throws(JournalReadProblem) in
      try tables.views(tables.byCheckoutID, at: now) { (statement) throws(SQLiteProblem) in
        try statement.bind(1, checkoutID)
      }
    }.map(\.view)
  }

  /// All parked attempts, ended ones with an obligation included, oldest first.
  package func parked() throws(JournalReadProblem) -> [AttemptView] {
    try read { (tables, now) throws(JournalReadProblem) in
      try tables.views(tables.parked, at: now) { (_) throws(SQLiteProblem) in }
    }.map(\.view)
  }

  /// At most `limit` attempts after `cursor` (0: from the start) in the order of their creation, and the cursor to go on
  /// with; nil: there are no more.
  package func page(
    after cursor: Int64, limit: Int = 500
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

  /// The history of one attempt, oldest first.
  package func history(of id: AttemptID) throws(JournalReadProblem) -> [RecordedWrite] {
    try read { (tables, _) throws(JournalReadProblem) in try tables.history(of: id) }
  }

  /// How many attempts there are.
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
