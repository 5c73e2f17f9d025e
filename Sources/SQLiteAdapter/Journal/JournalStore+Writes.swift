// Creates and conditional updates. Refusals that are expected are rows that do not change, never errors.

import CheckoutCore
import CheckoutWire

extension JournalStore {
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
    try bind(write, encoded.details, to: statements.insertAttempt)
    try statements.insertAttempt.bind(17, write.row.identity.checkoutID)
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
    let blocking = try view(write.row.identity.checkout, statements.views.blocking, at: now)
    return answer(blocking) { $0.map { .blocked($0) } ?? .refused(detail: "the row cannot be read") }
  }

  func update(_ write: AttemptWrite, at now: Timestamp) throws(SQLiteProblem) -> JournalResult {
    let details = JournalCodec.encodeDetails(write.row)
    let steps = JournalCodec.encode(write.steps)
    guard max(details.count, steps.count) <= Self.rowBytesMax else { return .refused(detail: "the row is too big") }
    var row = try changedRow(write, details, by: statements.update)
    if row == nil {
      do throws(SQLiteProblem) {
        row = try changedRow(write, details, by: statements.updateAll)
      } catch {
        guard error.kind == .data else { throw error }
        // The statement changed nothing, and nothing of this write came before it.
        return .refused(detail: "another attempt of this checkout is open or paid")
      }
    }
    guard let row else {
      if try isDone(write) { return .written }
      return answer(try view(write.row.identity.attemptID, at: now)) { .conflict($0) }
    }
    try append(steps, of: write, row: row, at: now)
    return .written
  }

  private func changedRow(
    _ write: AttemptWrite, _ details: [UInt8], by statement: SQLiteStatement
  )
    throws(SQLiteProblem) -> Int64?
  {
    try bind(write, details, to: statement)
    try statement.bind(16, write.expectedEpoch)
    let row: Int64? = try statement.step() ? statement.integer(0) : nil
    try statement.run()
    return row
  }

  /// Parameters 1 to 15, the same in all three statements.
  private func bind(_ write: AttemptWrite, _ details: [UInt8], to statement: SQLiteStatement) throws(SQLiteProblem) {
    let row = write.row
    try statement.bind(1, row.identity.merchantID)
    try statement.bind(2, row.identity.idempotencyKey)
    try statement.bind(3, row.version)
    try statement.bind(4, row.epoch)
    try statement.bind(5, write.writeID)
    try statement.bind(6, row.owner?.text)
    try statement.bind(7, row.state.name)
    try statement.bind(8, row.custody.rawValue)
    switch row.owedBy {
    case .message(let position): try statement.bind(9, position.text)
    case .event(let id): try statement.bind(9, id)
    }
    try statement.bind(10, row.parked?.reason.rawValue)
    try statement.bind(11, row.updatedAt.nanoseconds)
    try statement.bind(12, utf8: details)
    try statement.bind(13, row.blocksCheckout ? 1 : 0)
    try statement.bind(14, row.hasEnded ? 1 : 0)
    try statement.bind(15, row.hasEnded ? row.watch?.nextAt.nanoseconds : nil)
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
