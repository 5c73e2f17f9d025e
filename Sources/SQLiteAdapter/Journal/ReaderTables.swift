// The statements of a reading connection.

import CheckoutCore
import CheckoutWire

/// A row and its place in the order of creation.
struct NumberedView {
  let row: Int64
  let view: AttemptView
}

/// Statements that only read. Used by one thread at a time.
final class ReaderTables {
  let byKey: SQLiteStatement
  let byCheckout: SQLiteStatement
  let byCheckoutID: SQLiteStatement
  let parked: SQLiteStatement
  let page: SQLiteStatement
  private let steps: SQLiteStatement
  private let counts: SQLiteStatement

  init(_ database: SQLiteHandle) throws(SQLiteProblem) {
    let select = JournalViewStatements.selection
    byKey = try database.prepare("\(select) WHERE a.merchant_id = ?1 AND a.idempotency_key = ?2")
    // Two branches, because each index covers half of the rows; column 7 is the row id.
    let ofCheckout = "\(select) WHERE a.merchant_id = ?1 AND a.checkout_id = ?2 AND a.blocks"
    byCheckout = try database.prepare("\(ofCheckout) = 1 UNION ALL \(ofCheckout) = 0 ORDER BY 7")
    byCheckoutID = try database.prepare("\(select) WHERE a.checkout_id = ?1 ORDER BY a.id")
    // What is parked is open, or has ended and is watched: each branch has an index.
    let open = "\(select) WHERE a.ended = 0 AND a.parked IS NOT NULL"
    let watched = "\(select) WHERE a.watch_at IS NOT NULL AND a.ended = 1 AND a.parked IS NOT NULL"
    parked = try database.prepare("\(open) UNION ALL \(watched) ORDER BY 7")
    page = try database.prepare("\(select) WHERE a.id > ?1 ORDER BY a.id LIMIT ?2")
    steps = try database.prepare(
      """
      SELECT s.version, s.at, s.write_id, s.steps FROM attempts a JOIN steps s ON s.attempt = a.id \
      WHERE a.merchant_id = ?1 AND a.idempotency_key = ?2 ORDER BY s.version
      """)
    counts = try database.prepare(
      """
      SELECT (SELECT count(*) FROM attempts), (SELECT count(*) FROM attempts WHERE ended = 0), \
      (SELECT count(*) FROM attempts WHERE ended = 0 AND parked IS NOT NULL), \
      (SELECT count(*) FROM attempts WHERE watch_at IS NOT NULL)
      """)
  }

  /// Every row of a statement; a row that does not decode fails the read.
  func views(
    _ statement: SQLiteStatement, at now: Timestamp, _ bind: (SQLiteStatement) throws(SQLiteProblem) -> Void
  ) throws(JournalReadProblem) -> [NumberedView] {
    defer { statement.reset() }
    var views: [NumberedView] = []
    do throws(SQLiteProblem) {
      try bind(statement)
      while try statement.step() {
        switch statement.journalRow(at: now) {
        case .success(let view): views.append(NumberedView(row: statement.integer(6), view: view))
        case .failure(let problem): throw SQLiteProblem(kind: .damaged, code: 0, message: problem.description)
        }
      }
      return views
    } catch {
      throw JournalReadProblem(description: error.description)
    }
  }

  func history(of id: AttemptID) throws(JournalReadProblem) -> [RecordedWrite] {
    defer { steps.reset() }
    var writes: [RecordedWrite] = []
    do throws(SQLiteProblem) {
      try steps.bind(1, id.merchantID)
      try steps.bind(2, id.idempotencyKey)
      while try steps.step() { writes.append(try recordedWrite()) }
      return writes
    } catch {
      throw JournalReadProblem(description: error.description)
    }
  }

  private func recordedWrite() throws(SQLiteProblem) -> RecordedWrite {
    do throws(JournalRowProblem) {
      return RecordedWrite(
        version: steps.integer(0), at: Timestamp(nanoseconds: steps.integer(1)), writeID: steps.text(2),
        steps: try JournalCodec.decodeSteps(steps.bytes(3)[...]))
    } catch {
      throw SQLiteProblem(kind: .damaged, code: 0, message: error.description)
    }
  }

  func readCounts() throws(JournalReadProblem) -> JournalCounts {
    defer { counts.reset() }
    do throws(SQLiteProblem) {
      _ = try counts.step()
      return JournalCounts(
        attempts: counts.integer(0), open: counts.integer(1), parked: counts.integer(2), watched: counts.integer(3))
    } catch {
      throw JournalReadProblem(description: error.description)
    }
  }
}
