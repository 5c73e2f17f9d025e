// The statements of a writing connection. Each takes many rows at a time, as arrays; refusals that are expected (another
// version, an older epoch, a duplicate) are rows that do not come back.

/// The journal's prepared statements; the raw value is the name on the server.
enum JournalStatement: String, CaseIterable {
  case now
  case update
  case create
  case giveUp
  case lease
  case forgetWorkers
  case endLease
  case find
  case findCheckout
  case sweepOpen
  case sweepWatched
  case isDone

  /// Journal time in nanoseconds. Parameters 1 and 2: a time that stands for the server's clock, and a time it is not before;
  /// either may be NULL. Never before what another session has recorded.
  private static let clock = "coalesce($1::int8, (extract(epoch FROM clock_timestamp()) * 1000000)::int8 * 1000)"
  private static let time = "greatest(\(clock), $2::int8, (SELECT max(renewed_at) FROM checkout_workers))"

  /// Columns 1 to 7 of every statement that reads rows: version, epoch, owner, details, birth, end of the owner's lease, id.
  static let columns = "a.version, a.epoch, a.owner, a.details, h.birth, w.leased_until, a.id"
  /// `OFFSET 0` keeps the planner from starting with the history: its plan is made while the tables are empty, and stays.
  static let joins = """
    JOIN LATERAL (SELECT birth FROM checkout_history WHERE attempt = a.id AND version = 1 OFFSET 0) h ON true \
    LEFT JOIN checkout_workers w ON w.name = a.owner
    """

  /// The text.
  var sql: String {
    switch self {
    case .now: "SELECT \(Self.clock), \(Self.time)"
    case .update: Self.updateSQL
    case .create: Self.createSQL
    case .giveUp:
      """
      UPDATE checkout_attempts a SET owner = NULL FROM unnest($1::text[], $2::text[]) AS u (merchant_id, idempotency_key) \
      WHERE a.merchant_id = u.merchant_id AND a.idempotency_key = u.idempotency_key AND a.owner = $3::text
      """
    case .lease:
      """
      WITH t AS MATERIALIZED (SELECT \(Self.time) AS now) \
      INSERT INTO checkout_workers (name, leased_until, renewed_at) SELECT $3::text, now + $4::int8, now FROM t \
      ON CONFLICT (name) DO UPDATE SET leased_until = excluded.leased_until, renewed_at = excluded.renewed_at \
      RETURNING leased_until
      """
    case .forgetWorkers: "DELETE FROM checkout_workers WHERE leased_until < (SELECT \(Self.time)) - $3::int8"
    case .endLease:
      """
      WITH t AS MATERIALIZED (SELECT \(Self.time) AS now) \
      UPDATE checkout_workers w SET leased_until = t.now, renewed_at = t.now FROM t WHERE w.name = $3::text
      """
    case .find:
      """
      SELECT u.n, \(Self.columns) FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS u (m, k, n) \
      JOIN checkout_attempts a ON a.merchant_id = u.m AND a.idempotency_key = u.k \(Self.joins)
      """
    case .findCheckout: Self.findCheckoutSQL
    case .sweepOpen:
      """
      WITH t AS MATERIALIZED (SELECT \(Self.time) AS now) \
      SELECT 0::int8, \(Self.columns) FROM ( \
      SELECT o.* FROM checkout_attempts o LEFT JOIN checkout_workers l ON l.name = o.owner \
      WHERE NOT o.ended AND o.updated_at < $3::int8 \
      AND (l.leased_until IS NULL OR l.leased_until <= (SELECT now FROM t)) \
      ORDER BY o.parked IS NOT NULL, o.updated_at, o.merchant_id, o.idempotency_key LIMIT $4::int8) a \(Self.joins) \
      ORDER BY a.parked IS NOT NULL, a.updated_at, a.merchant_id, a.idempotency_key
      """
    case .sweepWatched:
      """
      SELECT 0::int8, \(Self.columns) FROM ( \
      SELECT * FROM checkout_attempts o WHERE o.watch_at <= $1::int8 AND o.ended \
      ORDER BY o.watch_at, o.merchant_id, o.idempotency_key LIMIT $2::int8) a \(Self.joins) \
      ORDER BY a.watch_at, a.merchant_id, a.idempotency_key
      """
    case .isDone:
      """
      SELECT u.n FROM unnest($1::text[], $2::text[], $3::int8[], $4::text[]) WITH ORDINALITY AS u (m, k, v, w, n) \
      JOIN checkout_attempts a ON a.merchant_id = u.m AND a.idempotency_key = u.k \
      JOIN checkout_history h ON h.attempt = a.id AND h.version = u.v AND h.write_id = u.w
      """
    }
  }

