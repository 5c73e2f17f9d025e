// The journal's version in a database: read it, bring it up to date, refuse another one.

package import JournalQueue

/// The schema of a PostgreSQL journal.
package enum PostgresSchema {
  /// What this release needs.
  package static var version: Int { journalMigrations.count }

  /// Held while migrating: any fixed number that nobody else uses ("chkj").
  private static let advisoryLock = 0x6368_6B6A

  /// How it stands with the journal at `location`.
  package static func state(at location: PostgresLocation) throws(JournalOpenProblem) -> MigrationState {
    let session = try PostgresSession.opened(location) { false }
    let found = try ServerCheck.prepare(session, at: location) ? try version(session, location) : nil
    return MigrationState(found: found, needed: version)
  }

  /// Makes the journal, or brings it up to date, in one transaction; two at once take turns. The answer is what there was
  /// before; a newer journal is left alone. `newID` names a journal that is made.
  package static func migrate(
    _ location: PostgresLocation, newID: String = JournalID.drawn()
  ) throws(JournalOpenProblem) -> MigrationState {
    let session = try PostgresSession.opened(location) { false }
    _ = try ServerCheck.prepare(session, at: location)
    do throws(PostgresProblem) {
      // Long: the other one may be at work, and its changes may take time.
      try session.run(sql: ["SET lock_timeout = 0", "SET statement_timeout = 0"])
      try session.run(sql: ["SELECT pg_advisory_lock(\(advisoryLock))"])
    } catch {
      throw JournalOpenProblem(error, at: location)
    }
    let isThere = try ServerCheck.exists(session, at: location)
    let before = isThere ? try version(session, location) : 0
    let state = MigrationState(found: isThere ? before : nil, needed: version)
    guard before < version else { return state }
    var statements = journalMigrations[before...].flatMap { $0 }
    if !isThere { statements.append("INSERT INTO checkout_meta VALUES ('journal_id', '\(newID)')") }
    statements.append(
      """
      INSERT INTO checkout_meta VALUES ('schema_version', '\(version)')
      ON CONFLICT (name) DO UPDATE SET value = excluded.value
      """)
    do throws(PostgresProblem) {
      // One transaction; the lock goes with the connection, which is closed by its last reference.
      try session.run(sql: statements)
    } catch {
      throw JournalOpenProblem(error, at: location)
    }
    return state
  }

  /// The id of the journal a session is in, which must be of this release's version.
  static func journalID(
    _ session: PostgresSession, isThere: Bool, at location: PostgresLocation
  ) throws(JournalOpenProblem) -> String {
    guard isThere else {
      throw JournalOpenProblem(
        "\(location): there is no checkout journal; run `checkout migrate --journal \(location)`")
    }
    let found = try version(session, location)
    if found != version {
      throw JournalOpenProblem(
        "\(location): the journal has schema version \(found), this release needs \(version); "
          + (found > version ? "use the newer release" : "run `checkout migrate --journal \(location)`"))
    }
    return try value("journal_id", session, location)
  }

  private static func version(
    _ session: PostgresSession, _ location: PostgresLocation
  ) throws(JournalOpenProblem) -> Int {
    guard let number = Int(try value("schema_version", session, location)) else {
      throw JournalOpenProblem("\(location): checkout_meta is damaged (schema_version is no number); restore a copy")
    }
    return number
  }

  private static func value(
    _ name: String, _ session: PostgresSession, _ location: PostgresLocation
  ) throws(JournalOpenProblem) -> String {
    do throws(PostgresProblem) {
      let rows = try session.run(sql: ["SELECT value FROM checkout_meta WHERE name = '\(name)'"])
      return rows.first?.text(0, 0) ?? ""
    } catch {
      throw JournalOpenProblem(error, at: location)
    }
  }
}
