// The journal's tables, as numbered steps. A step that was released is never changed: a new one is added.
//
// What never changes of an attempt is in its first history row, so that an update rewrites a short row and touches no index
// (fillfactor leaves the page room for it). Columns are what statements look at; everything else is in `details`. Keys have
// collation "C": they are bytes (two spellings of one letter are two keys). `details`, `steps` and `birth` are JSON but not
// `jsonb`, which would refuse an escaped NUL and cost parsing.

/// All steps, from version 1 on; each is a list of statements.
let journalMigrations: [[String]] = [
  [
    """
    CREATE TABLE checkout_meta (
      name text COLLATE "C" PRIMARY KEY,
      value text NOT NULL
    )
    """,
    "CREATE SEQUENCE checkout_attempt_ids",
    """
    CREATE TABLE checkout_attempts (
      id bigint PRIMARY KEY,
      merchant_id text COLLATE "C" NOT NULL,
      idempotency_key text COLLATE "C" NOT NULL,
      checkout_id text COLLATE "C" NOT NULL,
      version bigint NOT NULL,
      epoch bigint NOT NULL,
      owner text COLLATE "C",
      parked text,
      blocks boolean NOT NULL,
      ended boolean NOT NULL,
      watch_at bigint,
      updated_at bigint NOT NULL,
      details text NOT NULL
    ) WITH (fillfactor = 70)
    """,
    "CREATE UNIQUE INDEX checkout_attempts_key ON checkout_attempts (merchant_id, idempotency_key)",
    "CREATE UNIQUE INDEX checkout_attempts_blocking ON checkout_attempts (merchant_id, checkout_id) WHERE blocks",
    "CREATE INDEX checkout_attempts_closed ON checkout_attempts (merchant_id, checkout_id, id) WHERE NOT blocks",
    "CREATE INDEX checkout_attempts_open ON checkout_attempts (id) WHERE NOT ended",
    "CREATE INDEX checkout_attempts_watched ON checkout_attempts (watch_at) WHERE watch_at IS NOT NULL",
    """
    CREATE TABLE checkout_history (
      attempt bigint NOT NULL,
      version bigint NOT NULL,
      at bigint NOT NULL,
      write_id text COLLATE "C" NOT NULL,
      steps text NOT NULL,
      birth text,
      PRIMARY KEY (attempt, version)
    )
    """,
    """
    CREATE TABLE checkout_workers (
      name text COLLATE "C" PRIMARY KEY,
      leased_until bigint NOT NULL,
      renewed_at bigint NOT NULL
    ) WITH (fillfactor = 50)
    """,
  ]
]
