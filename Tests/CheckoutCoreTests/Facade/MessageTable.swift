// Every kind of message about an attempt, and what each does to a row that no live worker owns.

import CheckoutCore

/// Kinds of messages and of what people and the sweep do.
enum MessageKind: String, CaseIterable {
  case owedMessage, sameOriginAgain, copy, otherContent, otherKey, refusedRepeat
  case cancel, cancelAgain
  case pendingOwed, pendingNotDue, pendingStray
  case retry, resolveCompleted, resolveFailed, resolveCancelled, resolveWithEvidence, staleWord
  case sweep

  /// In a table for people.
  var words: String {
    switch self {
    case .owedMessage: "its own message again"
    case .sameOriginAgain: "the same request validated twice"
    case .copy: "a copy of the request"
    case .otherContent: "the same key, other content"
    case .otherKey: "the same checkout, another key"
    case .refusedRepeat: "a copy that validation now refuses"
    case .cancel: "a cancellation"
    case .cancelAgain: "the same cancellation again"
    case .pendingOwed: "the pending event it waits for"
    case .pendingNotDue: "that event, not yet due"
    case .pendingStray: "another pending event"
    case .retry: "a person's `retry`"
    case .resolveCompleted: "`resolve --as completed`"
    case .resolveFailed: "`resolve --as failed`"
    case .resolveCancelled: "`resolve --as cancelled`"
    case .resolveWithEvidence: "`resolve --as failed --refunded-outside`"
    case .staleWord: "a person's word about an older version"
    case .sweep: "the sweep, ten minutes later"
    }
  }

  private static let later = SagaRows.now.time + .seconds(601)
  private static let message = SagaSample.position("pending", 77)

  /// The row this message meets: rows that wait for a pending event wait for it.
  func prepared(_ row: Attempt) -> Attempt {
    var row = row
    row.owner = nil
    switch self {
    case .pendingOwed, .pendingNotDue: row.owedBy = .event("awaited")
    case .cancelAgain where !row.hasEnded:
      row = row.cancelledByCustomer
      row.waiting.append(
        Waiter(origin: TestWorld.origin(9), listedBy: SagaSample.position("validated", 9), afterEnd: false))
    case .owedMessage, .sameOriginAgain, .copy, .otherContent, .otherKey, .refusedRepeat, .cancel, .cancelAgain,
      .pendingStray, .retry, .resolveCompleted, .resolveFailed, .resolveCancelled, .resolveWithEvidence, .staleWord,
      .sweep:
      break
    }
    return row
  }

  /// What the rules say; `row` is a prepared one.
  func meet(_ row: Attempt) throws -> Met {
    let who = WhoAnswers(context: SagaRows.context)
    let view = AttemptView(attempt: row, ownedUntil: nil)
    func asking(_ place: Int) -> Asking {
      Asking(
        message: SagaSample.position("validated", place), origin: TestWorld.origin(place), now: SagaRows.now.time,
        offsetsWereLost: false)
    }
    let own = Asking(
      message: SagaRows.message, origin: row.origin, now: SagaRows.now.time, offsetsWereLost: false)
    let twin = Asking(
      message: SagaSample.position("validated", 3), origin: row.origin, now: SagaRows.now.time, offsetsWereLost: false)
    func word(_ resolution: ResolvedAs?, version: Int64? = nil, evidence: String? = nil) -> Met {
      let word = PersonsWord(
        attempt: row.identity, rowVersion: version ?? row.version, journalID: "journal-1", resolution: resolution,
        who: "ana", note: "", refundedOutside: evidence)
      return .admission(who.personsWord(view, word, message: Self.message, now: SagaRows.now.time))
    }
    func pending(_ id: String) -> Met {
      .admission(who.pending(view, eventID: id, message: Self.message, now: SagaRows.now.time))
    }
    switch self {
    case .owedMessage: return .admission(who.met(view, fingerprint: row.fingerprint, own))
    case .sameOriginAgain: return .admission(who.met(view, fingerprint: row.fingerprint, twin))
    case .copy: return .admission(who.met(view, fingerprint: row.fingerprint, asking(5)))
    case .otherContent: return .admission(who.met(view, fingerprint: Fingerprint("1:other"), asking(5)))
    case .otherKey: return .admission(row.blocksCheckout ? who.blocked(by: row) : try newAttempt(who, asking(5)))
    case .refusedRepeat:
      let refusal = Refusal(.priceChanged, path: "/items/0", message: "Another price.")
      return .admission(who.refused(view, fingerprint: row.fingerprint, failures: [refusal], asking(5)))
    case .cancel: return .admission(who.cancel(view, reason: "", asking(6)))
    case .cancelAgain: return .admission(who.cancel(view, reason: "", asking(9)))
    case .pendingOwed: return pending("awaited")
    case .pendingNotDue:
      return .admission(
        who.putBack(
          view, eventID: "awaited", notBefore: SagaRows.now.time + .seconds(300), message: Self.message,
          now: SagaRows.now.time))
    case .pendingStray: return pending("stray")
    case .retry: return word(nil)
    case .resolveCompleted: return word(.completed)
    case .resolveFailed: return word(.failed)
    case .resolveCancelled: return word(.cancelled)
    case .resolveWithEvidence: return word(.failed, evidence: "bank 1")
    case .staleWord: return word(.completed, version: row.version - 1)
    case .sweep: return .sweep(who.sweep(view, now: Self.later))
    }
  }

  private func newAttempt(_ who: WhoAnswers, _ asking: Asking) throws -> Admission {
    let request = try SagaSample.request(key: "key-0000000000000002")
    return who.create(request, fingerprint: Fingerprint("1:b"), trace: nil, asking)
  }
}

/// What a message led to.
enum Met: Hashable {
  case admission(Admission)
  case sweep(Swept)

  /// The write it asks for; nil if none.
  var write: AttemptWrite? {
    switch self {
    case .admission(.create(let write)), .admission(.takeOver(let write, _)), .admission(.write(let write, then: _)),
      .sweep(.write(let write)):
      write
    case .admission(.answer), .admission(.wait), .admission(.unknownAttempt), .sweep(.leave), .sweep(.publish): nil
    }
  }

  /// In a table for people.
  func words(from row: Attempt) -> String {
    var parts: [String] = []
    if let next = write?.row {
      if StateKind(next.state) != StateKind(row.state) { parts.append("**\(StateKind(next.state).rawValue)**") }
      if row.parked != nil, next.parked == nil { parts.append("no longer parked") }
      if next.cancel != row.cancel { parts.append("recorded") }
      if next.waiting.count > row.waiting.count { parts.append("its origin is listed") }
    }
    switch self {
    case .admission(.create): return "a new attempt"
    case .admission(.takeOver(_, let role)): parts.append("the \(role) goes on with it")
    case .admission(.write(_, then: let answer)), .admission(.answer(let answer)):
      if let words = answer.words { parts.append(words) }
    case .admission(.wait): parts.append("waits for its owner")
    case .admission(.unknownAttempt): parts.append("dead letter")
    case .sweep(.leave): break
    case .sweep(.write): parts.append("a new pending event")
    case .sweep(.publish): parts.append("its pending event again")
    }
    return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
  }
}

extension Answer {
  fileprivate var words: String? {
    switch self {
    case .nothing: nil
    case .outcome: "the outcome is published"
    case .replayedOutcome: "the outcome is published as `replayed`"
    case .copy: "a copy is published, `replayed`"
    case .parked: "the parked notice is published"
    case .handOver: "the pending event is published"
    case .refuse(let refusals): "`\(refusals.map(\.code.rawValue).joined(separator: ", "))`"
    }
  }
}
