// States releasing and refunding: money first (exactly what was taken), then stock, then the end. What is owed stays
// owed until it is acknowledged.

extension Saga {
  /// The way back from a draft's row: refunding if money is with us, else releasing. Journals the intent of the first call.
  func undo(_ reason: EndReason, in draft: inout Draft, _ now: SagaNow) {
    let kind: Compensation.Kind
    let charge: (id: String, amount: Amount)
    switch draft.row.charge.status {
    case .captured(let id, let amount): (kind, charge) = (.refund, (id, amount))
    case .authorised(let id, let amount): (kind, charge) = (.void, (id, amount))
    case .none, .notRequired, .sent, .declined, .actionRequired, .refused, .absent:
      draft.row.state = .releasing(reason)
      return
    }
    draft.row.state = .refunding(reason)
    draft.row.compensation = Compensation(
      kind: kind, chargeID: charge.id, amount: charge.amount, status: .sent, firstSentAt: now.time,
      lastSentAt: now.time)
    draft.steps.append(Step("\(kind.rawValue) sent", [.init("amount_minor", "\(charge.amount.minor)")]))
    draft.compensationIsFresh = true
  }

  mutating func nextRefunding(_ reason: EndReason, _ now: SagaNow) -> Move {
    guard let compensation = row.compensation else {
      var draft = draft("owes", [], now) { _ in }
      undo(reason, in: &draft, now)
      return .write(draft)
    }
    switch compensation.status {
    case .done: return nextReleasing(reason, now)
    case .refused(let detail): return park(.refundRefused, detail: detail, now)
    case .owed: return sendCompensationAgain(now)
    case .sent:
      if memory.voidWasRefused { return lookUpCharge() }
      if memory.compensationIsFresh { return compensate(compensation) }
      if memory.compensationMayBeSentAgain { return sendCompensationAgain(now) }
      return lookUpCompensation(compensation)
    }
  }

  /// The void or refund itself, always under the same key, and never past the end of the provider's memory of it.
  mutating func compensate(_ compensation: Compensation) -> Move {
    memory.compensationIsFresh = false
    let command: PaymentCommand =
      switch compensation.kind {
      case .void: .void(chargeID: compensation.chargeID)
      case .refund: .refund(chargeID: compensation.chargeID, amount: compensation.amount)
      }
    let operation = compensation.operation
    let windowEnd = context.compensationKeyWindow.flatMap { window in compensation.firstSentAt.map { $0 + window } }
    return .call(
      SagaCall(operation: operation, key: key(operation), command: .payment(command), notAfter: windowEnd))
  }

  /// What became of the void or refund?
  func lookUpCompensation(_ compensation: Compensation) -> Move {
    let operation = compensation.operation
    return .call(
      SagaCall(
        operation: operation, key: key(operation),
        command: .payment(.lookUp(operation: operation, sentAt: compensation.firstSentAt ?? row.createdAt)),
        notAfter: nil))
  }

  private func sendCompensationAgain(_ now: SagaNow) -> Move {
    var draft = draft("compensation sent again", [], now) { $0.compensation?.intendSend(at: now.time) }
    draft.compensationIsFresh = true
    draft.isProgress = false
    // The budget counts from the first failure, not from the latest send.
    draft.row.retry = row.retry
    return .write(draft)
  }

  mutating func answerVoid(_ reply: PaymentReply, isLookUp: Bool, _ now: SagaNow) -> Move {
    switch reply {
    case .voided: return compensated(reference: "", now)
    case .voidRefused(let detail):
      memory.voidWasRefused = true
      memory.trouble = detail
      return role == .watching ? nextWatching(now) : lookUpCharge()
    case .refunded, .captured, .authorised, .declined, .actionRequired:
      return again(.compensation, "unexpected answer to a void", now)
    case .inProgress: return again(.compensation, "void still in progress", now)
    case .notFound: return compensationNotFound(now)
    case .trouble(let trouble): return compensationTrouble(trouble, isLookUp: isLookUp, now)
    }
  }

  mutating func answerRefund(_ reply: PaymentReply, isLookUp: Bool, _ now: SagaNow) -> Move {
    switch reply {
    case .refunded(let reference, let amount):
      guard let owed = owedCompensation, amount == owed.amount else {
        return park(.refundRefused, detail: "another amount was refunded: \(amount.minor)", now)
      }
      return compensated(reference: reference, now)
    case .voided: return compensated(reference: "", now)
    case .voidRefused, .captured, .authorised, .declined, .actionRequired:
      return again(.compensation, "unexpected answer to a refund", now)
    case .inProgress: return again(.compensation, "refund still in progress", now)
    case .notFound: return compensationNotFound(now)
    case .trouble(let trouble): return compensationTrouble(trouble, isLookUp: isLookUp, now)
    }
  }

  /// What this machine is to give back.
  private var owedCompensation: Compensation? {
    role == .watching ? row.watch?.owed : row.compensation
  }

