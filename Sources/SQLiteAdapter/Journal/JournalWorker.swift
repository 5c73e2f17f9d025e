// The queue and the loop of a journal's thread.

import CheckoutCore
import Operations
import Synchronization

/// What waits for the journal's thread, and the loop that works it off.
final class JournalWorker: Sendable {
  /// Requests of one transaction at most.
  static let batchMax = 1000
  private static let firstPauseMilliseconds: Int64 = 2
  private static let longestPauseMilliseconds: Int64 = 500

  private struct State {
    var queue: [Submission] = []
    var isClosing = false
    var isAbandoned = false
    var hasEnded = false
    var trouble: String?
    var statistics = JournalStatistics()
  }

  private let store: Mutex<JournalStore?>
  private let state = Mutex(State())
  private let arrivals = Doorbell()
  private let ending = Doorbell()

  init(store: sending JournalStore) {
    self.store = Mutex(store)
  }

  var trouble: String? { state.withLock { $0.trouble } }
  var statistics: JournalStatistics { state.withLock { $0.statistics } }

  func submit(_ requests: [JournalRequest], sink: @escaping JournalSink) {
    guard !requests.isEmpty else { return }
    let submission = Submission(requests: requests, sink: sink)
    let mustRing = state.withLock { state in
      state.queue.append(submission)
      return state.queue.count == 1
    }
    if mustRing { arrivals.ring() }
  }

  /// True if everything accepted was committed and answered in time.
  func close(patience: TimeSpan) -> Bool {
    state.withLock { $0.isClosing = true }
    arrivals.ring()
    let clock = ContinuousClock()
    let end = clock.now + .nanoseconds(patience.nanoseconds)
    while !state.withLock({ $0.hasEnded }), clock.now < end {
      ending.wait(nanoseconds: Int64((end - clock.now) / .nanoseconds(1)))
    }
    let finished = state.withLock { state in
      state.isAbandoned = !state.hasEnded
      return state.hasEnded
    }
    arrivals.ring()
    return finished
  }

  /// The thread's body.
  func run() {
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
      for batch in JournalBatch.batches(of: taken, limit: Self.batchMax) where !commit(batch) { break }
    }
    // The last reference closes the file.
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
        let isAbandoned = state.withLock { state in
          // A lock held by another process is ordinary; it is worth a word only when it lasts.
          if problem.kind != .busy || pause == Self.longestPauseMilliseconds { state.trouble = problem.description }
          return state.isAbandoned
        }
        if isAbandoned { return false }
        arrivals.wait(nanoseconds: pause * 1_000_000)
        pause = min(pause * 2, Self.longestPauseMilliseconds)
      }
    }
  }

  private struct Applied {
    let results: [JournalResult]
    /// Journal time of the answers.
    let at: Timestamp
  }

  private func apply(_ batch: JournalBatch) -> Result<Applied, SQLiteProblem> {
    store.withLock { store in
      guard let store else { return .failure(SQLiteProblem(kind: .outage, code: 0, message: "the journal is closed")) }
      do throws(SQLiteProblem) {
        let results = try store.apply(batch)
        return .success(Applied(results: results, at: store.now()))
      } catch {
        return .failure(error)
      }
    }
  }
}
