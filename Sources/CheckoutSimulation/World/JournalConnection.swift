// One worker's connection to the journal that all share: how long it takes each way, and what a crash leaves of it.

package import CheckoutCore
import Synchronization
import WorkerEngine

/// What becomes of requests that are on their way when their worker is killed.
package enum PendingRequests: Hashable, Sendable {
  /// They never reach the journal.
  case lost
  /// They are applied: the worker only does not hear of it.
  case applied
}

/// A journal as one process sees it. Requests of one connection are applied in the order submitted.
package final class JournalConnection: Journal {
  private struct Sending {
    let due: BootTime
    let requests: [JournalRequest]
    let sink: JournalSink
  }

  private struct Answering {
    let due: BootTime
    let replies: [JournalReply]
    let sink: JournalSink
  }

  private struct State {
    var requestDelay = TimeSpan.zero
    var replyDelay = TimeSpan.zero
    var sending: [Sending] = []
    var answering: [Answering] = []
    var isFrozen = false
    var isCut = false
  }

  package var id: String { journal.id }
  private let journal: InMemoryJournal
  private let clock: VirtualClock
  private let faults: FaultSource
  private let actor: Int
  private let state = Mutex(State())

  init(
    journal: InMemoryJournal, clock: VirtualClock, faults: FaultSource = FaultSource(seed: 0, rates: FaultRates()),
    actor: Int = 0
  ) {
    self.journal = journal
    self.clock = clock
    self.faults = faults
    self.actor = actor
  }

  /// How long requests and replies are on their way from now on; zero: they arrive inside the call.
  package func setDelays(request: TimeSpan, reply: TimeSpan) {
    state.withLock { state in
      state.requestDelay = request
      state.replyDelay = reply
    }
  }

  package func submit(_ requests: [JournalRequest], sink: @escaping JournalSink) {
    let goesAtOnce = state.withLock { state in
      guard !state.isCut else { return false }
      if state.requestDelay == .zero, state.sending.isEmpty { return true }
      state.sending.append(Sending(due: now + state.requestDelay, requests: requests, sink: sink))
      return false
    }
    if goesAtOnce { send(requests, sink) }
  }

  private var now: BootTime { BootTime(nanoseconds: clock.now().boot) }

  private func send(_ requests: [JournalRequest], _ sink: @escaping JournalSink) {
    if faults.strikes(.journalRequestLost, actor) { return sendAgain(requests, sink) }
    if faults.strikes(.journalReplyLost, actor) {
      // Carried out, and nobody hears of it.
      journal.submit(requests) { _ in }
      return sendAgain(requests, sink)
    }
    journal.submit(requests) { [weak self] replies in self?.answer(replies, sink) }
  }

  /// As a journal's adapter does: the same requests once more, before any later ones.
  private func sendAgain(_ requests: [JournalRequest], _ sink: @escaping JournalSink) {
    let pause = TimeSpan(nanoseconds: 100_000_000 + faults.amount(.journalPause, actor, below: 2_000_000_000))
    let sending = Sending(due: now + pause, requests: requests, sink: sink)
    state.withLock { state in state.sending.insert(sending, at: 0) }
  }

  private func answer(_ replies: [JournalReply], _ sink: @escaping JournalSink) {
    let goesAtOnce = state.withLock { state in
      guard !state.isCut else { return false }
      if state.replyDelay == .zero, state.answering.isEmpty, !state.isFrozen { return true }
      state.answering.append(Answering(due: now + state.replyDelay, replies: replies, sink: sink))
      return false
    }
    if goesAtOnce { sink(replies) }
  }

  /// When something on its way arrives (boot clock); nil: nothing is on its way.
  var nextDue: Int64? {
    state.withLock { state in
      [state.sending.first?.due, state.answering.first?.due].compactMap { due in due?.nanoseconds }.min()
    }
  }

  /// Lets everything arrive that is due.
  func advance() {
    let now = now
    while let sending = state.withLock({ state in state.sending.popFirst { $0.due <= now } }) {
      send(sending.requests, sending.sink)
    }
    while let answering = state.withLock({ state in state.answering.popFirst { $0.due <= now } }) {
      answering.sink(answering.replies)
    }
  }

  /// The process stands still or goes on: answers wait for it.
  func freeze(_ isFrozen: Bool) {
    state.withLock { state in state.isFrozen = isFrozen }
  }

  /// The process is gone.
  func cut(pendingRequests: PendingRequests) {
    let sending = state.withLock { state in
      let sending = state.sending
      state.sending = []
      state.answering = []
      state.isCut = true
      return sending
    }
    guard pendingRequests == .applied else { return }
    for sending in sending { journal.submit(sending.requests) { _ in } }
  }
}

extension Array {
  fileprivate mutating func popFirst(if condition: (Element) -> Bool) -> Element? {
    guard let first, condition(first) else { return nil }
    return removeFirst()
  }
}
