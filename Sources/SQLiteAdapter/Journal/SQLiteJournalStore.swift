// Carries requests out on the journal's file: one batch, one transaction.

import CheckoutCore
import CheckoutWire
import JournalQueue

/// The writing connection. Used by one thread at a time.
final class SQLiteJournalStore: JournalStore {
  static let batchMax = 1000
  /// The longest text of one row; a request is at most 512 KiB.
  static let rowBytesMax = 4 << 20
  /// A worker's row is forgotten this long after its lease has ended.
  private static let workerMemory = TimeSpan.hours(48)

  /// Made once when the file was.
  let id: String
  let database: SQLiteHandle
  let statements: JournalStatements
  private var time: JournalTime

  /// Opens the file, or makes it with a new id.
  init(
    path: String, missing: MissingFile, time source: JournalTimeSource, newID fresh: String
  )
    throws(DatabaseOpenProblem)
  {
    let file = DatabaseFile(path: path, kind: journalKind)
    let database = try file.open(missing: missing) { (handle) throws(SQLiteProblem) in
      try Self.name(handle, fresh)
    }
    self.database = database
    // A row is at most one long text and some short ones; SQLite refuses more as data, not as an outage.
    database.limitLength(bytes: Int32(2 * Self.rowBytesMax))
    do throws(SQLiteProblem) {
      id = try database.text("SELECT value FROM meta WHERE name = 'journal_id'")
      statements = try JournalStatements(database)
      let lastStep = try database.integer("SELECT at FROM steps ORDER BY id DESC LIMIT 1")
      let lastRenewal = try database.integer("SELECT max(renewed_at) FROM workers")
      time = JournalTime(source: source, floor: Timestamp(nanoseconds: max(lastStep, lastRenewal)))
    } catch {
      throw DatabaseOpenProblem("\(path) cannot be used: \(error)")
    }
  }

  /// Writes the id of a new journal.
  static func name(_ handle: SQLiteHandle, _ id: String) throws(SQLiteProblem) {
    let insert = try handle.prepare("INSERT INTO meta (name, value) VALUES ('journal_id', ?1)")
    try insert.bind(1, id)
    try insert.run()
  }

  func apply(_ batch: JournalBatch) throws(JournalOutage) -> AppliedBatch {
    do throws(SQLiteProblem) {
      let results = try results(of: batch)
      return AppliedBatch(results: results, at: time.now())
    } catch {
      throw JournalOutage(isOrdinary: error.kind == .busy, error.description)
    }
  }

  /// Carries all requests out and commits. On return everything the results say is on the disk; when it throws, nothing
  /// has happened and the same batch may be tried again.
  func results(of batch: JournalBatch) throws(SQLiteProblem) -> [JournalResult] {
    var refused: [Int: String] = [:]
    while true {
      switch try transact(batch, refused: refused) {
      case .committed(let results): return results
      case .badData(let index, let detail): refused[index] = detail
      }
    }
  }

  private enum Round {
    case committed([JournalResult])
    /// The data of this request was refused half-way: everything is rolled back.
    case badData(index: Int, detail: String)
  }

  private func transact(_ batch: JournalBatch, refused: [Int: String]) throws(SQLiteProblem) -> Round {
    var results: [JournalResult] = []
    results.reserveCapacity(batch.count)
    do throws(SQLiteProblem) {
      try statements.begin.run()
      let now = time.now()
      for run in batch.runs {
        for index in run.range {
          if let detail = refused[results.count] {
            results.append(.refused(detail: detail))
          } else {
            results.append(try result(of: run.submission.requests[index].command, at: now))
          }
        }
      }
      try statements.commit.run()
      return .committed(results)
    } catch {
      rollBack()
      if error.kind == .data { return .badData(index: results.count, detail: error.message) }
      throw error
    }
  }

  private func rollBack() {
    // SQLite may have rolled back by itself (disk full, I/O error).
    if !database.isAutocommit { try? statements.rollback.run() }
  }

  private func result(of command: JournalCommand, at now: Timestamp) throws(SQLiteProblem) -> JournalResult {
    switch command {
    case .create(let write): return try create(write, at: now)
    case .update(let write): return try update(write, at: now)
    case .find(let id): return answer(try view(id, at: now)) { .found($0) }
    case .findCheckout(let checkout, let limit): return try attempts(of: checkout, limit, at: now)
    case .lease(let worker, let duration): return try lease(worker, for: duration, at: now)
    case .giveUp(let worker, let ids):
      for id in ids { try giveUp(id, of: worker) }
      return .done
    case .endLease(let worker):
      try statements.endLease.bind(1, worker.text)
      try statements.endLease.bind(2, now.nanoseconds)
      try statements.endLease.run()
      return .done
    case .sweep(let age, let time, let limit): return try sweep(olderThan: age, watchedUntil: time, limit, at: now)
    }
  }

  private func lease(
    _ worker: WorkerID, for duration: TimeSpan, at now: Timestamp
  ) throws(SQLiteProblem)
    -> JournalResult
  {
    // Another process may have recorded a later time.
    if try statements.latestRenewal.step() {
      time.raise(to: Timestamp(nanoseconds: statements.latestRenewal.integer(0)))
    }
    statements.latestRenewal.reset()
    let now = max(now, time.now())
    let end = now + duration
    try statements.lease.bind(1, worker.text)
    try statements.lease.bind(2, end.nanoseconds)
    try statements.lease.bind(3, now.nanoseconds)
    try statements.lease.run()
    try statements.forgetWorkers.bind(1, (now - Self.workerMemory).nanoseconds)
    try statements.forgetWorkers.run()
    return .leased(until: end)
  }

  private func giveUp(_ id: AttemptID, of worker: WorkerID) throws(SQLiteProblem) {
    try statements.giveUp.bind(1, id.merchantID)
    try statements.giveUp.bind(2, id.idempotencyKey)
    try statements.giveUp.bind(3, worker.text)
    try statements.giveUp.run()
  }
}
