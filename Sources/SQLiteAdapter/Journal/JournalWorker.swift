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

  private struct Entry {
    let request: JournalRequest
    let sink: JournalSink
    /// Entries of one submit share it, so that they are answered together.
    let submission: UInt64
  }

  private struct State {
    var queue: [Entry] = []
    var submissions: UInt64 = 0
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
    let mustRing = state.withLock { state in
      let wasEmpty = state.queue.isEmpty
      state.submissions += 1
      for request in requests {
        state.queue.append(Entry(request: request, sink: sink, submission: state.submissions))
      }
      return wasEmpty
    }
    if mustRing { arrivals.ring() }
  }

  /// True if everything accepted was committed and answered in time.
  func close(patience: TimeSpan) -> Bool {
    state.withLock { $0.isClosing = true }
    arrivals.ring()
    if !state.withLock({ $0.hasEnded }) { ending.wait(nanoseconds: patience.nanoseconds) }
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
      for batch in Self.batches(of: taken) where !commit(batch) { break }
    }
    // The last reference closes the file.
    store.withLock { $0 = nil }
    state.withLock { $0.hasEnded = true }
    ending.ring()
  }

  /// Cuts the queue into transactions: at most `batchMax` requests, and at most one write of an attempt in each.
  private static func batches(of entries: [Entry]) -> [ArraySlice<Entry>] {
    var batches: [ArraySlice<Entry>] = []
    var start = 0
    var written: Set<AttemptID> = []
    for (index, entry) in entries.enumerated() {
      let attempt = entry.request.command.writtenAttempt
      if index - start == batchMax || attempt.map({ written.contains($0) }) ?? false {
        batches.append(entries[start..<index])
        start = index
        written.removeAll(keepingCapacity: true)
      }
      if let attempt { written.insert(attempt) }
    }
    batches.append(entries[start...])
    return batches
  }

  /// Commits one batch, trying again until it works, and answers it. False: given up because the journal is closing.
  private func commit(_ batch: ArraySlice<Entry>) -> Bool {
    let requests = batch.map(\.request)
    var pause = Self.firstPauseMilliseconds
    while true {
      switch apply(requests) {
      case .success(let replies):
        state.withLock { state in
          state.trouble = nil
          state.statistics.commits += 1
          state.statistics.answered += replies.count
          state.statistics.largestBatch = max(state.statistics.largestBatch, replies.count)
        }
        deliver(replies, of: batch)
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

  private func apply(_ requests: [JournalRequest]) -> Result<[JournalReply], SQLiteProblem> {
    store.withLock { store in
      guard let store else { return .failure(SQLiteProblem(kind: .outage, code: 0, message: "the journal is closed")) }
      do throws(SQLiteProblem) {
        let results = try store.apply(requests)
        let now = store.now()
        return .success(
          zip(requests, results).map { JournalReply(id: $0.id, result: $1, at: now) })
      } catch {
        return .failure(error)
      }
    }
  }

  private func deliver(_ replies: [JournalReply], of batch: ArraySlice<Entry>) {
    var start = batch.startIndex
    for index in batch.indices {
      let next = batch.index(after: index)
      guard next == batch.endIndex || batch[next].submission != batch[start].submission else { continue }
      batch[start].sink(Array(replies[start - batch.startIndex..<next - batch.startIndex]))
      start = next
    }
  }
}

extension JournalCommand {
  /// The attempt a command writes a new version of.
  fileprivate var writtenAttempt: AttemptID? {
    switch self {
    case .create(let write), .update(let write): write.row.identity.attemptID
    case .find, .findCheckout, .lease, .giveUp, .endLease, .sweep: nil
    }
  }
}
