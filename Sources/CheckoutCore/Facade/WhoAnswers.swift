// Who answers a message (saga: "Who answers"): what a worker does when it meets an attempt with a message. Checked
// exhaustively elsewhere; each numbered rule here is a rule there.

/// What a worker shall do with a message, given the rows as they are.
package enum Admission: Hashable, Sendable {
  /// Insert the attempt; on `written` a machine starts with `created`; on `exists` or `blocked` ask again.
  case create(AttemptWrite)
  /// Take the attempt over; on `written` a machine starts with `tookOver`; on `conflict` ask again.
  case takeOver(AttemptWrite, SagaRole)
  /// Write, then answer; on `conflict` ask again.
  case write(AttemptWrite, then: Answer)
  /// Answer at once.
  case answer(Answer)
  /// A live worker owns it: ask again at this journal time.
  case wait(until: Timestamp)
  /// Pending work for an attempt that this journal does not know.
  case unknownAttempt
}

/// What is published for a message when it is finished. All of one answer goes into one transaction.
package enum Answer: Hashable, Sendable {
  /// Nothing: somebody else answers.
  case nothing
  /// The outcome of the ended attempt, and a copy for each waiting origin.
  case outcome(Attempt)
  /// The outcome again, to its own origin, after the group's offsets were lost.
  case replayedOutcome(Attempt)
  /// One copy, `replayed: true`, for this origin.
  case copy(Attempt, Origin)
  /// The notice that the attempt is parked.
  case parked(Attempt)
  /// The pending event of the hand-over, and its notice.
  case handOver(Attempt)
  /// `checkout.rejected`, with these refusals.
  case refuse([Refusal])
}

/// A message that asks for an answer: a validated request, a refused one, or a cancellation.
package struct Asking: Hashable, Sendable {
  /// Where the message stands on `checkout.validated`.
  package let message: Position
  /// Where its request stands on `checkout.requests`.
  package let origin: Origin
  /// Journal time.
  package let now: Timestamp
  /// The group had no committed offset for the message's partition: what has ended is answered `replayed`.
  package let offsetsWereLost: Bool
  /// Tells this asking from every other one of this worker: a message that comes again must not pass for a repeated write.
  package let number: UInt64

  /// A message at `message` whose request came from `origin`.
  package init(
    message: Position, origin: Origin, now: Timestamp, offsetsWereLost: Bool, number: UInt64 = 0
  ) {
    self.message = message
    self.origin = origin
    self.now = now
    self.offsetsWereLost = offsetsWereLost
    self.number = number
  }
}

