// Some requests as one transaction's statements, and the way back from its results to the requests.

import CheckoutCore
import CheckoutWire

/// One transaction. Kinds of requests are carried out one after the other, writes first; requests of one kind in their order,
/// except that rows are written in the order of their keys, so that two connections lock them in the same order.
struct BatchPlan {
  /// What a statement's result says, and of which requests.
  enum Meaning {
    case now
    /// Rows of the result name the writes that were applied.
    case written([Int])
    /// `update` or `create` may leave some out.
    case done(Int)
    case leased(Int)
    /// Says nothing about a request.
    case aside
    /// Rows by number; a missing one is nil.
    case found([Int])
    /// Rows by number, several of each; of each request so many count.
    case checkouts([(index: Int, limit: Int)])
    /// The watched ones, then the open ones, of a sweep of this limit.
    case sweptWatched
    case sweptOpen(Int, limit: Int)
  }

  private(set) var calls: [StatementCall] = []
  private(set) var meanings: [Meaning] = []
  /// Requests refused before anything is sent.
  private(set) var refused: [Int: String] = [:]
  private var time: DatabaseTime
  /// Bytes of all parameters.
  private(set) var byteCount = 0

  private var updates: [EncodedWrite] = []
  private var creates: [EncodedWrite] = []
  private var finds: [(Int, AttemptID)] = []
  private var checkouts: [(index: Int, key: CheckoutKey, limit: Int)] = []

  /// A worker's row is forgotten this long after its lease has ended.
  private static let workerMemory = TimeSpan.hours(48)

  /// The requests at `indices` of `commands`.
  init(_ commands: [JournalCommand], _ indices: ArraySlice<Int>, time: DatabaseTime) {
    self.time = time
    add(.now, .now) { time, parameters in time.add(to: &parameters) }
    for index in indices { sort(index, commands[index]) }
    addWrites()
    for index in indices { addSingle(index, commands[index]) }
    addReads()
  }

  private mutating func sort(_ index: Int, _ command: JournalCommand) {
    switch command {
    case .create(let write): admit(EncodedWrite(index, write, isNew: true), to: \.creates)
    case .update(let write): admit(EncodedWrite(index, write, isNew: false), to: \.updates)
    case .find(let id): finds.append((index, id))
    case .findCheckout(let checkout, let limit): checkouts.append((index, checkout, max(1, limit)))
    case .lease, .giveUp, .endLease, .sweep: break
    }
  }

  private mutating func admit(_ write: EncodedWrite, to list: WritableKeyPath<BatchPlan, [EncodedWrite]>) {
    if write.isTooBig { refused[write.index] = "the row is too big" } else { self[keyPath: list].append(write) }
  }

  private mutating func addWrites() {
    if !updates.isEmpty {
      updates.sort { $0.isOrdered(before: $1) }
      let rows = updates
      add(.update, .written(rows.map(\.index)), capacity: rows.reduce(256) { $0 + $1.byteCount + 400 }) {
        time, parameters in
        time.add(to: &parameters)
        parameters.add(updates: rows)
      }
    }
    if !creates.isEmpty {
      creates.sort { $0.isOrdered(before: $1) }
      let rows = creates
      add(.create, .written(rows.map(\.index)), capacity: rows.reduce(256) { $0 + $1.byteCount + 500 }) {
        time, parameters in
        time.add(to: &parameters)
        parameters.add(creates: rows)
      }
    }
  }

  private mutating func addSingle(_ index: Int, _ command: JournalCommand) {
    switch command {
    case .create, .update, .find, .findCheckout: break
    case .lease(let worker, let duration):
      add(.lease, .leased(index)) { time, parameters in
        time.add(to: &parameters)
        parameters.add(worker.text)
        parameters.add(duration.nanoseconds)
      }
      add(.forgetWorkers, .aside) { time, parameters in
        time.add(to: &parameters)
        parameters.add(Self.workerMemory.nanoseconds)
      }
    case .giveUp(let worker, let ids):
      let ids = ids.sorted { ($0.merchantID, $0.idempotencyKey) < ($1.merchantID, $1.idempotencyKey) }
      add(.giveUp, .done(index)) { _, parameters in
        parameters.add(texts: ids.map(\.merchantID))
        parameters.add(texts: ids.map(\.idempotencyKey))
        parameters.add(worker.text)
      }
    case .endLease(let worker):
      add(.endLease, .done(index)) { time, parameters in
        time.add(to: &parameters)
        parameters.add(worker.text)
      }
    case .sweep(let age, let watchedUntil, let limit):
      let most = Int64(max(0, limit))
      add(.sweepWatched, .sweptWatched) { _, parameters in
        parameters.add(watchedUntil.nanoseconds)
        parameters.add(most)
      }
      add(.sweepOpen, .sweptOpen(index, limit: limit)) { time, parameters in
        time.add(to: &parameters)
        parameters.add(age.nanoseconds)
        parameters.add(most)
      }
    }
  }

  private mutating func addReads() {
    if !finds.isEmpty {
      let finds = finds
      add(.find, .found(finds.map(\.0))) { _, parameters in
        parameters.add(texts: finds.map(\.1.merchantID))
        parameters.add(texts: finds.map(\.1.idempotencyKey))
      }
    }
    if !checkouts.isEmpty {
      let checkouts = checkouts
      add(.findCheckout, .checkouts(checkouts.map { ($0.index, limit: $0.limit) })) { _, parameters in
        parameters.add(texts: checkouts.map(\.key.merchantID))
        parameters.add(texts: checkouts.map(\.key.checkoutID))
        parameters.add(Int64(checkouts.map(\.limit).max() ?? 1))
      }
    }
  }

  private mutating func add(
    _ statement: JournalStatement, _ meaning: Meaning, capacity: Int = 256,
    _ fill: (inout DatabaseTime, inout QueryParameters) -> Void
  ) {
    var parameters = QueryParameters(capacity: capacity)
    fill(&time, &parameters)
    byteCount += parameters.byteCount
    calls.append(StatementCall(statement: statement.rawValue, parameters: parameters))
    meanings.append(meaning)
  }
}