  /// Answers with the numbers of the rows that were written. Within an epoch an owner can be given up and not gained: a write
  /// that was made before must not bring it back.
  private static let updateSQL = """
    WITH t AS MATERIALIZED (SELECT \(time) AS now), \
    changed AS ( \
    UPDATE checkout_attempts a SET version = u.version, epoch = u.epoch, parked = u.parked, \
    owner = CASE WHEN a.owner IS NULL AND a.epoch = u.epoch THEN NULL ELSE u.owner END, \
    blocks = u.blocks, ended = u.ended, watch_at = u.watch_at, updated_at = u.updated_at, details = u.details \
    FROM unnest($3::text[], $4::text[], $5::int8[], $6::int8[], $7::int8[], $8::text[], $9::text[], $10::bool[], \
    $11::bool[], $12::int8[], $13::int8[], $14::text[], $15::text[], $16::text[]) WITH ORDINALITY \
    AS u (merchant_id, idempotency_key, expected_epoch, version, epoch, owner, parked, blocks, ended, watch_at, \
    updated_at, details, write_id, steps, n) \
    WHERE a.merchant_id = u.merchant_id AND a.idempotency_key = u.idempotency_key AND a.version = u.version - 1 \
    AND (u.expected_epoch IS NULL OR a.epoch = u.expected_epoch) \
    RETURNING a.id, u.version, u.write_id, u.steps, u.n), \
    noted AS ( \
    INSERT INTO checkout_history (attempt, version, at, write_id, steps) \
    SELECT id, version, (SELECT now FROM t), write_id, steps FROM changed) \
    SELECT n FROM changed
    """

  /// Answers with the numbers of the rows that were written. `IS TRUE` keeps the planner from making joins of two row sets
  /// without indexes out of the look-ups, which it answers from a hash table as they are.
  private static let createSQL = """
    WITH t AS MATERIALIZED (SELECT \(time) AS now), \
    u AS MATERIALIZED (SELECT nextval('checkout_attempt_ids') AS id, x.* \
    FROM unnest($3::text[], $4::text[], $5::text[], $6::int8[], $7::int8[], $8::text[], $9::text[], $10::bool[], \
    $11::bool[], $12::int8[], $13::int8[], $14::text[], $15::text[], $16::text[], $17::text[]) WITH ORDINALITY \
    AS x (merchant_id, idempotency_key, checkout_id, version, epoch, owner, parked, blocks, ended, watch_at, \
    updated_at, details, write_id, steps, birth, n)), \
    made AS ( \
    INSERT INTO checkout_attempts (id, merchant_id, idempotency_key, checkout_id, version, epoch, owner, parked, blocks, \
    ended, watch_at, updated_at, details) \
    SELECT id, merchant_id, idempotency_key, checkout_id, version, epoch, owner, parked, blocks, ended, watch_at, \
    updated_at, details FROM u ON CONFLICT DO NOTHING RETURNING id), \
    noted AS ( \
    INSERT INTO checkout_history (attempt, version, at, write_id, steps, birth) \
    SELECT u.id, u.version, (SELECT now FROM t), u.write_id, u.steps, u.birth FROM u \
    WHERE (u.id IN (SELECT id FROM made)) IS TRUE) \
    SELECT u.n FROM u WHERE (u.id IN (SELECT id FROM made)) IS TRUE
    """

  /// The attempts of each checkout, at most parameter 3: the blocking one, then from the latest back.
  private static let findCheckoutSQL = """
    SELECT u.n, \(columns) FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS u (m, c, n) \
    JOIN LATERAL (SELECT * FROM ( \
    (SELECT * FROM checkout_attempts b WHERE b.merchant_id = u.m AND b.checkout_id = u.c AND b.blocks) \
    UNION ALL \
    (SELECT * FROM checkout_attempts b WHERE b.merchant_id = u.m AND b.checkout_id = u.c AND NOT b.blocks \
    ORDER BY b.id DESC LIMIT $3::int8)) AS both_kinds ORDER BY blocks DESC, id DESC LIMIT $3::int8) a ON true \(joins) \
    ORDER BY u.n, a.blocks DESC, a.id DESC
    """
}
