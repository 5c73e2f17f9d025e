// The sandbox ledger's tables through prepared statements.

import CheckoutCore
import CheckoutSandbox

/// The store inside a transaction of the ledger's file.
final class SQLiteLedgerStore: SandboxStore {
  let database: SQLiteHandle
  let begin: SQLiteStatement
  let commit: SQLiteStatement
  let rollback: SQLiteStatement
  private let findKey: SQLiteStatement
  private let putKey: SQLiteStatement
  private let insertEntry: SQLiteStatement
  private let byObject: SQLiteStatement
  private let byCheckout: SQLiteStatement
  private let bySequence: SQLiteStatement
  private let findStock: SQLiteStatement
  private let putStock: SQLiteStatement
  private let dropStock: SQLiteStatement
  private let findTakers: SQLiteStatement
  private let insertTaker: SQLiteStatement
  private let dropTakers: SQLiteStatement

  init(database: SQLiteHandle) throws(SQLiteProblem) {
    self.database = database
    begin = try database.prepare("BEGIN IMMEDIATE")
    commit = try database.prepare("COMMIT")
    rollback = try database.prepare("ROLLBACK")
    let key = """
      provider_key, content, first_at, sends, outcome, ready_at, object, amount_minor, currency, expires_at, detail
      """
    findKey = try database.prepare("SELECT \(key) FROM keys WHERE provider_key = ?1")
    putKey = try database.prepare(
      "INSERT OR REPLACE INTO keys (\(key)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)")
    let entry = """
      kind, provider_key, merchant_id, checkout_id, object, parent, amount_minor, currency, expires_at, detail, at
      """
    insertEntry = try database.prepare(
      "INSERT INTO entries (\(entry)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)")
    let select = "SELECT sequence, \(entry) FROM entries WHERE"
    byObject = try database.prepare("\(select) object = ?1 ORDER BY sequence")
    byCheckout = try database.prepare("\(select) merchant_id = ?1 AND checkout_id = ?2 ORDER BY sequence")
    bySequence = try database.prepare("\(select) sequence > ?1 ORDER BY sequence LIMIT ?2")
    findStock = try database.prepare("SELECT stock_limit FROM stock WHERE sku = ?1")
    putStock = try database.prepare("INSERT OR REPLACE INTO stock (sku, stock_limit) VALUES (?1, ?2)")
    dropStock = try database.prepare("DELETE FROM stock WHERE sku = ?1")
    findTakers = try database.prepare("SELECT sku, hold, quantity FROM takers WHERE sku = ?1 ORDER BY rowid")
    insertTaker = try database.prepare("INSERT INTO takers (sku, hold, quantity) VALUES (?1, ?2, ?3)")
    dropTakers = try database.prepare("DELETE FROM takers WHERE hold = ?1")
  }

  func record(ofKey key: String) throws(LedgerProblem) -> KeyRecord? {
    try reading(findKey) { (statement) throws(SQLiteProblem) in
      try statement.bind(1, key)
      return try statement.step() ? try statement.keyRecord() : nil
    }
  }

  func put(_ record: KeyRecord) throws(LedgerProblem) {
    try writing(putKey) { (statement) throws(SQLiteProblem) in
      try statement.bind(1, record.key)
      try statement.bind(2, record.content)
      try statement.bind(3, record.firstAt.nanoseconds)
      try statement.bind(4, Int64(record.sends))
      try statement.bind(5, record.outcome.rawValue)
      try statement.bind(6, record.readyAt.nanoseconds)
      try statement.bind(7, record.object)
      try statement.bind(8, record.amount?.minor)
      try statement.bind(9, record.amount?.currency.code)
      try statement.bind(10, record.expiresAt?.nanoseconds)
      try statement.bind(11, record.detail)
    }
  }

  func append(_ entry: LedgerEntry) throws(LedgerProblem) {
    try writing(insertEntry) { (statement) throws(SQLiteProblem) in
      try statement.bind(1, entry.kind.rawValue)
      try statement.bind(2, entry.key)
      try statement.bind(3, entry.merchantID)
      try statement.bind(4, entry.checkoutID)
      try statement.bind(5, entry.object)
      try statement.bind(6, entry.parent)
      try statement.bind(7, entry.amount?.minor)
      try statement.bind(8, entry.amount?.currency.code)
      try statement.bind(9, entry.expiresAt?.nanoseconds)
      try statement.bind(10, entry.detail)
      try statement.bind(11, entry.at.nanoseconds)
    }
  }

  func entries(ofObject object: String) throws(LedgerProblem) -> [LedgerEntry] {
    try reading(byObject) { (statement) throws(SQLiteProblem) in
      try statement.bind(1, object)
      return try statement.ledgerEntries()
    }
  }

