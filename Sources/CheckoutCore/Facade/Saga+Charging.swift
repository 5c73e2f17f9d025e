// State charging: take the money once, or find out what became of it.

extension Saga {
  mutating func nextCharging(_ now: SagaNow) -> Move {
    switch row.charge.status {
    case .none: return nextUncharged(now)
    case .sent:
      if memory.chargeIsFresh { return charge() }
      return nextUnknown(now)
    case .actionRequired(let chargeID): return cancelIntent(chargeID, now)
    case .captured(let chargeID, let amount):
      return answerCharge(.captured(chargeID: chargeID, amount: amount), isLookUp: true, now)
    case .authorised(let chargeID, let amount):
      return answerCharge(.authorised(chargeID: chargeID, amount: amount), isLookUp: true, now)
    case .declined(let code): return answerCharge(.declined(code: code), isLookUp: true, now)
    case .refused: return .write(draft("refused", [], now) { $0.state = .releasing(.paymentRefused) })
    case .absent: return .write(draft("not charged", [], now) { $0.state = .releasing(.paymentUnavailable) })
    case .notRequired: return .write(draft("nothing to pay", [], now) { $0.enterReceipting(at: now.time) })
    }
  }

  /// Nothing was sent yet: stock first (again, if the hold is too short), then the intent.
  private mutating func nextUncharged(_ now: SagaNow) -> Move {
    if row.hold.status == .intended {
      if row.cancel != nil { return .write(draft("stops", [], now) { $0.state = .releasing(.cancelled) }) }
      if isExpired(now.time) { return .write(draft("stops", [], now) { $0.state = .releasing(.requestExpired) }) }
      return releaseOlderHold() ?? reserve()
    }
    var draft = draft("charge", [], now) { _ in }
    intendCharge(&draft, now)
    return .write(draft)
  }

  /// The rules before any send of a charge (saga: "States", charging). Sets the charge's intent in the draft, or where
  /// the attempt goes instead.
  func intendCharge(_ draft: inout Draft, _ now: SagaNow) {
    if draft.row.cancel != nil {
      draft.row.release(.cancelled)
    } else if draft.row.amount.isZero {
      if isExpired(now.time) {
        draft.row.release(.requestExpired)
      } else {
        draft.row.charge.status = .notRequired
        draft.row.enterReceipting(at: now.time)
      }
    } else if !expiryAllowsCharge(now) {
      draft.row.release(.requestExpired)
    } else if holdOutlivesCharge(draft.row.hold, now) {
      draft.row.charge.intendSend(at: now.time)
      draft.steps.append(Step("charge sent", [.init("key", key(.charge).text)]))
      draft.chargeIsFresh = true
    } else if draft.row.holds.count < 2 {
      let generation = draft.row.hold.generation + 1
      draft.row.holds.append(Hold(generation: generation, status: .intended))
      draft.isNewGeneration = true
      draft.steps.append(Step("reserves again", [.init("generation", "\(generation)")]))
    } else {
      draft.row.release(.reservationExpired)
    }
  }

  /// True if the hold lasts as long as a charge sent now may take.
  func holdOutlivesCharge(_ hold: Hold, _ now: SagaNow) -> Bool {
    guard hold.status == .held, let expiresAt = hold.expiresAt else { return false }
    return expiresAt >= now.time + context.settings.chargeDeadline
  }

  /// The attempt's own earlier hold must not stand in the way of its next one.
  func releaseOlderHold() -> Move? {
    row.holds.dropLast().first { $0.status == .held && !memory.released.contains($0.generation) }.map(release)
  }

  private mutating func charge() -> Move {
    memory.chargeIsFresh = false
    return .call(
      SagaCall(
        operation: .charge, key: key(.charge),
        command: .payment(
          .charge(
            amount: row.amount, checkoutID: row.identity.checkoutID,
            reservationID: row.hold.reservationID ?? "", methodToken: row.request.payment.methodToken,
            capture: row.request.payment.capture)),
        notAfter: chargeWindowEnd))
  }

  /// The end of the provider's memory of the charge's key; nil if it remembers none (then nothing is sent twice anyway).
  private var chargeWindowEnd: Timestamp? {
    guard let window = context.chargeKeyWindow, let sent = row.charge.firstSentAt else { return nil }
    return sent + window
  }

