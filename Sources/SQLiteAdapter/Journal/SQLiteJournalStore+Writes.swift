// Creates and conditional updates. Refusals that are expected are rows that do not change, never errors.

import CheckoutCore
import CheckoutWire

extension SQLiteJournalStore {
  /// A write as it goes into the tables.
  private struct Encoded {
    let details: [UInt8]
    let steps: [UInt8]
    let birth: [UInt8]

    var bytes: Int { max(details.count, steps.count, birth.count) }
  }

  func create(_ write: AttemptWrite, at now: Timestamp) throws(SQLiteProblem) -> JournalResult {
    let encoded = Encoded(
      details: JournalCodec.encodeDetails(write.row), steps: JournalCodec.encode(write.steps),
      birth: JournalCodec.encodeBirth(write.row))
    guard encoded.bytes <= Self.rowBytesMax else { return .refused(detail: "the row is too big") }
    try bind(write.row, encoded.details, to: statements.insertAttempt)
    try bind(IndexedColumns(of: write.row), to: statements.insertAttempt)
    try statements.insertAttempt.bind(10, write.row.identity.merchantID)
    try statements.insertAttempt.bind(11, write.row.identity.idempotencyKey)
    try statements.insertAttempt.bind(12, write.row.identity.checkoutID)
    try statements.insertAttempt.run()
    guard database.changedRows > 0 else { return try explainCreate(write, at: now) }
    let row = database.lastInsertedRow
    try statements.insertBirth.bind(1, row)
    try statements.insertBirth.bind(2, write.row.createdAt.nanoseconds)
    try statements.insertBirth.bind(3, utf8: encoded.birth)
    try statements.insertBirth.run()
    try append(encoded.steps, of: write, row: row, at: now)
    return .written
  }

  private func explainCreate(_ write: AttemptWrite, at now: Timestamp) throws(SQLiteProblem) -> JournalResult {
    if let present = try view(write.row.identity.attemptID, at: now) {
      if try isDone(write) { return .written }
      return answer(present) { $0.map { .exists($0) } ?? .refused(detail: "the row cannot be read") }
    }
    let blocking = try blocking(write.row.identity.checkout, at: now)
    return answer(blocking) { $0.map { .blocked($0) } ?? .refused(detail: "the row cannot be read") }
  }

  func update(_ write: AttemptWrite, at now: Timestamp) throws(SQLiteProblem) -> JournalResult {
    let details = JournalCodec.encodeDetails(write.row)
    let steps = JournalCodec.encode(write.steps)
    guard max(details.count, steps.count) <= Self.rowBytesMax else { return .refused(detail: "the row is too big") }
    guard let place = try place(of: write) else {
      if try isDone(write) { return .written }
      return answer(try view(write.row.identity.attemptID, at: now)) { .conflict($0) }
    }
    if place.indexed == IndexedColumns(of: write.row) {
      try bind(write.row, details, to: statements.update)
      try statements.update.bind(10, place.id)
      try statements.update.run()
    } else {
      try bind(write.row, details, to: statements.updateIndexed)
      try bind(IndexedColumns(of: write.row), to: statements.updateIndexed)
      try statements.updateIndexed.bind(10, place.id)
      do throws(SQLiteProblem) {
        try statements.updateIndexed.run()
      } catch {
        guard error.kind == .data else { throw error }
        // The statement changed nothing, and nothing of this write came before it.
        return .refused(detail: "another attempt of this checkout is open or paid")
      }
    }
    try append(steps, of: write, row: place.id, at: now)
    return .written
  }

  /// Columns that indexes look at.
  private struct IndexedColumns: Equatable {
    let blocks: Bool
    let hasEnded: Bool
    let watchAt: Int64?

    init(blocks: Bool, hasEnded: Bool, watchAt: Int64?) {
      self.blocks = blocks
      self.hasEnded = hasEnded
      self.watchAt = watchAt
    }

    init(of row: Attempt) {
      self.init(
        blocks: row.blocksCheckout, hasEnded: row.hasEnded, watchAt: row.hasEnded ? row.watch?.nextAt.nanoseconds : nil)
    }
  }

  /// Where the row is that a write replaces, and what indexes know of it; nil: it is missing, or not as expected.
  private func place(of write: AttemptWrite) throws(SQLiteProblem) -> (id: Int64, indexed: IndexedColumns)? {
    let statement = statements.place
    defer { statement.reset() }
    try statement.bind(1, write.row.identity.merchantID)
    try statement.bind(2, write.row.identity.idempotencyKey)
    guard try statement.step(), statement.integer(1) == write.row.version - 1,
      write.expectedEpoch.map({ $0 == statement.integer(2) }) ?? true
    else { return nil }
    return (
      statement.integer(0),
      IndexedColumns(
        blocks: statement.integer(3) != 0, hasEnded: statement.integer(4) != 0, watchAt: statement.optionalInteger(5))
    )
  }

  /// Parameters 1 to 6, the same in all three statements.
  private func bind(_ row: Attempt, _ details: [UInt8], to statement: SQLiteStatement) throws(SQLiteProblem) {
    try statement.bind(1, row.version)
    try statement.bind(2, row.epoch)
    try statement.bind(3, row.owner?.text)
    try statement.bind(4, row.parked?.reason.rawValue)
    try statement.bind(5, row.updatedAt.nanoseconds)
    try statement.bind(6, utf8: details)
  }

  /// Parameters 7 to 9.
  private func bind(_ columns: IndexedColumns, to statement: SQLiteStatement) throws(SQLiteProblem) {
    try statement.bind(7, columns.blocks ? 1 : 0)
    try statement.bind(8, columns.hasEnded ? 1 : 0)
    try statement.bind(9, columns.watchAt)
  }

  private func append(
    _ steps: [UInt8], of write: AttemptWrite, row: Int64, at now: Timestamp
  )
    throws(SQLiteProblem)
  {
    try statements.insertStep.bind(1, row)
    try statements.insertStep.bind(2, write.row.version)
    try statements.insertStep.bind(3, now.nanoseconds)
    try statements.insertStep.bind(4, write.writeID)
    try statements.insertStep.bind(5, utf8: steps)
    try statements.insertStep.run()
  }

  /// True if exactly this write was applied before: its reply was lost, and it is repeated.
  private func isDone(_ write: AttemptWrite) throws(SQLiteProblem) -> Bool {
    defer { statements.hasWrite.reset() }
    try statements.hasWrite.bind(1, write.row.identity.merchantID)
    try statements.hasWrite.bind(2, write.row.identity.idempotencyKey)
    try statements.hasWrite.bind(3, write.row.version)
    try statements.hasWrite.bind(4, write.writeID)
    return try statements.hasWrite.step()
  }
}