  func entries(ofCheckout checkout: CheckoutKey) throws(LedgerProblem) -> [LedgerEntry] {
    try reading(byCheckout) { (statement) throws(SQLiteProblem) in
      try statement.bind(1, checkout.merchantID)
      try statement.bind(2, checkout.checkoutID)
      return try statement.ledgerEntries()
    }
  }

  func entries(after sequence: Int64, limit: Int) throws(LedgerProblem) -> [LedgerEntry] {
    try reading(bySequence) { (statement) throws(SQLiteProblem) in
      try statement.bind(1, sequence)
      try statement.bind(2, Int64(limit))
      return try statement.ledgerEntries()
    }
  }

  func stockLimit(ofSKU sku: String) throws(LedgerProblem) -> Int64? {
    try reading(findStock) { (statement) throws(SQLiteProblem) in
      try statement.bind(1, sku)
      return try statement.step() ? statement.integer(0) : nil
    }
  }

  func setStockLimit(_ limit: Int64?, ofSKU sku: String) throws(LedgerProblem) {
    try writing(limit == nil ? dropStock : putStock) { (statement) throws(SQLiteProblem) in
      try statement.bind(1, sku)
      if let limit { try statement.bind(2, limit) }
    }
  }

  func takers(ofSKU sku: String) throws(LedgerProblem) -> [StockTaker] {
    try reading(findTakers) { (statement) throws(SQLiteProblem) in
      try statement.bind(1, sku)
      var takers: [StockTaker] = []
      while try statement.step() {
        takers.append(StockTaker(sku: statement.text(0), hold: statement.text(1), quantity: statement.integer(2)))
      }
      return takers
    }
  }

  func add(_ taker: StockTaker) throws(LedgerProblem) {
    try writing(insertTaker) { (statement) throws(SQLiteProblem) in
      try statement.bind(1, taker.sku)
      try statement.bind(2, taker.hold)
      try statement.bind(3, taker.quantity)
    }
  }

  func removeTakers(ofHold hold: String) throws(LedgerProblem) {
    try writing(dropTakers) { (statement) throws(SQLiteProblem) in try statement.bind(1, hold) }
  }

  private func reading<Value>(
    _ statement: SQLiteStatement, _ body: (SQLiteStatement) throws(SQLiteProblem) -> Value
  ) throws(LedgerProblem) -> Value {
    defer { statement.reset() }
    do throws(SQLiteProblem) { return try body(statement) } catch { throw LedgerProblem(error.description) }
  }

  private func writing(
    _ statement: SQLiteStatement, _ body: (SQLiteStatement) throws(SQLiteProblem) -> Void
  )
    throws(LedgerProblem)
  {
    do throws(SQLiteProblem) {
      try body(statement)
      try statement.run()
    } catch {
      throw LedgerProblem(error.description)
    }
  }
}

extension SQLiteStatement {
  private func amount(minor: Int32, currency: Int32) -> Amount? {
    guard let minor = optionalInteger(minor), let currency = Currency(readmitting: text(currency)) else { return nil }
    return Amount(minor: minor, currency: currency)
  }

  private func time(_ column: Int32) -> Timestamp { Timestamp(nanoseconds: integer(column)) }

  fileprivate func keyRecord() throws(SQLiteProblem) -> KeyRecord {
    guard let outcome = KeyRecord.Outcome(rawValue: text(4)) else { throw SQLiteStatement.strange("outcome") }
    return KeyRecord(
      key: text(0), content: text(1), firstAt: time(2), sends: Int(integer(3)), outcome: outcome, readyAt: time(5),
      object: text(6), amount: amount(minor: 7, currency: 8),
      expiresAt: optionalInteger(9).map { Timestamp(nanoseconds: $0) }, detail: text(10))
  }

  /// All rows from here on.
  fileprivate func ledgerEntries() throws(SQLiteProblem) -> [LedgerEntry] {
    var entries: [LedgerEntry] = []
    while try step() {
      guard let kind = LedgerEntry.Kind(rawValue: text(1)) else { throw SQLiteStatement.strange("kind") }
      entries.append(
        LedgerEntry(
          sequence: integer(0), kind: kind, key: text(2), merchantID: text(3), checkoutID: text(4), object: text(5),
          parent: optionalText(6), amount: amount(minor: 7, currency: 8),
          expiresAt: optionalInteger(9).map { Timestamp(nanoseconds: $0) }, detail: text(10), at: time(11)))
    }
    return entries
  }

  private static func strange(_ column: String) -> SQLiteProblem {
    SQLiteProblem(kind: .damaged, code: 0, message: "a value of \(column) that this release does not know")
  }
}
