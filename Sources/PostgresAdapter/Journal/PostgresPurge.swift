// A purge's side of the journal on PostgreSQL.

package import CheckoutCore
import CheckoutWire
package import JournalQueue

/// A connection that forgets old rows.
package final class PostgresPurge: PurgeableJournal {
  /// Attempts that one look goes through, and rows that one transaction touches.
  private static let window: Int64 = 20_000
  private static let pageMax: Int64 = 200

  private let location: PostgresLocation
  private let session: PostgresSession

  /// Connects to the journal at `location`; blocks.
  package init(_ location: PostgresLocation) throws(JournalOpenProblem) {
    self.location = location
    session = try PostgresSession.opened(location) { false }
    let isThere = try ServerCheck.prepare(session, at: location)
    _ = try PostgresSchema.journalID(session, isThere: isThere, at: location)
    do throws(PostgresProblem) {
      try session.prepare(PurgeStatement.allCases.map { ($0.rawValue, $0.sql) })
    } catch {
      throw JournalOpenProblem(error, at: location)
    }
  }

  package func time() throws(JournalReadProblem) -> Timestamp {
    Timestamp(nanoseconds: try run(.time) { _ in }.integer(0, 0) ?? .min)
  }

  package func purgeCandidates(
    after cursor: Int64, olderThan age: Timestamp
  ) throws(JournalReadProblem) -> PurgePage {
    let rows = try run(.candidates) { parameters in
      parameters.add(cursor)
      parameters.add(cursor + Self.window)
      parameters.add(age.nanoseconds)
      parameters.add(Self.pageMax)
    }
    let page = (0..<rows.count).map { row in
      PurgePage.Row(
        id: rows.integer(row, 7) ?? 0, attempt: try? rows.journalRow(row, at: .distantFuture).get().attempt,
        historyCount: rows.integer(row, 0) ?? 0, bytes: rows.integer(row, 8) ?? 0)
    }
    if page.count == Self.pageMax { return PurgePage(rows: page, next: page.last?.id) }
    let latest = try run(.latest) { _ in }.integer(0, 0) ?? 0
    let end = cursor + Self.window
    return PurgePage(rows: page, next: end < latest ? end : nil)
  }

  package func purge(_ decisions: [PurgeDecision]) throws(JournalReadProblem) -> PurgeCounts {
    var counts = PurgeCounts()
    let removed = decisions.filter { $0.kept == nil }
    if !removed.isEmpty {
      let result = try run(.remove) { parameters in
        parameters.add(integers: removed.map(\.id))
        parameters.add(integers: removed.map(\.version))
      }
      counts.removed = result.integer(0, 0) ?? 0
      counts.historyEntries += result.integer(0, 1) ?? 0
    }
    let narrowed = decisions.compactMap { decision in decision.kept.map { (decision, $0) } }
    if !narrowed.isEmpty {
      let result = try run(.narrow) { parameters in
        parameters.add(integers: narrowed.map(\.0.id))
        parameters.add(integers: narrowed.map(\.0.version))
        parameters.add(utf8: narrowed.map { JournalCodec.encodeDetails($0.1) })
        parameters.add(utf8: narrowed.map { JournalCodec.encodeBirth($0.1) })
      }
      counts.narrowed = result.integer(0, 0) ?? 0
      counts.historyEntries += result.integer(0, 1) ?? 0
    }
    return counts
  }

  private func run(
    _ statement: PurgeStatement, _ fill: (inout QueryParameters) -> Void
  ) throws(JournalReadProblem) -> PostgresResult {
    var parameters = QueryParameters()
    fill(&parameters)
    do throws(PostgresProblem) {
      let call = StatementCall(statement: statement.rawValue, parameters: parameters)
      if let result = try session.run([call]).first { return result }
    } catch {
      throw JournalReadProblem(description: "\(location): \(error)")
    }
    throw JournalReadProblem(description: "\(location): the server does not answer")
  }
}

private enum PurgeStatement: String, CaseIterable {
  case time
  case latest
  case candidates
  case narrow
  case remove

  var sql: String {
    switch self {
    case .time: "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8 * 1000"
    case .latest: "SELECT max(id) FROM checkout_attempts"
    case .candidates:
      """
      SELECT s.entries, \(JournalStatement.columns), length(h.birth) + s.bytes FROM checkout_attempts a \
      \(JournalStatement.joins) CROSS JOIN LATERAL (SELECT count(*) AS entries, sum(length(steps))::int8 AS bytes \
      FROM checkout_history WHERE attempt = a.id) s \
      WHERE a.id > $1::int8 AND a.id <= $2::int8 AND a.ended AND a.updated_at < $3::int8 AND s.entries > 1 \
      ORDER BY a.id LIMIT $4::int8
      """
    case .narrow:
      // The first entry stays, without its steps: it holds what never changes of an attempt.
      """
      WITH kept AS (UPDATE checkout_attempts a SET details = u.details \
      FROM unnest($1::int8[], $2::int8[], $3::text[], $4::text[]) AS u (id, version, details, birth) \
      WHERE a.id = u.id AND a.version = u.version RETURNING a.id, u.birth), \
      narrow AS (UPDATE checkout_history h SET birth = k.birth, steps = '[]' FROM kept k \
      WHERE h.attempt = k.id AND h.version = 1), \
      gone AS (DELETE FROM checkout_history h USING kept k WHERE h.attempt = k.id AND h.version > 1 RETURNING 1) \
      SELECT (SELECT count(*) FROM kept), (SELECT count(*) FROM kept) + (SELECT count(*) FROM gone)
      """
    case .remove:
      """
      WITH gone AS (DELETE FROM checkout_attempts a USING unnest($1::int8[], $2::int8[]) AS u (id, version) \
      WHERE a.id = u.id AND a.version = u.version RETURNING a.id), \
      entries AS (DELETE FROM checkout_history h USING gone g WHERE h.attempt = g.id RETURNING 1) \
      SELECT (SELECT count(*) FROM gone), (SELECT count(*) FROM entries)
      """
    }
  }
}
