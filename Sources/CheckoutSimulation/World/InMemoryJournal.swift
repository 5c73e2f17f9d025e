// The reference journal: what every journal must answer, without a disk. Time and the moment of each answer are the
// caller's, so that a test or the simulator decides what is lost in a crash.

package import CheckoutCore
import Synchronization

/// A journal in memory. Shared by all workers of one world; it outlives each of them, as a database would.
package final class InMemoryJournal: Journal {
  /// When requests are applied and answered.
  package enum Delivery: Hashable, Sendable {
    /// Inside `submit`, before it returns.
    case atOnce
    /// When `flush` is called; until then nothing of them is durable.
    case onFlush
  }

  private struct Pending {
    let request: JournalRequest
    let sink: JournalSink
  }

  private struct State {
    var table: JournalTable
    var queue: [Pending] = []
  }

  package let id: String
  private let delivery: Delivery
  private let clock: @Sendable () -> Timestamp
  private let state: Mutex<State>

  /// An empty journal. `clock` is the journal's own time; it may go back, what the journal answers does not.
  package init(id: String, delivery: Delivery = .atOnce, clock: @escaping @Sendable () -> Timestamp) {
    self.id = id
    self.delivery = delivery
    self.clock = clock
    state = Mutex(State(table: JournalTable()))
  }

  package func submit(_ requests: [JournalRequest], sink: @escaping JournalSink) {
    state.withLock { $0.queue.append(contentsOf: requests.map { Pending(request: $0, sink: sink) }) }
    if delivery == .atOnce { flush() }
  }

  /// How many requests wait for `flush`.
  package var queued: Int { state.withLock { $0.queue.count } }

  /// Applies the first `limit` waiting requests (nil: all) as one commit, then answers them. With `answering` false
  /// the commit is done and its reply is lost.
  package func flush(limit: Int? = nil, answering: Bool = true) {
    let (batch, replies) = state.withLock { state in
      let count = min(limit ?? .max, state.queue.count)
      let batch = Array(state.queue.prefix(count))
      state.queue.removeFirst(count)
      let now = state.table.advance(to: clock())
      return (batch, batch.map { state.table.answer($0.request, at: now) })
    }
    guard answering else { return }
    for (pending, reply) in zip(batch, replies) { pending.sink([reply]) }
  }

  /// A crash: what waits is gone, nothing of it was done.
  package func dropQueued() {
    state.withLock { $0.queue = [] }
  }

  /// Every row, ordered by merchant and key.
  package func attempts() -> [Attempt] { state.withLock { $0.table.attempts() } }

  /// The history of one attempt, oldest first: the version each write made and its steps.
  package func history(of attempt: AttemptID) -> [JournalHistoryEntry] {
    state.withLock { $0.table.history(of: attempt) }
  }
}

/// What one write appended to an attempt's history.
package struct JournalHistoryEntry: Hashable, Sendable {
  /// The version the write made.
  package let version: Int64
  /// Journal time of the write.
  package let at: Timestamp
  /// The write's own name, as its writer gave it.
  package let writeID: String
  /// What the write appended; empty if it had no steps.
  package let steps: [Step]

  package init(version: Int64, at: Timestamp, writeID: String, steps: [Step]) {
    self.version = version
    self.at = at
    self.writeID = writeID
    self.steps = steps
  }
}
