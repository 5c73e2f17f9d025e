// A purge's side of the journal on SQLite.

package import CheckoutCore
import CheckoutWire
package import JournalQueue

/// A connection that forgets old rows. Each step is one short transaction, so that a worker waits for it hardly longer than for
/// one of its own.
package final class SQLitePurge: PurgeableJournal {
  /// Attempts that one look goes through, and rows that one transaction touches.
  private static let window: Int64 = 20_000
  private static let pageMax: Int64 = 200
  /// How long one call waits for a worker's lock.
  private static let patienceMilliseconds: Int32 = 30_000

  private let database: SQLiteHandle
  private let candidates: SQLiteStatement
  private let latest: SQLiteStatement
  private let transaction: [SQLiteStatement]
  private let narrow: SQLiteStatement
  private let narrowBirth: SQLiteStatement
  private let remove: SQLiteStatement
  private let removeBirth: SQLiteStatement
  private let removeSteps: SQLiteStatement
  private let now: () -> Timestamp

  /// Opens the journal at `path`, which must exist. `now` is the journal's time.
  package init(path: String, now: @escaping () -> Timestamp) throws(DatabaseOpenProblem) {
    self.now = now
    database = try DatabaseFile(path: path, kind: journalKind).open(missing: .refuse) { _ in }
    database.setBusyTimeout(milliseconds: Self.patienceMilliseconds)
    do throws(SQLiteProblem) {
      transaction = [
        try database.prepare("BEGIN IMMEDIATE"), try database.prepare("COMMIT"), try database.prepare("ROLLBACK"),
      ]
      candidates = try database.prepare(
        """
        SELECT a.version, a.epoch, a.owner, a.details, b.body, NULL, a.id, count(s.id), \
        length(b.body) + sum(length(s.steps)) FROM attempts a JOIN births b ON b.attempt = a.id \
        JOIN steps s ON s.attempt = a.id WHERE a.id > ?1 AND a.id <= ?2 AND a.ended = 1 AND a.updated_at < ?3 \
        GROUP BY a.id ORDER BY a.id LIMIT ?4
        """)
      latest = try database.prepare("SELECT max(id) FROM attempts")
      narrow = try database.prepare("UPDATE attempts SET details = ?3 WHERE id = ?1 AND version = ?2")
      narrowBirth = try database.prepare("UPDATE births SET body = ?2 WHERE attempt = ?1")
      remove = try database.prepare("DELETE FROM attempts WHERE id = ?1 AND version = ?2")
      removeBirth = try database.prepare("DELETE FROM births WHERE attempt = ?1")
      removeSteps = try database.prepare("DELETE FROM steps WHERE attempt = ?1")
    } catch {
      throw DatabaseOpenProblem("\(path) cannot be used: \(error)")
    }
  }

  package func time() throws(JournalReadProblem) -> Timestamp { now() }

  package func purgeCandidates(
    after cursor: Int64, olderThan age: Timestamp
  ) throws(JournalReadProblem) -> PurgePage {
    do throws(SQLiteProblem) {
      defer { candidates.reset() }
      try candidates.bind(1, cursor)
      try candidates.bind(2, cursor + Self.window)
      try candidates.bind(3, age.nanoseconds)
      try candidates.bind(4, Self.pageMax)
      var rows: [PurgePage.Row] = []
      while try candidates.step() {
        rows.append(
          PurgePage.Row(
            id: candidates.integer(6), attempt: try? candidates.journalRow(at: .distantFuture).get().attempt,
            historyCount: candidates.integer(7), bytes: candidates.integer(8)))
      }
      if rows.count == Self.pageMax { return PurgePage(rows: rows, next: rows.last?.id) }
      defer { latest.reset() }
      let end = cursor + Self.window
      return PurgePage(rows: rows, next: try latest.step() && end < latest.integer(0) ? end : nil)
    } catch {
      throw JournalReadProblem(description: error.description)
    }
  }

  package func purge(_ decisions: [PurgeDecision]) throws(JournalReadProblem) -> PurgeCounts {
    do throws(SQLiteProblem) {
      try transaction[0].run()
      do throws(SQLiteProblem) {
        var counts = PurgeCounts()
        for decision in decisions { try purge(decision, &counts) }
        try transaction[1].run()
        return counts
      } catch {
        if !database.isAutocommit { try? transaction[2].run() }
        throw error
      }
    } catch {
      throw JournalReadProblem(description: error.description)
    }
  }

  private func purge(_ decision: PurgeDecision, _ counts: inout PurgeCounts) throws(SQLiteProblem) {
    let change = decision.kept == nil ? remove : narrow
    try change.bind(1, decision.id)
    try change.bind(2, decision.version)
    if let kept = decision.kept { try change.bind(3, utf8: JournalCodec.encodeDetails(kept)) }
    try change.run()
    guard database.changedRows > 0 else { return }
    let birth = decision.kept == nil ? removeBirth : narrowBirth
    try birth.bind(1, decision.id)
    if let kept = decision.kept { try birth.bind(2, utf8: JournalCodec.encodeBirth(kept)) }
    try birth.run()
    try removeSteps.bind(1, decision.id)
    try removeSteps.run()
    counts.historyEntries += Int64(database.changedRows)
    if decision.kept == nil { counts.removed += 1 } else { counts.narrowed += 1 }
  }
}
