// The watch on an attempt that ended unpaid although a charge was sent and never definitely refused. The published
// outcome stays; a late success owes one refund or void, as an obligation of its own.

extension Saga {
  /// Plans the watch in the row of an attempt that ends.
  func planWatch(_ row: inout Attempt, _ now: SagaNow) {
    if memory.chargeEverUnknown { row.charge.everUnknown = true }
    row.planWatch(at: now.time, keyWindow: context.traits.payment.chargeKeyWindow)
  }

  mutating func nextWatching(_ now: SagaNow) -> Move {
    guard row.hasEnded, row.parked == nil, let watch = row.watch, watch.nextAt <= now.time else {
      return .finish(.obligationsDone)
    }
    if row.owesLateStock, let release = releaseNextHold() { return release }
    guard let owed = watch.owed else {
      return row.isWatchedForStockOnly ? endWatch("late hold released", [], now) : lookUpCharge()
    }
    switch owed.status {
    case .done: return row.owesLateStock ? restWatch("late hold released", [], now) : .finish(.obligationsDone)
    case .refused(let detail): return park(.refundRefused, detail: detail, now)
    case .owed: return sendOwed(owed, now)
    case .sent:
      if memory.voidWasRefused { return lookUpCharge() }
      if memory.compensationIsFresh { return compensate(owed) }
      if memory.compensationMayBeSentAgain { return sendOwed(owed, now) }
      return lookUpCompensation(owed)
    }
  }

  private func sendOwed(_ owed: Compensation, _ now: SagaNow) -> Move {
    var draft = draft("\(owed.kind.rawValue) of a late success sent", [], now) { row in
      row.watch?.owed?.intendSend(at: now.time)
    }
    draft.compensationIsFresh = true
    draft.isProgress = false
    // The budget counts from the first failure, not from the latest send.
    draft.row.retry = row.retry
    return .write(draft)
  }

  /// What a watched charge's look-up says.
  mutating func answerWatched(_ reply: PaymentReply, _ now: SagaNow) -> Move {
    switch reply {
    case .captured(let chargeID, let amount):
      return owes(Compensation(kind: .refund, chargeID: chargeID, amount: amount), now)
    case .authorised where memory.voidWasRefused, .actionRequired where memory.voidWasRefused:
      return park(.refundRefused, detail: memory.trouble ?? "void refused", now)
    case .authorised(let chargeID, let amount):
      return owes(Compensation(kind: .void, chargeID: chargeID, amount: amount), now)
    case .actionRequired(let chargeID):
      return owes(Compensation(kind: .void, chargeID: chargeID, amount: row.amount), now)
    case .declined(let code):
      return endWatch("definitely declined", [.init("code", code)], now)
    case .notFound where row.watch?.owed != nil:
      return park(.refundRefused, detail: memory.trouble ?? "void refused, and the charge is not found any more", now)
    case .notFound:
      let done = (row.watch?.lookUpsDone ?? 0) + 1
      guard let nextAt = row.nextLookUp(done: done, keyWindow: context.traits.payment.chargeKeyWindow) else {
        return endWatch("watched to the end", [], now)
      }
      var draft = draft("looked up again: not found", [], now) {
        $0.watch = Watch(lookUpsDone: done, nextAt: nextAt)
      }
      draft.end = .obligationsDone
      draft.row.owner = nil
      return .write(draft)
    case .inProgress: return again(.chargeLookUp, "still in progress", now)
    case .trouble(let trouble): return again(.chargeLookUp, note(trouble), now)
    case .voided, .refunded:
      // Whoever gave it back: nothing is held any more, and nothing is owed.
      return row.watch?.owed == nil
        ? endWatch("given back already", [], now) : watchCompensated(reference: "", now)
    case .voidRefused: return again(.chargeLookUp, "unexpected answer to a look-up", now)
    }
  }

  private mutating func owes(_ compensation: Compensation, _ now: SagaNow) -> Move {
    memory.voidWasRefused = false
    return .write(
      draft("late success", [.init("amount_minor", "\(compensation.amount.minor)")], now) {
        $0.watch?.owed = compensation
      })
  }

  private func endWatch(_ name: String, _ detail: [Step.Detail], _ now: SagaNow) -> Move {
    var draft = draft(name, detail, now) { row in
      row.watch = nil
      row.owner = nil
    }
    draft.end = .obligationsDone
    return .write(draft)
  }

  func watchCompensated(reference: String, _ now: SagaNow) -> Move {
    let move = restWatch("late success undone", [.init("reference", reference)], now)
    guard case .write(var draft) = move else { return move }
    draft.row.watch?.owed?.status = .done(reference: reference)
    return .write(draft)
  }

  /// Nothing more is to be done; that money came late and went back stays on record.
  private func restWatch(_ name: String, _ detail: [Step.Detail], _ now: SagaNow) -> Move {
    var draft = draft(name, detail, now) { row in
      row.watch?.nextAt = .distantFuture
      row.owner = nil
    }
    draft.end = .obligationsDone
    return .write(draft)
  }

  /// A watched attempt waits in the journal, not in a worker: the sweep brings it back. After the budget of an owed
  /// compensation a person must look.
  mutating func againWatching(_ now: SagaNow) -> Move {
    let settings = context.settings
    let before = row.retry
    let since = before?.since ?? now.time
    let tries = (before?.tries ?? 0) + 1
    let owesStock = row.owesLateStock
    if row.watch?.owed != nil || owesStock, !memory.misconfigured, now.time >= since + settings.reconciliationBudget {
      return park(owesStock ? .releaseBudgetSpent : .refundBudgetSpent, detail: memory.trouble ?? "", now)
    }
    let wait = now.backoff(
      first: settings.reconciliationBackoffFirst, max: settings.reconciliationBackoffMax, tries: tries - 1)
    var draft = draft("will look again", [.init("trouble", memory.trouble ?? "")], now) { row in
      row.retry = RetrySchedule(since: since, tries: tries, nextAt: now.time + wait)
      row.watch?.nextAt = now.time + wait
      row.owner = nil
    }
    draft.end = .obligationsDone
    return .write(draft)
  }
}

extension Attempt {
  /// Plans the watch of an attempt that ends unpaid after a charge was sent and never definitely refused.
  mutating func planWatch(at now: Timestamp, keyWindow: TimeSpan) {
    guard charge.mayStillComeThrough, let first = nextLookUp(done: 0, keyWindow: keyWindow) else {
      return
    }
    watch = Watch(lookUpsDone: 0, nextAt: first)
  }

  /// How long before the end of the key window the look-up is due, so that the sweep brings it while the key is remembered.
  private static let beforeWindowEnd = TimeSpan.seconds(60)

  /// When the look-up after `done` ones is due: 1 h and 24 h after the end, and just before the provider forgets the key, in
  /// the order they come; nil: the watch is over.
  func nextLookUp(done: Int, keyWindow: TimeSpan) -> Timestamp? {
    let end = endedAt ?? updatedAt
    let windowEnd = (charge.firstSentAt ?? end) + keyWindow - Attempt.beforeWindowEnd
    let due = ([end + .hours(1), end + .hours(24)] + (windowEnd > end ? [windowEnd] : [])).sorted()
    return done < due.count ? due[done] : nil
  }
}
