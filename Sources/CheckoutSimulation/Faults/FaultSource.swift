// Every fault of a run is one decision that follows from the seed, has a name and can be taken back: so a failing run can be made
// smaller without changing what is left.

import Synchronization

/// Where something can go wrong, and in which way. Raw values are names in a file of rates.
package enum FaultKind: String, CaseIterable, Hashable, Sendable {
  /// A call of the transaction never reaches the broker: no answer in time.
  case initRequestLost = "init_request_lost"
  case offsetsRequestLost = "offsets_request_lost"
  case commitRequestLost = "commit_request_lost"
  case abortRequestLost = "abort_request_lost"
  /// It is carried out, its reply is lost.
  case initReplyLost = "init_reply_lost"
  case offsetsReplyLost = "offsets_reply_lost"
  case commitReplyLost = "commit_reply_lost"
  case abortReplyLost = "abort_reply_lost"
  /// Taking the id over meets a transaction that is still ending.
  case initConcurrent = "init_concurrent"
  /// Outputs were not delivered in time.
  case offsetsMessagesTimedOut = "offsets_messages_timed_out"
  case commitMessagesTimedOut = "commit_messages_timed_out"
  /// The library has another call under way.
  case commitConflict = "commit_conflict"
  /// The local queue is full for a moment.
  case produceQueueFull = "produce_queue_full"
  /// The producer breaks down before or after the commit took effect: nobody can tell.
  case commitFatalBefore = "commit_fatal_before"
  case commitFatalAfter = "commit_fatal_after"
  case abortInvalidState = "abort_invalid_state"
  case produceFatal = "produce_fatal"
  case beginFatal = "begin_fatal"
  /// Somebody else has the static identity.
  case offsetsFencedInstance = "offsets_fenced_instance"
  /// A fetched message comes a second time.
  case redelivered
  /// A journal request is lost, or its reply: the connection repeats it after a while.
  case journalRequestLost = "journal_request_lost"
  case journalReplyLost = "journal_reply_lost"
  /// A service's reply comes a second time.
  case serviceReplyTwice = "service_reply_twice"

  /// Position in tables: that of the case.
  var index: Int { Self.indices[self] ?? 0 }
  private static let indices = Dictionary(uniqueKeysWithValues: allCases.enumerated().map { ($1, $0) })
}

/// How often each fault happens, per mille of its occasions.
package struct FaultRates: Hashable, Sendable {
  private var perMille: [FaultKind: Int] = [:]

  /// None at all.
  package init() {}

  /// The rate of a kind.
  package subscript(kind: FaultKind) -> Int {
    get { perMille[kind] ?? 0 }
    set { perMille[kind] = newValue }
  }
}

/// One fault that happened, or would have.
package struct FaultDecision: Hashable, Sendable {
  /// What.
  package let kind: FaultKind
  /// To whom: the number of a worker's start.
  package let actor: Int
  /// On which of its occasions, from 1.
  package let number: Int

  package init(kind: FaultKind, actor: Int, number: Int) {
    self.kind = kind
    self.actor = actor
    self.number = number
  }
}

/// Decides. A decision depends on seed, kind, actor and number alone, not on what was decided before.
package final class FaultSource: Sendable {
  private struct State {
    var counts: [[Int]] = Array(repeating: [], count: FaultKind.allCases.count + FaultSource.namesMax)
    var isOn = true
    var happened: [FaultDecision] = []
  }

  /// Names of amounts that are drawn.
  enum Name: Int {
    case way
    case discovery
    case journalPause
  }

  private static let namesMax = 3

  private let seed: UInt64
  private let rates: [Int]
  private let takenBack: Set<FaultDecision>
  private let state = Mutex(State())

  /// A source for a seed; the decisions taken back do not happen.
  package init(seed: UInt64, rates: FaultRates, takenBack: Set<FaultDecision> = []) {
    self.seed = seed
    self.rates = FaultKind.allCases.map { rates[$0] }
    self.takenBack = takenBack
  }

  /// Nothing happens any more.
  package func stop() { state.withLock { $0.isOn = false } }

  /// Everything that happened, in order.
  package var happened: [FaultDecision] { state.withLock { $0.happened } }

  /// How many happened.
  package var count: Int { state.withLock { $0.happened.count } }

  /// True if it happens now.
  func strikes(_ kind: FaultKind, _ actor: Int) -> Bool {
    let index = kind.index
    guard rates[index] > 0 else { return false }
    return state.withLock { state in
      guard state.isOn else { return false }
      let number = Self.next(&state, index, actor)
      let drawn = Self.mix(seed, UInt64(index), UInt64(actor), UInt64(number)) % 1000
      guard drawn < UInt64(rates[index]) else { return false }
      let decision = FaultDecision(kind: kind, actor: actor, number: number)
      guard !takenBack.contains(decision) else { return false }
      state.happened.append(decision)
      return true
    }
  }

  /// A number below `limit` that depends on seed, name, actor and how often it was asked.
  func amount(_ name: Name, _ actor: Int, below limit: Int64) -> Int64 {
    guard limit > 1 else { return 0 }
    let index = FaultKind.allCases.count + name.rawValue
    let number = state.withLock { state in Self.next(&state, index, actor) }
    return Int64(Self.mix(seed, UInt64(index), UInt64(actor), UInt64(number)) % UInt64(limit))
  }

  private static func next(_ state: inout State, _ index: Int, _ actor: Int) -> Int {
    while state.counts[index].count <= actor { state.counts[index].append(0) }
    state.counts[index][actor] += 1
    return state.counts[index][actor]
  }

  private static func mix(_ seed: UInt64, _ name: UInt64, _ actor: UInt64, _ number: UInt64) -> UInt64 {
    round(round(round(round(0x9E37_79B9_7F4A_7C15, seed), name), actor), number)
  }

  private static func round(_ state: UInt64, _ word: UInt64) -> UInt64 {
    var state = (state ^ word) &* 0xBF58_476D_1CE4_E5B9
    state ^= state >> 29
    state = state &* 0x94D0_49BB_1331_11EB
    return state ^ (state >> 32)
  }
}
