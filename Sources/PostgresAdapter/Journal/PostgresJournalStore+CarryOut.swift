// A batch's way: all of it in one transaction; what the server refuses for its data is found by halving; what was not written
// is looked at again to say why.

import CheckoutCore
import JournalQueue

/// A batch while it is carried out.
struct BatchWork {
  let commands: [JournalCommand]
  fileprivate var results: [JournalResult?]
  /// The latest journal time that was told.
  fileprivate var now = Timestamp(nanoseconds: .min)

  init(_ batch: JournalBatch) {
    var commands: [JournalCommand] = []
    commands.reserveCapacity(batch.count)
    for run in batch.runs { for index in run.range { commands.append(run.submission.requests[index].command) } }
    self.commands = commands
    results = Array(repeating: nil, count: commands.count)
  }

  var applied: AppliedBatch {
    AppliedBatch(results: results.map { $0 ?? .refused(detail: "the journal has no answer") }, at: now)
  }
}

extension PostgresJournalStore {
  /// A transaction with more than this is sent in parts.
  private static let transactionBytesMax = 32 << 20
  /// How often creates may meet a row that is gone again before it can be read.
  private static let roundsMax = 20

  /// Answers every request of the work. When it throws, some may be done: the same work again finds them done.
  func carryOut(_ work: inout BatchWork, _ session: PostgresSession) throws(PostgresProblem) {
    var open = Array(work.commands.indices)
    for _ in 0..<Self.roundsMax {
      let unwritten = try transact(&work, open[...], session)
      if unwritten.isEmpty { return }
      open = try explain(&work, unwritten, session)
      if open.isEmpty { return }
    }
    throw PostgresProblem(kind: .busy, state: "", message: "an attempt is made and removed again and again")
  }

  /// Commits the requests at `indices`, in parts where it must; returns the writes that were not applied.
  private func transact(
    _ work: inout BatchWork, _ indices: ArraySlice<Int>, _ session: PostgresSession
  ) throws(PostgresProblem) -> [Int] {
    let plan = BatchPlan(work.commands, indices, time: time)
    for (index, detail) in plan.refused { work.results[index] = .refused(detail: detail) }
    if plan.byteCount > Self.transactionBytesMax, indices.count > 1 { return try halve(&work, indices, session) }
    do throws(PostgresProblem) {
      let results = try session.run(plan.calls)
      return read(results, of: plan, into: &work)
    } catch {
      guard error.kind == .data, let index = indices.first else { throw error }
      if indices.count > 1 { return try halve(&work, indices, session) }
      work.results[index] = .refused(detail: error.refusal)
      return []
    }
  }

  private func halve(
    _ work: inout BatchWork, _ indices: ArraySlice<Int>, _ session: PostgresSession
  ) throws(PostgresProblem) -> [Int] {
    let middle = indices.startIndex + indices.count / 2
    let first = try transact(&work, indices[..<middle], session)
    return first + (try transact(&work, indices[middle...], session))
  }

  private func read(_ results: [PostgresResult], of plan: BatchPlan, into work: inout BatchWork) -> [Int] {
    var unwritten: [Int] = []
    var watched: [ReadRow] = []
    for (result, meaning) in zip(results, plan.meanings) {
      switch meaning {
      case .now: work.now = time.learn(result)
      case .aside: break
      case .written(let indices):
        for row in 0..<result.count { work.results[indices[Int(result.integer(row, 0) ?? 1) - 1]] = .written }
        unwritten += indices.filter { work.results[$0] == nil }
      case .done(let index): work.results[index] = .done
      case .leased(let index):
        work.results[index] = .leased(until: Timestamp(nanoseconds: result.integer(0, 0) ?? .min))
      case .found(let indices):
        let rows = result.journalRows(at: work.now)
        for (number, index) in indices.enumerated() {
          work.results[index] = JournalResult.of(rows[number + 1]) { .found($0) }
        }
      case .checkouts(let asked):
        let rows = result.journalGroups(at: work.now)
        for (number, request) in asked.enumerated() {
          work.results[request.index] = JournalResult.listing((rows[number + 1] ?? []).prefix(request.limit))
        }
      case .sweptWatched: watched = result.journalList(at: work.now)
      case .sweptOpen(let index, let limit):
        work.results[index] = swept(watched, result.journalList(at: work.now), limit)
      }
    }
    return unwritten
  }

