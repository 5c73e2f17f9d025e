// An unknown charge: looked up before anything is sent again; a `notFound` is believed only after `settle_after`.

extension Saga {
  /// The charge was sent and its fate is open.
  mutating func nextUnknown(_ now: SagaNow) -> Move {
    if memory.chargeNotApplied || memory.settledNotFound { return nextNotCharged(now) }
    memory.chargeEverUnknown = true
    return lookUpCharge()
  }

  func lookUpCharge() -> Move {
    .call(
      SagaCall(
        operation: .charge, key: key(.charge),
        command: .payment(.lookUp(operation: .charge, sentAt: row.charge.firstSentAt ?? row.createdAt)),
        notAfter: nil))
  }

  mutating func answerNotFound(_ now: SagaNow) -> Move {
    let sentBefore = row.charge.settlesFrom ?? memory.chargeCameBack ?? row.charge.lastSentAt ?? row.createdAt
    let settledAt = sentBefore + context.settleAfter
    if now.time < settledAt { return again(.chargeLookUp, "not found yet", notBefore: settledAt, now) }
    if case .actionRequired = row.charge.status {
      // The open intent is gone. It was there, so the attempt is watched.
      memory.chargeEverUnknown = true
      return notCharged(.paymentActionRequired, now)
    }
    memory.settledNotFound = true
    memory.misconfigured = false
    return nextNotCharged(now)
  }

  /// Not charged so far, as far as anybody can tell. Outside the key window `not found` may only mean that the provider has
  /// forgotten the key: a person looks, and after that it is believed. Else send again under the same key if everything still
  /// allows it; with a cancellation recorded or the request expired: do not, end as not charged, and watch.
  private mutating func nextNotCharged(_ now: SagaNow) -> Move {
    let isInside = context.isInside(context.chargeKeyWindow, since: row.charge.firstSentAt, now)
    let isForgotten = memory.settledNotFound && !isInside
    if isForgotten, !row.charge.personLooked { return parkForgotten(now) }
    if row.cancel != nil { return notCharged(.cancelled, now) }
    if !expiryAllowsCharge(now) { return notCharged(.requestExpired, now) }
    if !isInside {
      if isForgotten { return parkForgotten(now) }
      // A provider that remembers no keys gets what it certainly did not carry out again; one that forgets them does not.
      if context.chargeKeyWindow != nil { return notCharged(.paymentUnavailable, now) }
    }
    if row.hold.status == .intended { return releaseOlderHold() ?? reserve() }
    guard holdOutlivesCharge(row.hold, now) else { return holdTooShort(now) }
    var draft = draft("charge sent again", [.init("key", key(.charge).text)], now) {
      $0.charge.intendSend(at: now.time)
    }
    draft.chargeIsFresh = true
    draft.isProgress = false
    draft.row.retry = row.retry
    return .write(draft)
  }

  private func parkForgotten(_ now: SagaNow) -> Move {
    park(.chargeUnknown, detail: "not found, and the provider may have forgotten the key", now)
  }

  /// The hold has run out before the charge could be sent again.
  private mutating func holdTooShort(_ now: SagaNow) -> Move {
    if memory.misconfigured {
      // The service refuses us for reasons of its own, for which no checkout fails: a look-up tells when that is over.
      memory.chargeNotApplied = false
      return lookUpCharge()
    }
    guard memory.settledNotFound else { return notCharged(.paymentUnavailable, now) }
    guard row.holds.count < 2 else { return notCharged(.reservationExpired, now) }
    var draft = draft("reserves again", [.init("generation", "\(row.hold.generation + 1)")], now) { row in
      row.holds.append(Hold(generation: row.hold.generation + 1, status: .intended))
    }
    draft.isNewGeneration = true
    return .write(draft)
  }

  private func notCharged(_ reason: EndReason, _ now: SagaNow) -> Move {
    .write(
      draft("not charged", [.init("reason", reason.rawValue)], now) { row in
        row.charge.status = .absent
        row.state = .releasing(reason)
      })
  }

  /// The customer would have to act: the open intent is cancelled before the attempt may fail. Cancelling names the intent and
  /// moves no money, so it is repeated whatever became of the call before, and however long ago that was.
  mutating func cancelIntent(_ chargeID: String, _ now: SagaNow) -> Move {
    if memory.voidWasRefused { return lookUpCharge() }
    memory.compensationIsFresh = false
    return .call(
      SagaCall(operation: .void, key: key(.void), command: .payment(.void(chargeID: chargeID)), notAfter: nil))
  }
}