  /// The money is back, or was never taken.
  private mutating func compensated(reference: String, _ now: SagaNow) -> Move {
    memory.voidWasRefused = false
    if role == .watching { return watchCompensated(reference: reference, now) }
    switch row.state {
    case .charging:
      if row.charge.knowsMore(than: .voided) { return next(now) }
      return .write(
        draft("intent cancelled", [], now) { row in
          row.charge.status = .absent
          row.compensation?.status = .done(reference: reference)
          row.state = .releasing(.paymentActionRequired)
        })
    case .reserving, .receipting, .receiptPending, .releasing, .refunding, .completed, .failed, .cancelled:
      return .write(
        draft("compensated", [.init("reference", reference)], now) {
          $0.compensation?.status = .done(reference: reference)
        })
    }
  }

  private mutating func compensationTrouble(_ trouble: CallTrouble, isLookUp: Bool, _ now: SagaNow) -> Move {
    switch trouble {
    case .notApplied(.permanent, let detail) where !isLookUp:
      return compensationRefused(detail, now)
    case .notApplied(.transient, _) where !isLookUp, .misconfigured where !isLookUp:
      memory.compensationMayBeSentAgain = true
      memory.compensationNotApplied = true
      return again(.compensation, note(trouble), now)
    case .notApplied, .misconfigured, .unknown, .notSent:
      return again(.compensation, note(trouble), now)
    }
  }

  private mutating func compensationRefused(_ detail: String, _ now: SagaNow) -> Move {
    if row.state == .charging {
      // The open intent cannot be cancelled: look what it has become.
      memory.voidWasRefused = true
      return lookUpCharge()
    }
    var move = park(.refundRefused, detail: detail, now)
    if case .write(var draft) = move {
      if role == .watching {
        draft.row.watch?.owed?.status = .refused(detail: detail)
      } else {
        draft.row.compensation?.status = .refused(detail: detail)
      }
      move = .write(draft)
    }
    return move
  }

  /// The provider knows nothing of the void or refund: believed after `settle_after`, and only inside the key window.
  private mutating func compensationNotFound(_ now: SagaNow) -> Move {
    let compensation = owedCompensation
    let sentBefore =
      compensation?.settlesFrom ?? memory.compensationCameBack ?? compensation?.lastSentAt ?? row.createdAt
    let settledAt = sentBefore + context.settleAfter
    if now.time < settledAt { return again(.compensation, "not found yet", notBefore: settledAt, now) }
    guard context.isInside(context.compensationKeyWindow, since: compensation?.firstSentAt, now) else {
      return park(.refundUnknown, detail: "not found, and the provider may have forgotten the key", now)
    }
    memory.compensationMayBeSentAgain = true
    return next(now)
  }

  /// A void was refused: what was only authorised may be captured by now; then exactly that is refunded.
  mutating func answerLookUpAfterVoid(_ reply: PaymentReply, _ now: SagaNow) -> Move {
    switch reply {
    case .captured(let chargeID, let amount):
      memory.voidWasRefused = false
      var draft = draft("captured after all", [.init("amount_minor", "\(amount.minor)")], now) {
        $0.charge.status = .captured(chargeID: chargeID, amount: amount)
      }
      if case .refunding(let reason) = row.state { undo(reason, in: &draft, now) }
      return .write(draft)
    case .trouble(let trouble): return again(.compensation, note(trouble), now)
    case .inProgress: return again(.compensation, "charge still in progress", now)
    case .authorised, .declined, .actionRequired, .notFound, .voided, .voidRefused, .refunded:
      memory.voidWasRefused = false
      return park(.refundRefused, detail: memory.trouble ?? "void refused", now)
    }
  }

  // MARK: Stock

  mutating func nextReleasing(_ reason: EndReason, _ now: SagaNow) -> Move {
    if row.hold.status == .intended, memory.reserveMayBeSent { return reserve() }
    return releaseNextHold() ?? endUnpaid(reason, holdRefused: true, now)
  }

  /// The oldest hold that is not given back yet.
  func releaseNextHold() -> Move? {
    row.holds.first { hold in
      (hold.status == .held || hold.status == .confirmed) && !memory.released.contains(hold.generation)
    }.map(release)
  }

  func release(_ hold: Hold) -> Move {
    .call(
      SagaCall(
        operation: .release, key: key(.release, generation: hold.generation),
        command: .inventory(.release(reservationID: hold.reservationID ?? "")), notAfter: nil))
  }

  mutating func answerRelease(_ reply: InventoryReply, to call: SagaCall, _ now: SagaNow) -> Move {
    switch reply {
    case .released, .gone:
      for hold in row.holds where key(.release, generation: hold.generation) == call.key {
        memory.released.append(hold.generation)
      }
      return next(now)
    case .trouble(.notApplied(.permanent, let detail)):
      return row.state == .charging
        ? .write(draft("own hold stands in the way", [], now) { $0.release(.reservationExpired) })
        : park(.releaseRefused, detail: detail, now)
    case .trouble(let trouble): return again(.release, note(trouble), now)
    case .reserved, .outOfStock, .confirmed: return again(.release, "unexpected answer to a release", now)
    }
  }
}

extension Compensation {
  /// The call that carries it out.
  fileprivate var operation: Operation {
    switch kind {
    case .void: .void
    case .refund: .refund
    }
  }
}
