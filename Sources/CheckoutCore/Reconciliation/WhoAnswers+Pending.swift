// Pending work (saga: "Who answers" 3, "Reconciliation"): what reconciliation does with a message of `checkout.pending`.

extension WhoAnswers {
  /// Rule 1 for a pending event that the row waits for, else rule 3: its open obligations, and no outcome.
  package func pending(_ view: AttemptView?, eventID: String, message: Position, now: Timestamp) -> Admission {
    guard let view else { return .unknownAttempt }
    let row = view.attempt
    if isHandedOver(row, from: message) { return .answer(.handOver(row)) }
    guard row.owedBy == .message(message) || row.owedBy == .event(eventID) else {
      return obligations(view, message: message, now: now)
    }
    if row.hasEnded, row.owedBy == .message(message) { return .answer(.outcome(row)) }
    if row.hasEnded {
      let next = changed(row, now) { $0.owedBy = .message(message) }
      return .write(write(next, "answers", [], message), then: .outcome(next))
    }
    if row.parked != nil { return .answer(.parked(row)) }
    if let until = view.ownedUntil, row.owner != context.worker { return .wait(until: until) }
    return takeOver(row, message: message, role: .reconciliation, now: now)
  }

  /// An item that is still not due after `hold_max`: put back at the topic's end, under an event of its own, in the
  /// transaction that finishes this message.
  package func putBack(
    _ view: AttemptView?, eventID: String, notBefore: Timestamp, message: Position, now: Timestamp
  ) -> Admission {
    guard let view else { return .unknownAttempt }
    let row = view.attempt
    guard row.owedBy == .event(eventID), !row.hasEnded, row.parked == nil else {
      return pending(view, eventID: eventID, message: message, now: now)
    }
    let next = changed(row, now) {
      $0.handOver(from: message, notBefore: notBefore, at: now, context.identifiers)
    }
    return .write(write(next, "put back", [], message), then: .handOver(next))
  }

  /// An ended attempt that still owes something is worked on; anything else is somebody else's.
  private func obligations(_ view: AttemptView, message: Position, now: Timestamp) -> Admission {
    let row = view.attempt
    // Parked by this message before it was committed: its notice may be lost.
    if row.parked?.noticeBy == message { return .answer(.parked(row)) }
    guard row.hasEnded, row.parked == nil, let watch = row.watch, watch.nextAt <= now else {
      return .answer(.nothing)
    }
    if let until = view.ownedUntil, row.owner != context.worker { return .wait(until: until) }
    return takeOver(row, message: message, role: .watching, now: now)
  }

  /// A person's retry or resolve: the write that applies it makes its message the one that answers. The event's id goes into
  /// the history, so that whoever said it can tell that it was this word that was applied.
  package func personsWord(
    _ view: AttemptView?, _ word: PersonsWord, eventID: String = "", message: Position, now: Timestamp
  ) -> Admission {
    guard let view else { return .unknownAttempt }
    let row = view.attempt
    if row.owedBy == .message(message) || isHandedOver(row, from: message) {
      return pending(view, eventID: "", message: message, now: now)
    }
    // Another version: the person looked at another row. The word has no effect, and no answer depends on it.
    guard row.parked != nil, row.version == word.rowVersion else {
      return obligations(view, message: message, now: now)
    }
    let said = [Step.Detail("who", word.who), Step.Detail("note", word.note), Step.Detail("word", eventID)]
    guard let resolution = word.resolution else { return retry(row, said, message: message, now: now) }
    return resolve(row, as: resolution, word, said, message: message, now: now)
  }

  private func retry(_ row: Attempt, _ said: [Step.Detail], message: Position, now: Timestamp) -> Admission {
    let isWatch = row.hasEnded
    let next = changed(row, now) { next in
      next.parked = nil
      next.retry = nil
      next.epoch += 1
      next.owner = context.worker
      next.settleSends(from: now)
      next.custody = .reconciliation
      if isWatch {
        if case .refused = next.watch?.owed?.status { next.watch?.owed?.takeBackSend() }
        next.watch?.nextAt = now
      } else {
        next.owedBy = .message(message)
        next.handOver = nil
        if row.parked?.reason == .chargeUnknown { next.charge.personLooked = true }
        if case .refused = next.compensation?.status { next.compensation?.takeBackSend() }
      }
    }
    return .takeOver(write(next, "retried by a person", said, message), isWatch ? .watching : .reconciliation)
  }

