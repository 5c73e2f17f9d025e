// The journal's tables.
//
// Ordinary tables with row ids: WITHOUT ROWID is two to three times slower here. What never changes of an attempt is in
// `births`, so that an update rewrites a short row. An attempt is in exactly one of the two checkout indexes, and the
// ordinary update touches no index at all. Columns are what statements look at; everything else is in `details`.

package import JournalQueue

/// The checkout journal.
let journalKind = DatabaseKind(
  name: "checkout journal", applicationID: 0x4348_4B4A,
  migrations: [
    """
    CREATE TABLE meta (
      name TEXT PRIMARY KEY,
      value TEXT NOT NULL
    );
    CREATE TABLE attempts (
      id INTEGER PRIMARY KEY,
      merchant_id TEXT NOT NULL,
      idempotency_key TEXT NOT NULL,
      checkout_id TEXT NOT NULL,
      version INTEGER NOT NULL,
      epoch INTEGER NOT NULL,
      owner TEXT,
      parked TEXT,
      blocks INTEGER NOT NULL,
      ended INTEGER NOT NULL,
      watch_at INTEGER,
      updated_at INTEGER NOT NULL,
      details TEXT NOT NULL
    );
    CREATE UNIQUE INDEX attempts_key ON attempts (merchant_id, idempotency_key);
    CREATE UNIQUE INDEX attempts_blocking ON attempts (merchant_id, checkout_id) WHERE blocks = 1;
    CREATE INDEX attempts_closed ON attempts (merchant_id, checkout_id) WHERE blocks = 0;
    CREATE INDEX attempts_open ON attempts (ended) WHERE ended = 0;
    CREATE INDEX attempts_watched ON attempts (watch_at) WHERE watch_at IS NOT NULL;
    CREATE TABLE births (
      attempt INTEGER PRIMARY KEY,
      created_at INTEGER NOT NULL,
      body TEXT NOT NULL
    );
    CREATE TABLE steps (
      id INTEGER PRIMARY KEY,
      attempt INTEGER NOT NULL,
      version INTEGER NOT NULL,
      at INTEGER NOT NULL,
      write_id TEXT NOT NULL,
      steps TEXT NOT NULL
    );
    CREATE INDEX steps_attempt ON steps (attempt, version);
    CREATE TABLE workers (
      name TEXT PRIMARY KEY,
      leased_until INTEGER NOT NULL,
      renewed_at INTEGER NOT NULL
    );
    """
  ])

/// The schema of a SQLite journal.
package enum SQLiteJournalSchema {
  /// What this release needs.
  package static var version: Int { Int(journalKind.schemaVersion) }

  /// How it stands with the journal at `path`; nothing is made.
  package static func state(path: String) throws(DatabaseOpenProblem) -> MigrationState {
    MigrationState(found: try DatabaseFile(path: path, kind: journalKind).foundVersion(), needed: version)
  }

  /// Makes the journal, or brings it up to date; two at once take turns. The answer is what there was before; a newer
  /// journal is left alone.
  package static func migrate(path: String) throws(DatabaseOpenProblem) -> MigrationState {
    let before = try state(path: path)
    if case .newer = before { return before }
    let file = DatabaseFile(path: path, kind: journalKind)
    _ = try file.open(missing: .create, upgrading: true) { (handle) throws(SQLiteProblem) in
      try SQLiteJournalStore.name(handle, JournalID.drawn())
    }
    return before
  }
}