  /// Due watches first but at most half, so that neither kind starves the other; of the open ones those that are not
  /// parked first, so that a pile of parked attempts hides nothing. Rows that do not decode are left out.
  private func swept(_ watched: [ReadRow], _ open: [ReadRow], _ limit: Int) -> JournalResult {
    let watchedCount = min(watched.count, max(limit - open.count, (limit + 1) / 2))
    let listed = watched.prefix(max(0, watchedCount)) + open.prefix(max(0, limit - watchedCount))
    return .listed(listed.compactMap { try? $0.get() })
  }

  /// Says why writes were not applied: done before, in another version, in the way. Returns the creates of which neither holds
  /// any more: what stood in the way has gone.
  private func explain(
    _ work: inout BatchWork, _ indices: [Int], _ session: PostgresSession
  ) throws(PostgresProblem) -> [Int] {
    let writes = indices.compactMap { work.commands[$0].write }
    let plan = ExplanationPlan(writes, time: &time)
    let results = try session.run(plan.calls)
    guard results.count == 4 else { throw PostgresProblem(kind: .outage, state: "", message: "answers are missing") }
    work.now = time.learn(results[0])
    let done = Set((0..<results[1].count).map { Int(results[1].integer($0, 0) ?? 0) })
    let present = results[2].journalRows(at: work.now)
    let ofCheckout = results[3].journalRows(at: work.now)
    var open: [Int] = []
    for (offset, index) in indices.enumerated() {
      let number = offset + 1
      if done.contains(number) {
        work.results[index] = .written
      } else if case .update = work.commands[index] {
        work.results[index] = JournalResult.of(present[number]) { .conflict($0) }
      } else if let row = present[number] {
        work.results[index] = JournalResult.of(row) { $0.map { .exists($0) } ?? .conflict(nil) }
      } else if let row = ofCheckout[number], (try? row.get())?.attempt.blocksCheckout ?? true {
        work.results[index] = JournalResult.of(row) { $0.map { .blocked($0) } ?? .conflict(nil) }
      } else {
        open.append(index)
      }
    }
    return open
  }
}

/// The reads that explain unwritten writes, as one transaction.
private struct ExplanationPlan {
  let calls: [StatementCall]

  init(_ writes: [AttemptWrite], time: inout DatabaseTime) {
    let merchants = writes.map(\.row.identity.merchantID)
    let keys = writes.map(\.row.identity.idempotencyKey)
    var (now, done, byKey, byCheckout) = (QueryParameters(), QueryParameters(), QueryParameters(), QueryParameters())
    time.add(to: &now)
    done.add(texts: merchants)
    done.add(texts: keys)
    done.add(integers: writes.map(\.row.version))
    done.add(texts: writes.map(\.writeID))
    byKey.add(texts: merchants)
    byKey.add(texts: keys)
    byCheckout.add(texts: merchants)
    byCheckout.add(texts: writes.map(\.row.identity.checkoutID))
    byCheckout.add(1)
    calls = [
      StatementCall(statement: JournalStatement.now.rawValue, parameters: now),
      StatementCall(statement: JournalStatement.isDone.rawValue, parameters: done),
      StatementCall(statement: JournalStatement.find.rawValue, parameters: byKey),
      StatementCall(statement: JournalStatement.findCheckout.rawValue, parameters: byCheckout),
    ]
  }
}

extension JournalCommand {
  fileprivate var write: AttemptWrite? {
    switch self {
    case .create(let write), .update(let write): write
    case .find, .findCheckout, .lease, .giveUp, .endLease, .sweep: nil
    }
  }
}

extension PostgresProblem {
  /// What the writer of a refused row is told.
  fileprivate var refusal: String {
    constraint == "checkout_attempts_blocking" ? "another attempt of this checkout is open or paid" : message
  }
}