  /// Unpaid while money is with us would be a lie: only with evidence that it went back by another way.
  private func resolve(
    _ row: Attempt, as resolution: ResolvedAs, _ word: PersonsWord, _ said: [Step.Detail], message: Position,
    now: Timestamp
  ) -> Admission {
    let needsEvidence = row.hasEnded || resolution != .completed
    if needsEvidence, row.holdsMoney, word.refundedOutside == nil { return .answer(.nothing) }
    var detail = [Step.Detail("as", resolution.rawValue)] + said
    if let reference = word.refundedOutside { detail.append(.init("refunded outside", reference)) }
    if let url = word.receiptURL { detail.append(.init("receipt", url)) }
    let owesStock = resolution != .completed && !row.hasEnded && row.owesStock
    let next = changed(row, now) { next in
      next.parked = nil
      next.retry = nil
      next.owner = owesStock ? context.worker : nil
      next.epoch += 1
      if row.hasEnded {
        next.watch?.owed?.status = .done(reference: word.refundedOutside ?? "by hand")
        next.watch?.nextAt = .distantFuture
        return
      }
      next.owedBy = .message(message)
      next.handOver = nil
      next.custody = .reconciliation
      switch resolution {
      case .completed:
        next.receipt.url = word.receiptURL ?? next.receipt.url
        next.state = .completed
        next.endedAt = now
      case .failed, .cancelled:
        next.closeUnpaid(
          resolution == .failed ? .closedByPerson : .cancelled, owesStock: owesStock, word.refundedOutside,
          keyWindow: context.traits.payment.chargeKeyWindow, at: now)
      }
    }
    let write = write(next, "resolved by a person", detail, message)
    if owesStock { return .takeOver(write, .reconciliation) }
    return .write(write, then: row.hasEnded ? .nothing : .outcome(next))
  }
}

extension Attempt {
  var isReceipting: Bool {
    switch state {
    case .receipting, .receiptPending: true
    case .reserving, .charging, .releasing, .refunding, .completed, .failed, .cancelled: false
    }
  }

  /// True if stock may be held that a person has not been told about: it goes back before an unpaid end.
  var owesStock: Bool {
    switch parked?.reason {
    case .releaseRefused, .releaseBudgetSpent, .reserveUnsettled, .journalRefused: return false
    case .receiptRefused, .receiptBudgetSpent, .receiptUnknown, .confirmRefused, .chargeUnknown, .refundRefused,
      .refundBudgetSpent, .refundUnknown, nil:
      return holds.contains { $0.status == .held || $0.status == .confirmed || $0.status == .intended }
    }
  }

  /// A person says that nothing was paid, or that it went back: the end, or first the stock. A charge that nobody could
  /// tell about is watched; one refunded outside never is, because a second refund would follow.
  mutating func closeUnpaid(
    _ reason: EndReason, owesStock: Bool, _ refundedOutside: String?, keyWindow: TimeSpan, at now: Timestamp
  ) {
    if let refundedOutside { closeCompensation(reference: refundedOutside) }
    if charge.isOpen {
      charge.everUnknown = true
      if refundedOutside == nil {
        charge.status = .absent
      }
    }
    state = .releasing(reason)
    guard !owesStock else { return }
    // The person has seen to it.
    for index in holds.indices {
      switch holds[index].status {
      case .intended, .held, .confirmed: holds[index].status = .gone
      case .gone, .released, .refused: break
      }
    }
    endUnpaid(reason, at: now)
    planWatch(at: now, keyWindow: keyWindow)
  }

  /// What was taken went back by another way.
  mutating func closeCompensation(reference: String) {
    switch charge.status {
    case .captured(let id, let amount):
      compensation = Compensation(kind: .refund, chargeID: id, amount: amount, status: .done(reference: reference))
    case .authorised(let id, let amount):
      compensation = Compensation(kind: .void, chargeID: id, amount: amount, status: .done(reference: reference))
    case .none, .notRequired, .sent, .declined, .actionRequired, .refused, .absent: break
    }
  }
}
