// Carries requests out on the server: one batch, one transaction, one round trip.

import CheckoutCore
import JournalQueue

/// The writing connection. Used by one thread at a time.
final class PostgresJournalStore: JournalStore {
  static let batchMax = 2000

  /// Made once when the journal was.
  let id: String
  private let location: PostgresLocation
  private let abandonment: Abandonment
  private var session: PostgresSession?
  /// A commit was cut off before its reply: see `settle`.
  private var isUnsettled = false
  var time: DatabaseTime

  /// Connects and checks everything. `source` stands for the server's clock.
  init(
    location: PostgresLocation, time source: JournalTimeSource?, abandonment: Abandonment
  ) throws(JournalOpenProblem) {
    self.location = location
    self.abandonment = abandonment
    time = DatabaseTime(source: source)
    let opened = try Self.open(location, abandonment)
    session = opened.session
    id = opened.id
  }

  private static func open(
    _ location: PostgresLocation, _ abandonment: Abandonment
  ) throws(JournalOpenProblem) -> (session: PostgresSession, id: String) {
    let session = try PostgresSession.opened(location) { abandonment.isRaised }
    let isThere = try ServerCheck.prepare(session, at: location)
    let found = try PostgresSchema.journalID(session, isThere: isThere, at: location)
    do throws(PostgresProblem) {
      try session.prepare(JournalStatement.allCases.map { ($0.rawValue, $0.sql) })
    } catch {
      throw JournalOpenProblem(error, at: location)
    }
    return (session, found)
  }

  func apply(_ batch: JournalBatch) throws(JournalOutage) -> AppliedBatch {
    var work = BatchWork(batch)
    let session = try connected()
    do throws(PostgresProblem) {
      try carryOut(&work, session)
    } catch {
      if error.kind == .lost {
        isUnsettled = true
        self.session = nil
      }
      throw JournalOutage(isOrdinary: error.kind == .busy, error.description)
    }
    return work.applied
  }

  /// The session, connected anew if it was lost; everything is checked again, because another server may have taken over.
  private func connected() throws(JournalOutage) -> PostgresSession {
    if let session { return session }
    do throws(JournalOpenProblem) {
      let opened = try Self.open(location, abandonment)
      guard opened.id == id else {
        throw JournalOpenProblem("\(location): this is another journal (\(opened.id)) than before (\(id))")
      }
      try settle(opened.session)
      session = opened.session
      return opened.session
    } catch {
      throw JournalOutage(error.description)
    }
  }

  /// A commit whose reply was lost may be visible here and not yet be on the synchronous standby. A commit of our own waits
  /// for it: what is read afterwards would survive a fail-over.
  private func settle(_ session: PostgresSession) throws(JournalOpenProblem) {
    guard isUnsettled else { return }
    do throws(PostgresProblem) {
      try session.run(sql: ["SELECT pg_logical_emit_message(true, 'checkout', '')"])
    } catch {
      throw JournalOpenProblem(error, at: location)
    }
    isUnsettled = false
  }
}