  /// What the provider says of the charge, in answer to the charge itself or to a look-up.
  mutating func answerCharge(_ reply: PaymentReply, isLookUp: Bool, _ now: SagaNow) -> Move {
    if role == .watching { return answerWatched(reply, now) }
    if case .refunding = row.state { return answerLookUpAfterVoid(reply, now) }
    // A late answer told of money while this one was being written down: payment only moves forward.
    if row.charge.knowsMore(than: reply) { return next(now) }
    switch reply {
    case .captured(let chargeID, let amount):
      return paid(.captured(chargeID: chargeID, amount: amount), chargeID, amount, now)
    case .authorised(let chargeID, let amount):
      return paid(.authorised(chargeID: chargeID, amount: amount), chargeID, amount, now)
    case .declined(let code):
      return .write(
        draft("declined", [.init("code", code)], now) { row in
          row.charge.status = .declined(code: code)
          row.state = .releasing(.paymentDeclined)
        })
    case .actionRequired(let chargeID):
      if case .actionRequired = row.charge.status {
        memory.voidWasRefused = false
        return again(.compensation, "the open intent can be neither cancelled nor settled", now)
      }
      var draft = draft("action required", [.init("charge", chargeID)], now) { row in
        row.charge.status = .actionRequired(chargeID: chargeID)
        row.compensation = Compensation(
          kind: .void, chargeID: chargeID, amount: row.amount, status: .sent, firstSentAt: now.time,
          lastSentAt: now.time)
      }
      draft.compensationIsFresh = true
      return .write(draft)
    case .inProgress:
      memory.chargeEverUnknown = true
      return again(.chargeLookUp, "still in progress", now)
    case .notFound: return answerNotFound(now)
    case .trouble(let trouble):
      return isLookUp ? again(.chargeLookUp, note(trouble), now) : chargeTrouble(trouble, now)
    case .voided, .voidRefused, .refunded:
      memory.chargeEverUnknown = true
      return again(.chargeLookUp, "unexpected answer to a charge", now)
    }
  }

  /// Money is taken or held. Exactly what was asked goes on; anything else goes back, exactly as taken.
  private func paid(_ status: Charge.Status, _ chargeID: String, _ amount: Amount, _ now: SagaNow) -> Move {
    let isCaptured = if case .captured = status { true } else { false }
    let isAsAsked = amount == row.amount && (isCaptured || row.request.payment.capture == .manual)
    let details = [Step.Detail("charge", chargeID), Step.Detail("amount_minor", "\(amount.minor)")]
    var draft = draft(isCaptured ? "captured" : "authorised", details, now) { row in
      row.charge.status = status
      row.compensation = nil
    }
    if row.cancel != nil {
      undo(.cancelled, in: &draft, now)
    } else if !isAsAsked {
      undo(.amountMismatch, in: &draft, now)
    } else {
      draft.row.enterReceipting(at: now.time)
    }
    return .write(draft)
  }

  private mutating func chargeTrouble(_ trouble: CallTrouble, _ now: SagaNow) -> Move {
    switch trouble {
    case .notApplied(.permanent, let detail):
      return .write(
        draft("charge refused", [.init("detail", detail)], now) { row in
          row.charge.status = .refused(detail: detail)
          row.state = .releasing(.paymentRefused)
        })
    case .notApplied(.transient, _), .misconfigured:
      memory.chargeNotApplied = true
      return again(.charge, note(trouble), now)
    case .unknown, .notSent:
      memory.chargeEverUnknown = true
      return again(.chargeLookUp, note(trouble), now)
    }
  }
}

extension Charge {
  /// True if money is known to be taken or held and `reply` says less than that.
  func knowsMore(than reply: PaymentReply) -> Bool {
    switch (status, reply) {
    case (.captured, .captured), (.authorised, .captured), (.authorised, .authorised): false
    case (.captured, _), (.authorised, _): true
    case (.none, _), (.notRequired, _), (.sent, _), (.declined, _), (.actionRequired, _), (.refused, _), (.absent, _):
      false
    }
  }
}

extension Attempt {
  /// Nothing is charged: the holds go back.
  mutating func release(_ reason: EndReason) {
    charge.endAsNotCharged()
    state = .releasing(reason)
  }

  /// Paid, authorised or free: confirm and receipt follow.
  mutating func enterReceipting(at now: Timestamp) {
    state = .receipting
    receipt.firstSentAt = now
  }
}
