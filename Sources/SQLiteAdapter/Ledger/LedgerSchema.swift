// The sandbox ledger's tables.

/// The sandbox ledger, version 1.
let ledgerKind = DatabaseKind(
  name: "sandbox ledger", applicationID: 0x4348_4B4C,
  migrations: [
    """
    CREATE TABLE entries (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      kind TEXT NOT NULL,
      provider_key TEXT NOT NULL,
      merchant_id TEXT NOT NULL,
      checkout_id TEXT NOT NULL,
      object TEXT NOT NULL,
      parent TEXT,
      amount_minor INTEGER,
      currency TEXT,
      expires_at INTEGER,
      detail TEXT NOT NULL,
      at INTEGER NOT NULL
    );
    CREATE INDEX entries_object ON entries (object);
    CREATE INDEX entries_checkout ON entries (merchant_id, checkout_id);
    CREATE TABLE keys (
      provider_key TEXT PRIMARY KEY,
      content TEXT NOT NULL,
      first_at INTEGER NOT NULL,
      sends INTEGER NOT NULL,
      outcome TEXT NOT NULL,
      ready_at INTEGER NOT NULL,
      object TEXT NOT NULL,
      amount_minor INTEGER,
      currency TEXT,
      expires_at INTEGER,
      detail TEXT NOT NULL
    );
    CREATE TABLE stock (
      sku TEXT PRIMARY KEY,
      stock_limit INTEGER NOT NULL
    );
    CREATE TABLE takers (
      sku TEXT NOT NULL,
      hold TEXT NOT NULL,
      quantity INTEGER NOT NULL
    );
    CREATE INDEX takers_sku ON takers (sku);
    CREATE INDEX takers_hold ON takers (hold);
    """
  ])