/// The rules, for one worker.
package struct WhoAnswers: Sendable {
  let context: SagaContext

  /// The rules in the name of `context.worker`.
  package init(context: SagaContext) {
    self.context = context
  }

  // MARK: Requests

  /// The first try: insert the attempt, as if nobody knew it.
  package func create(
    _ request: ValidatedRequest, fingerprint: Fingerprint, trace: TraceContext?, _ asking: Asking
  ) -> Admission {
    let row = Attempt(
      request: request, origin: asking.origin, fingerprint: fingerprint, trace: trace, message: asking.message,
      owner: context.worker, at: asking.now)
    return .create(
      AttemptWrite(
        row: row, expectedEpoch: nil,
        writeID: "\(context.worker.text)/1/created/\(asking.message.text)/\(asking.number)",
        steps: [Step("reserve", [.init("key", reserveKey(row).text)])]))
  }

  private func reserveKey(_ row: Attempt) -> ProviderKey {
    context.identifiers.providerKey(row.identity.attemptID, .reserve, generation: row.hold.generation)
  }

  /// Another attempt of the same checkout stands in the way (saga: "Paid at most once").
  package func blocked(by other: Attempt) -> Admission {
    .answer(.refuse([refusal(blockedBy: other)]))
  }

  private func refusal(blockedBy other: Attempt) -> Refusal {
    switch other.state {
    case .completed: return alreadyPaid
    case .cancelled, .failed:
      return Refusal(.checkoutClosed, path: "/checkout_id", message: "This checkout is closed.")
    case .receipting, .receiptPending:
      return other.holdsMoney ? alreadyPaid : inProgress
    case .reserving, .charging, .releasing, .refunding:
      return other.parked != nil && other.holdsMoney ? alreadyPaid : inProgress
    }
  }

  // One sentence for each code: a refusal is not remembered, and one that is given again must be equal to the byte.
  private var alreadyPaid: Refusal {
    Refusal(.alreadyPaid, path: "/checkout_id", message: "This checkout is paid already.")
  }

  private var inProgress: Refusal {
    Refusal(
      .checkoutInProgress, path: "/checkout_id", message: "Another attempt to pay this checkout is under way.")
  }

  /// The key is known: rules 1, 2, 4, 5 and 6.
  package func met(_ view: AttemptView, fingerprint: Fingerprint, _ asking: Asking) -> Admission {
    let row = view.attempt
    guard row.fingerprint == fingerprint else {
      return .answer(
        .refuse([
          Refusal(
            .idempotencyConflict, path: "/idempotency_key",
            message: "This idempotency key was used before with other content.")
        ]))
    }
    if row.owedBy == .message(asking.message) { return owed(view, asking) }
    if let admission = listed(row, asking) { return admission }
    guard row.origin != asking.origin else {
      return .answer(row.hasEnded && asking.offsetsWereLost ? .replayedOutcome(row) : .nothing)
    }
    return list(row, asking)
  }

  /// Rule 1: the answer is ours to give.
  private func owed(_ view: AttemptView, _ asking: Asking) -> Admission {
    let row = view.attempt
    if row.hasEnded { return .answer(asking.offsetsWereLost ? .replayedOutcome(row) : .outcome(row)) }
    if row.parked != nil { return .answer(.parked(row)) }
    if let until = view.ownedUntil, row.owner != context.worker { return .wait(until: until) }
    return takeOver(row, message: asking.message, role: .facade, now: asking.now)
  }

  /// Rules 2 and 4: a hand-over derived from this message, or an origin that is listed already.
  func listed(_ row: Attempt, _ asking: Asking) -> Admission? {
    if isHandedOver(row, from: asking.message) { return .answer(.handOver(row)) }
    guard let waiter = row.waiting.first(where: { $0.origin == asking.origin }) else { return nil }
    // With the offsets lost nobody can tell whether the copy went out with the outcome: out it goes, under its one id.
    let isOurs = waiter.afterEnd || row.hasEnded && asking.offsetsWereLost
    if isOurs, waiter.listedBy == asking.message { return .answer(.copy(row, asking.origin)) }
    return .answer(.nothing)
  }

  /// Rule 2: the row waits for the pending event that the worker of `message` was about to publish.
  func isHandedOver(_ row: Attempt, from message: Position) -> Bool {
    guard let handOver = row.handOver, row.owedBy == .event(handOver.eventID) else { return false }
    return handOver.eventID == context.identifiers.pendingEvent(handOver.type, from: message)
  }

  /// Rules 5 and 6: a new origin is listed, then answered at once if the attempt has ended, else with it.
  func list(_ row: Attempt, _ asking: Asking) -> Admission {
    let afterEnd = row.hasEnded
    if !afterEnd, row.waiting.count >= context.settings.waitingMax {
      return .answer(
        .refuse([
          Refusal(
            .checkoutInProgress, path: "/idempotency_key",
            message: "This attempt is under way, and too many copies of it wait already.")
        ]))
    }
    let next = changed(row, asking.now) { row in
      if afterEnd { row.forgetOldestAfterEnd(keeping: context.settings.waitingMax - 1) }
      row.waiting.append(Waiter(origin: asking.origin, listedBy: asking.message, afterEnd: afterEnd))
    }
    return .write(
      write(next, "copy listed", [.init("origin", asking.origin.position.text)], asking.message),
      then: afterEnd ? .copy(next, asking.origin) : .nothing)
  }

  // MARK: Refused requests

  /// A request that validation refuses by a rule that can change: the attempt answers if its key is known.
  package func refused(
    _ view: AttemptView?, fingerprint: Fingerprint, failures: [Refusal], _ asking: Asking
  ) -> Admission {
    guard let view else { return .answer(.refuse(failures)) }
    return met(view, fingerprint: fingerprint, asking)
  }

  // MARK: Writes

  func changed(_ row: Attempt, _ now: Timestamp, _ change: (inout Attempt) -> Void) -> Attempt {
    var row = row
    row.version += 1
    row.updatedAt = now
    change(&row)
    return row
  }

  func write(_ row: Attempt, _ name: String, _ detail: [Step.Detail], _ message: Position) -> AttemptWrite {
    AttemptWrite(
      row: row, expectedEpoch: nil, writeID: "\(context.worker.text)/\(row.version)/\(name)/\(message.text)",
      steps: [Step(name, detail)])
  }

  /// The attempt is ours from the next epoch on, and ours to answer (except where only its obligations are worked on).
  func takeOver(_ row: Attempt, message: Position, role: SagaRole, now: Timestamp) -> Admission {
    let next = changed(row, now) { next in
      next.epoch += 1
      next.owner = context.worker
      // Whoever had it has given it up or has lost its lease: nothing of its can go on the wire any more. An earlier machine of
      // this worker still has the lease: a call of its that stands in a queue can go out until that ends.
      next.settleSends(from: row.owner == context.worker ? now + context.settings.lease : now)
      switch role {
      case .facade, .reconciliation:
        next.owedBy = .message(message)
        next.handOver = nil
        next.custody = role == .facade ? .facade : .reconciliation
      case .watching: break
      }
    }
    return .takeOver(
      write(next, "took over", [.init("worker", context.worker.text), .init("epoch", "\(next.epoch)")], message),
      role)
  }
}

extension Attempt {
  /// Copies that came after the end are answered at once and listed only until their message is committed: the oldest are
  /// dropped, so that a flood of them does not make the row grow.
  fileprivate mutating func forgetOldestAfterEnd(keeping limit: Int) {
    let extra = waiting.count(where: \.afterEnd) - max(0, limit)
    for _ in 0..<max(0, extra) {
      if let oldest = waiting.firstIndex(where: \.afterEnd) { waiting.remove(at: oldest) }
    }
  }
}
