// What every state does alike when a service does not answer as hoped: try again, hand over, park.

extension Saga {
  /// What is being tried; each has its own budget, hand-over and reason to park.
  enum Trying: Hashable, Sendable {
    case reserve
    case charge
    case chargeLookUp
    case confirm
    case receipt
    case release
    case compensation

    /// What a call with this operation tries.
    static func of(_ operation: Operation, isLookUp: Bool) -> Trying {
      switch operation {
      case .reserve: .reserve
      case .confirm: .confirm
      case .release: .release
      case .charge: isLookUp ? .chargeLookUp : .charge
      case .void, .refund: .compensation
      case .receipt: .receipt
      }
    }
  }

  /// The same again later: in the facade within short budgets, then by reconciliation; there within long ones, then a
  /// person. `notBefore`: an answer before this journal time would be none.
  mutating func again(_ trying: Trying, _ detail: String, notBefore: Timestamp? = nil, _ now: SagaNow) -> Move {
    memory.trouble = detail
    memory.triesAtOnce = false
    // Nothing is tried further for a receipt that nobody wants any more.
    if row.cancel != nil, row.isReceipting { return next(now) }
    switch role {
    case .facade: return againInFacade(trying, notBefore: notBefore, now)
    case .reconciliation: return againInReconciliation(trying, notBefore: notBefore, now)
    case .watching: return againWatching(now)
    }
  }

  private mutating func againInFacade(_ trying: Trying, notBefore: Timestamp?, _ now: SagaNow) -> Move {
    let settings = context.settings
    let since = memory.troubleSince ?? now.time
    memory.troubleSince = since
    memory.tries += 1
    let budget: TimeSpan
    let tries: Int
    switch trying {
    case .reserve: (budget, tries) = (settings.reserveBudget, .max)
    case .charge, .chargeLookUp: (budget, tries) = (settings.unknownBudget, .max)
    case .confirm, .receipt, .release, .compensation: (budget, tries) = (settings.receiptBudget, settings.receiptTries)
    }
    let wait = now.backoff(first: settings.backoffFirst, max: settings.backoffMax, tries: memory.tries - 1)
    let at = notBefore ?? (now.time + wait)
    if memory.tries >= tries || at - since > budget { return handOver(notBefore: notBefore, now) }
    return .wait(until: at)
  }

  private mutating func againInReconciliation(_ trying: Trying, notBefore: Timestamp?, _ now: SagaNow) -> Move {
    let settings = context.settings
    let before = row.retry
    let since = before?.since ?? now.time
    let tries = (before?.tries ?? 0) + 1
    if !memory.misconfigured, let end = budgetEnd(trying, since: since), now.time >= end {
      return park(parkReason(trying), detail: memory.trouble ?? "", now)
    }
    let wait = now.backoff(
      first: settings.reconciliationBackoffFirst, max: settings.reconciliationBackoffMax, tries: tries - 1)
    let at = notBefore ?? (now.time + wait)
    memory.tries = tries
    let schedule = RetrySchedule(since: since, tries: tries, nextAt: at)
    if at - now.time > settings.holdMax { return handOver(notBefore: at, schedule: schedule, now) }
    var draft = draft("will try again", [.init("tries", "\(tries)"), .init("trouble", memory.trouble ?? "")], now) {
      $0.retry = schedule
    }
    draft.isProgress = false
    return .write(draft)
  }

  /// When reconciliation stops trying; nil: never by itself.
  private func budgetEnd(_ trying: Trying, since: Timestamp) -> Timestamp? {
    switch trying {
    case .chargeLookUp, .charge:
      return (row.charge.firstSentAt ?? since) + (context.chargeKeyWindow ?? context.settings.reconciliationBudget)
    case .reserve, .confirm, .receipt, .release, .compensation:
      return since + context.settings.reconciliationBudget
    }
  }

  private func parkReason(_ trying: Trying) -> ParkReason {
    switch trying {
    case .reserve: .reserveUnsettled
    case .charge, .chargeLookUp: .chargeUnknown
    case .confirm, .receipt: .receiptBudgetSpent
    case .release: .releaseBudgetSpent
    case .compensation: .refundBudgetSpent
    }
  }

  /// Gives the attempt to reconciliation, or puts it back on its topic: one write, then the pending event.
  func handOver(notBefore: Timestamp?, schedule: RetrySchedule? = nil, _ now: SagaNow) -> Move {
    let message = message
    let identifiers = context.identifiers
    let name = row.custody == .facade ? "handed over" : "put back"
    var draft = draft(name, [.init("trouble", memory.trouble ?? "")], now) {
      $0.retry = schedule
      $0.handOver(from: message, notBefore: notBefore, at: now.time, identifiers)
    }
    draft.end = .handedOver
    return .write(draft)
  }

  /// Marks the attempt as one that needs a person. What is owed stays owed.
  func park(_ reason: ParkReason, detail: String, _ now: SagaNow) -> Move {
    let message = message
    var draft = draft("parked", [.init("reason", reason.rawValue), .init("detail", detail)], now) {
      $0.parked = Parked(reason: reason, detail: detail, at: now.time, noticeBy: message)
      $0.owner = nil
      $0.epoch += 1
      $0.parkedNotices += 1
      $0.lastTrouble = detail
    }
    draft.end = .parked
    return .write(draft)
  }
}

extension Attempt {
  /// The pending event that carries an attempt in this state.
  package var pendingType: EventType {
    switch state {
    case .reserving: .reservePending
    case .charging: .chargeUnknown
    case .receipting, .receiptPending: .receiptPending
    case .releasing, .refunding, .completed, .failed, .cancelled: .compensationPending
    }
  }

  /// Nobody's, and owed by the pending event that the worker of `message` publishes. The epoch rises, so that whoever
  /// owned it until now stops.
  package mutating func handOver(
    from message: Position, notBefore: Timestamp?, at now: Timestamp, _ identifiers: Identifiers
  ) {
    let type = pendingType
    var notice: Int?
    if state == .receipting {
      state = .receiptPending
      // "The receipt follows" is no word for somebody who has cancelled.
      if cancel == nil {
        notice = receiptPendingNotices
        receiptPendingNotices += 1
      }
    }
    let id = identifiers.pendingEvent(type, from: message)
    owedBy = .event(id)
    handOver = HandOver(eventID: id, type: type, notBefore: notBefore, noticeNumber: notice, at: now)
    custody = .reconciliation
    owner = nil
    epoch += 1
  }
}
