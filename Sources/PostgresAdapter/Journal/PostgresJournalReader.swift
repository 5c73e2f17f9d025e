// The read side for tools (`trace`, `verify`, `parked`): short reads beside running workers.

package import CheckoutCore
import CheckoutWire
import Synchronization

/// Reads a journal on a connection of its own, which the server keeps from writing. A call whose connection is lost connects
/// once more. Leases are judged by the server's clock.
package final class PostgresJournalReader: JournalReader {
  package let id: String
  private let location: PostgresLocation
  private let session: Mutex<PostgresSession?>

  /// Connects to the journal at `location`; blocks.
  package init(_ location: PostgresLocation) throws(JournalOpenProblem) {
    self.location = location
    let opened = try Self.open(location)
    id = opened.id
    session = Mutex(opened.session)
  }

  private static func open(
    _ location: PostgresLocation
  ) throws(JournalOpenProblem) -> sending (session: PostgresSession, id: String) {
    let session = try PostgresSession.opened(location) { false }
    let isThere = try ServerCheck.prepare(session, at: location)
    let id = try PostgresSchema.journalID(session, isThere: isThere, at: location)
    do throws(PostgresProblem) {
      try session.run(sql: ["SET default_transaction_read_only = on"])
      try session.prepare(ReaderStatement.allCases.map { ($0.rawValue, $0.sql) })
    } catch {
      throw JournalOpenProblem(error, at: location)
    }
    return (session, id)
  }

  package func attempt(_ id: AttemptID) throws(JournalReadProblem) -> AttemptView? {
    try views(.byKey) { parameters in
      parameters.add(id.merchantID)
      parameters.add(id.idempotencyKey)
    }.first
  }

  package func attempts(of checkout: CheckoutKey) throws(JournalReadProblem) -> [AttemptView] {
    try views(.byCheckout) { parameters in
      parameters.add(checkout.merchantID)
      parameters.add(checkout.checkoutID)
    }
  }

  package func attempts(ofCheckoutID checkoutID: String) throws(JournalReadProblem) -> [AttemptView] {
    try views(.byCheckoutID) { $0.add(checkoutID) }
  }

  package func parked() throws(JournalReadProblem) -> [AttemptView] {
    try views(.parked) { _ in }
  }

  package func page(
    after cursor: Int64, limit: Int
  ) throws(JournalReadProblem) -> (
    views: [AttemptView], next: Int64?
  ) {
    let rows = try read(
      .page,
      { parameters in
        parameters.add(cursor)
        parameters.add(Int64(limit))
      },
      { (result) throws(JournalReadProblem) in (try result.attempts(), result.integer(result.count - 1, 7)) })
    return (rows.0, rows.0.count < limit ? nil : rows.1)
  }

  package func history(of id: AttemptID) throws(JournalReadProblem) -> [RecordedWrite] {
    try read(
      .history,
      { parameters in
        parameters.add(id.merchantID)
        parameters.add(id.idempotencyKey)
      }, { (result) throws(JournalReadProblem) in try result.recordedWrites() })
  }

  package func counts() throws(JournalReadProblem) -> JournalCounts {
    try read(.counts, { _ in }) { result in
      JournalCounts(
        attempts: result.integer(0, 0) ?? 0, open: result.integer(0, 1) ?? 0, parked: result.integer(0, 2) ?? 0,
        watched: result.integer(0, 3) ?? 0)
    }
  }

  private func views(
    _ statement: ReaderStatement, _ fill: (inout QueryParameters) -> Void
  ) throws(JournalReadProblem) -> [AttemptView] {
    try read(statement, fill) { (result) throws(JournalReadProblem) in try result.attempts() }
  }

  private func read<Value: Sendable>(
    _ statement: ReaderStatement, _ fill: (inout QueryParameters) -> Void,
    _ decode: (PostgresResult) throws(JournalReadProblem) -> Value
  ) throws(JournalReadProblem) -> Value {
    var parameters = QueryParameters()
    fill(&parameters)
    let call = StatementCall(statement: statement.rawValue, parameters: parameters)
    let outcome = session.withLock { session -> Result<Value, JournalReadProblem> in
      do throws(JournalReadProblem) {
        return .success(try decode(try result(of: call, &session)))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }

  /// The result of a call; a connection that is lost is made anew once.
  private func result(
    of call: StatementCall, _ session: inout PostgresSession?
  ) throws(JournalReadProblem) -> PostgresResult {
    var words = "the server does not answer"
    for _ in 0..<2 {
      let open: PostgresSession
      if let session { open = session } else { open = try reopened() }
      session = open
      do throws(PostgresProblem) {
        if let result = try open.run([call]).first { return result }
      } catch {
        words = "\(location): \(error)"
        if error.kind != .lost { break }
        session = nil
      }
    }
    throw JournalReadProblem(description: words)
  }

  private func reopened() throws(JournalReadProblem) -> PostgresSession {
    do throws(JournalOpenProblem) {
      return try Self.open(location).session
    } catch {
      throw JournalReadProblem(description: error.description)
    }
  }
}

extension PostgresResult {
  /// All rows; one that does not decode fails the read. Column 0 is the time by which leases are judged.
  fileprivate func attempts() throws(JournalReadProblem) -> [AttemptView] {
    var views: [AttemptView] = []
    for row in 0..<count {
      switch journalRow(row, at: Timestamp(nanoseconds: integer(row, 0) ?? .max)) {
      case .success(let view): views.append(view)
      case .failure(let problem): throw JournalReadProblem(description: problem.description)
      }
    }
    return views
  }

  fileprivate func recordedWrites() throws(JournalReadProblem) -> [RecordedWrite] {
    var writes: [RecordedWrite] = []
    do throws(JournalRowProblem) {
      for row in 0..<count {
        writes.append(
          RecordedWrite(
            version: integer(row, 0) ?? 0, at: Timestamp(nanoseconds: integer(row, 1) ?? 0),
            writeID: text(row, 2) ?? "",
            steps: try JournalCodec.decodeSteps(bytes(row, 3)[...])))
      }
    } catch {
      throw JournalReadProblem(description: error.description)
    }
    return writes
  }
}

/// The statements of a reading connection; rows begin with the journal's time.
private enum ReaderStatement: String, CaseIterable {
  case byKey
  case byCheckout
  case byCheckoutID
  case parked
  case page
  case history
  case counts

  private static let rows = """
    SELECT (SELECT greatest((extract(epoch FROM clock_timestamp()) * 1000000)::int8 * 1000, max(renewed_at)) \
    FROM checkout_workers), \(JournalStatement.columns) FROM checkout_attempts a \(JournalStatement.joins)
    """

  var sql: String {
    switch self {
    case .byKey: "\(Self.rows) WHERE a.merchant_id = $1::text AND a.idempotency_key = $2::text"
    case .byCheckout:
      // Two branches, because each index covers some of the rows.
      """
      \(Self.rows) WHERE a.merchant_id = $1::text AND a.checkout_id = $2::text AND a.blocks UNION ALL \
      \(Self.rows) WHERE a.merchant_id = $1::text AND a.checkout_id = $2::text AND NOT a.blocks ORDER BY id
      """
    case .byCheckoutID: "\(Self.rows) WHERE a.checkout_id = $1::text ORDER BY a.id"
    case .parked:
      // What is parked is open, or has ended and is watched: each branch has an index.
      """
      \(Self.rows) WHERE NOT a.ended AND a.parked IS NOT NULL UNION ALL \
      \(Self.rows) WHERE a.watch_at IS NOT NULL AND a.ended AND a.parked IS NOT NULL ORDER BY id
      """
    case .page: "\(Self.rows) WHERE a.id > $1::int8 ORDER BY a.id LIMIT $2::int8"
    case .history:
      """
      SELECT h.version, h.at, h.write_id, h.steps FROM checkout_attempts a JOIN checkout_history h ON h.attempt = a.id \
      WHERE a.merchant_id = $1::text AND a.idempotency_key = $2::text ORDER BY h.version
      """
    case .counts:
      """
      SELECT (SELECT count(*) FROM checkout_attempts), (SELECT count(*) FROM checkout_attempts WHERE NOT ended), \
      (SELECT count(*) FROM checkout_attempts WHERE NOT ended AND parked IS NOT NULL), \
      (SELECT count(*) FROM checkout_attempts WHERE watch_at IS NOT NULL)
      """
    }
  }
}
