// The queue and the loop of a journal's thread.

package import CheckoutCore
import Operations
import Synchronization

/// What waits for the journal's thread, and the loop that works it off.
package final class JournalWorker<Store: JournalStore>: Sendable {
  private static var firstPauseMilliseconds: Int64 { 2 }
  private static var longestPauseMilliseconds: Int64 { 500 }

  private struct State {
    var queue: [Submission] = []
    var isClosing = false
    var hasEnded = false
    var trouble: String?
    var statistics = JournalStatistics()
  }

  private let store: Mutex<Store?>
  private let state = Mutex(State())
  private let arrivals = Doorbell()
  private let ending = Doorbell()
  private let abandonment: Abandonment

  /// The worker of this store, which may look at `abandonment`; nothing happens before `run`.
  package init(store: sending Store, abandonment: Abandonment = Abandonment()) {
    self.store = Mutex(store)
    self.abandonment = abandonment
  }

  /// Why nothing can be written at present; nil: all is well.
  package var trouble: String? { state.withLock { $0.trouble } }
  /// What was done so far.
  package var statistics: JournalStatistics { state.withLock { $0.statistics } }

  /// Queues requests; never blocks. Any thread.
  package func submit(_ requests: [JournalRequest], sink: @escaping JournalSink) {
    guard !requests.isEmpty else { return }
    let submission = Submission(requests: requests, sink: sink)
    let mustRing = state.withLock { state in
      state.queue.append(submission)
      return state.queue.count == 1
    }
    if mustRing { arrivals.ring() }
  }

  /// True if everything accepted was committed and answered in time.
  package func close(patience: TimeSpan) -> Bool {
    state.withLock { $0.isClosing = true }
    arrivals.ring()
    let clock = ContinuousClock()
    let end = clock.now + .nanoseconds(patience.nanoseconds)
    while !state.withLock({ $0.hasEnded }), clock.now < end {
      ending.wait(nanoseconds: Int64((end - clock.now) / .nanoseconds(1)))
    }
    let finished = state.withLock { $0.hasEnded }
    if !finished { abandonment.raise() }
    arrivals.ring()
    return finished
  }

  /// The thread's body.
  package func run() {
    while true {
      let (taken, isClosing) = state.withLock { state in
        let taken = state.queue
        state.queue = []
        return (taken, state.isClosing)
      }
      if taken.isEmpty {
        if isClosing { break }
        arrivals.wait()
        continue
      }
      for batch in JournalBatch.batches(of: taken, limit: Store.batchMax) where !commit(batch) { break }
    }
    // The last reference closes the file or the connection.
    store.withLock { $0 = nil }
    state.withLock { $0.hasEnded = true }
    ending.ring()
  }

  /// Commits one batch, trying again until it works, and answers it. False: given up because the journal is closing.
  private func commit(_ batch: JournalBatch) -> Bool {
    var pause = Self.firstPauseMilliseconds
    while true {
      switch apply(batch) {
      case .success(let applied):
        state.withLock { state in
          state.trouble = nil
          state.statistics.commits += 1
          state.statistics.answered += batch.count
          state.statistics.largestBatch = max(state.statistics.largestBatch, batch.count)
        }
        batch.deliver(applied.results, at: applied.at)
        return true
      case .failure(let problem):
        state.withLock { state in
          // A lock held by another process is ordinary; it is worth a word only when it lasts.
          if !problem.isOrdinary || pause == Self.longestPauseMilliseconds { state.trouble = problem.description }
        }
        if abandonment.isRaised { return false }
        arrivals.wait(nanoseconds: pause * 1_000_000)
        pause = min(pause * 2, Self.longestPauseMilliseconds)
      }
    }
  }

  private func apply(_ batch: JournalBatch) -> Result<AppliedBatch, JournalOutage> {
    store.withLock { store in
      guard let store else { return .failure(JournalOutage("the journal is closed")) }
      do throws(JournalOutage) {
        return .success(try store.apply(batch))
      } catch {
        return .failure(error)
      }
    }
  }
}
