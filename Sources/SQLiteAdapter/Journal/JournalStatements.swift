// The journal's prepared statements.

/// All statements of a writing connection, prepared once.
struct JournalStatements {
  let begin: SQLiteStatement
  let commit: SQLiteStatement
  let rollback: SQLiteStatement
  let insertAttempt: SQLiteStatement
  let insertBirth: SQLiteStatement
  let insertStep: SQLiteStatement
  let place: SQLiteStatement
  let update: SQLiteStatement
  let updateIndexed: SQLiteStatement
  let hasWrite: SQLiteStatement
  let lease: SQLiteStatement
  let forgetWorkers: SQLiteStatement
  let latestRenewal: SQLiteStatement
  let endLease: SQLiteStatement
  let giveUp: SQLiteStatement
  let views: JournalViewStatements

  init(_ database: SQLiteHandle) throws(SQLiteProblem) {
    begin = try database.prepare("BEGIN IMMEDIATE")
    commit = try database.prepare("COMMIT")
    rollback = try database.prepare("ROLLBACK")
    insertAttempt = try database.prepare(
      """
      INSERT INTO attempts (version, epoch, owner, parked, updated_at, details, blocks, ended, watch_at, \
      merchant_id, idempotency_key, checkout_id) \
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) ON CONFLICT DO NOTHING
      """)
    insertBirth = try database.prepare("INSERT INTO births (attempt, created_at, body) VALUES (?1, ?2, ?3)")
    insertStep = try database.prepare(
      "INSERT INTO steps (attempt, version, at, write_id, steps) VALUES (?1, ?2, ?3, ?4, ?5)")
    // Looked up first and then written by row id: RETURNING would build a table in memory for each statement, and SQLite
    // writes an index anew whenever one of its columns is set, even to the same value.
    place = try database.prepare(
      """
      SELECT id, version, epoch, blocks, ended, watch_at FROM attempts WHERE merchant_id = ?1 AND idempotency_key = ?2
      """)
    // Within an epoch an owner can be given up and not gained: a write that was made before must not bring it back.
    let changed = """
      version = ?1, epoch = ?2, owner = iif(epoch = ?2 AND owner IS NULL, NULL, ?3), parked = ?4, updated_at = ?5, \
      details = ?6
      """
    update = try database.prepare("UPDATE attempts SET \(changed) WHERE id = ?10")
    updateIndexed = try database.prepare(
      "UPDATE attempts SET \(changed), blocks = ?7, ended = ?8, watch_at = ?9 WHERE id = ?10")
    hasWrite = try database.prepare(
      """
      SELECT 1 FROM attempts a JOIN steps s ON s.attempt = a.id AND s.version = ?3 \
      WHERE a.merchant_id = ?1 AND a.idempotency_key = ?2 AND s.write_id = ?4
      """)
    lease = try database.prepare(
      """
      INSERT INTO workers (name, leased_until, renewed_at) VALUES (?1, ?2, ?3) \
      ON CONFLICT (name) DO UPDATE SET leased_until = ?2, renewed_at = ?3
      """)
    forgetWorkers = try database.prepare("DELETE FROM workers WHERE leased_until < ?1")
    latestRenewal = try database.prepare("SELECT max(renewed_at) FROM workers")
    endLease = try database.prepare("UPDATE workers SET leased_until = ?2, renewed_at = ?2 WHERE name = ?1")
    giveUp = try database.prepare(
      "UPDATE attempts SET owner = NULL WHERE merchant_id = ?1 AND idempotency_key = ?2 AND owner = ?3")
    views = try JournalViewStatements(database)
  }
}

/// Statements that read rows; all give the same columns.
struct JournalViewStatements {
  let byKey: SQLiteStatement
  let blocking: SQLiteStatement
  let latestClosed: SQLiteStatement
  let sweepOpen: SQLiteStatement
  let sweepWatched: SQLiteStatement

  /// Columns: version, epoch, owner, details, birth, end of the owner's lease, row id.
  static let selection = """
    SELECT a.version, a.epoch, a.owner, a.details, b.body, w.leased_until, a.id FROM attempts a \
    JOIN births b ON b.attempt = a.id LEFT JOIN workers w ON w.name = a.owner
    """

  init(_ database: SQLiteHandle) throws(SQLiteProblem) {
    let selection = Self.selection
    byKey = try database.prepare("\(selection) WHERE a.merchant_id = ?1 AND a.idempotency_key = ?2")
    blocking = try database.prepare(
      "\(selection) WHERE a.merchant_id = ?1 AND a.checkout_id = ?2 AND a.blocks = 1")
    latestClosed = try database.prepare(
      "\(selection) WHERE a.merchant_id = ?1 AND a.checkout_id = ?2 AND a.blocks = 0 ORDER BY a.id DESC LIMIT ?3")
    sweepOpen = try database.prepare(
      """
      \(selection) WHERE a.ended = 0 AND a.updated_at < ?1 AND (w.leased_until IS NULL OR w.leased_until <= ?2) \
      ORDER BY a.parked IS NOT NULL, a.updated_at, a.merchant_id, a.idempotency_key LIMIT ?3
      """)
    sweepWatched = try database.prepare(
      """
      \(selection) WHERE a.watch_at <= ?1 AND a.ended = 1 \
      ORDER BY a.watch_at, a.merchant_id, a.idempotency_key LIMIT ?2
      """)
  }
}
