// Rows read back, with their owners' leases.

import CheckoutCore
import CheckoutWire

/// A row that was read: a view, or why it does not decode.
typealias ReadRow = Result<AttemptView, JournalRowProblem>

extension SQLiteJournalStore {
  func view(_ id: AttemptID, at now: Timestamp) throws(SQLiteProblem) -> ReadRow? {
    let statement = statements.views.byKey
    try statement.bind(1, id.merchantID)
    try statement.bind(2, id.idempotencyKey)
    return try rows(of: statement, at: now).first
  }

  /// The view of a checkout's blocking attempt; nil if none blocks it.
  func blocking(_ checkout: CheckoutKey, at now: Timestamp) throws(SQLiteProblem) -> ReadRow? {
    try statements.views.blocking.bind(1, checkout.merchantID)
    try statements.views.blocking.bind(2, checkout.checkoutID)
    return try rows(of: statements.views.blocking, at: now).first
  }

  /// A checkout's attempts, the blocking one first, the others from the latest back. A row that does not decode refuses
  /// the request: nobody may act as if it were not there.
  func attempts(
    of checkout: CheckoutKey, _ limit: Int, at now: Timestamp
  )
    throws(SQLiteProblem) -> JournalResult
  {
    var found: [ReadRow] = []
    if let blocking = try blocking(checkout, at: now) { found.append(blocking) }
    try statements.views.latestClosed.bind(1, checkout.merchantID)
    try statements.views.latestClosed.bind(2, checkout.checkoutID)
    try statements.views.latestClosed.bind(3, Int64(max(1, limit) - found.count))
    found += try rows(of: statements.views.latestClosed, at: now)
    var views: [AttemptView] = []
    for row in found {
      switch row {
      case .success(let view): views.append(view)
      case .failure(let problem): return .refused(detail: problem.description)
      }
    }
    return .listed(views)
  }

  /// The answer with a row; a row that does not decode refuses this one request.
  func answer(_ row: ReadRow?, _ result: (AttemptView?) -> JournalResult) -> JournalResult {
    switch row {
    case nil: result(nil)
    case .success(let view)?: result(view)
    case .failure(let problem)?: .refused(detail: problem.description)
    }
  }

  /// Due watches first but at most half, so that neither kind starves the other; of the open ones those that are not
  /// parked first, so that a pile of parked attempts hides nothing. Rows that do not decode are left out.
  func sweep(
    olderThan age: Timestamp, watchedUntil time: Timestamp, _ limit: Int, at now: Timestamp
  )
    throws(SQLiteProblem) -> JournalResult
  {
    let most = Int64(max(0, limit))
    try statements.views.sweepWatched.bind(1, time.nanoseconds)
    try statements.views.sweepWatched.bind(2, most)
    let watched = try rows(of: statements.views.sweepWatched, at: now)
    try statements.views.sweepOpen.bind(1, age.nanoseconds)
    try statements.views.sweepOpen.bind(2, now.nanoseconds)
    try statements.views.sweepOpen.bind(3, most)
    let open = try rows(of: statements.views.sweepOpen, at: now)
    let watchedCount = min(watched.count, max(limit - open.count, (limit + 1) / 2))
    let listed = watched.prefix(max(0, watchedCount)) + open.prefix(max(0, limit - watchedCount))
    return .listed(listed.compactMap { try? $0.get() })
  }

  private func rows(of statement: SQLiteStatement, at now: Timestamp) throws(SQLiteProblem) -> [ReadRow] {
    defer { statement.reset() }
    var rows: [ReadRow] = []
    while try statement.step() { rows.append(statement.journalRow(at: now)) }
    return rows
  }
}

extension SQLiteStatement {
  /// The current row of a statement with the columns of `JournalViewStatements.selection`.
  func journalRow(at now: Timestamp) -> ReadRow {
    let columns = JournalCodec.Columns(version: integer(0), epoch: integer(1), owner: optionalText(2))
    let end = optionalInteger(5).map { Timestamp(nanoseconds: $0) }
    do throws(JournalRowProblem) {
      let attempt = try JournalCodec.decode(columns, birth: bytes(4)[...], details: bytes(3)[...])
      return .success(AttemptView(attempt: attempt, ownedUntil: end.flatMap { $0 > now ? $0 : nil }))
    } catch {
      return .failure(error)
    }
  }
}
