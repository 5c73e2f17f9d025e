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
    let settledAt = (row.charge.lastSentAt ?? row.createdAt) + context.settleAfter
    if now.time < settledAt { return again(.chargeLookUp, "not found yet", notBefore: settledAt, now) }
    if case .actionRequired = row.charge.status {
      // The open intent is gone. It was there, so the attempt is watched.
      memory.chargeEverUnknown = true
      return notCharged(.paymentActionRequired, now)
    }
    memory.settledNotFound = true
    return nextNotCharged(now)
  }

  /// Certainly not charged so far. Send again under the same key if everything still allows it; with a cancellation
  /// recorded or the request expired: do not, end as not charged, and watch.
  private mutating func nextNotCharged(_ now: SagaNow) -> Move {
    if row.cancel != nil { return notCharged(.cancelled, now) }
    if !expiryAllowsCharge(now) { return notCharged(.requestExpired, now) }
    if !isInsideKeyWindow(now) {
      if memory.settledNotFound {
        return park(.chargeUnknown, detail: "not found, and the provider may have forgotten the key", now)
      }
      // A provider that remembers no keys gets what it certainly did not carry out again; one that forgets them does not.
      if context.traits.payment.chargeKeyWindow > .zero { return notCharged(.paymentUnavailable, now) }
    }
    guard holdOutlivesCharge(row.hold, now) else {
      if memory.misconfigured, row.holds.count < 2 {
        return again(.charge, memory.trouble ?? "misconfigured", now)
      }
      return notCharged(memory.settledNotFound ? .reservationExpired : .paymentUnavailable, now)
    }
    var draft = draft("charge sent again", [.init("key", key(.charge).text)], now) {
      $0.charge.lastSentAt = now.time
    }
    draft.chargeIsFresh = true
    draft.isProgress = false
    draft.row.retry = row.retry
    return .write(draft)
  }

  private func isInsideKeyWindow(_ now: SagaNow) -> Bool {
    let window = context.traits.payment.chargeKeyWindow
    guard window > .zero, let sent = row.charge.firstSentAt else { return false }
    return now.time + context.settings.callTotalTimeout + context.settings.notAfterMargin < sent + window
  }

  private func notCharged(_ reason: EndReason, _ now: SagaNow) -> Move {
    .write(
      draft("not charged", [.init("reason", reason.rawValue)], now) { row in
        row.charge.status = .absent
        row.state = .releasing(reason)
      })
  }

  /// The customer would have to act: the open intent is cancelled before the attempt may fail.
  mutating func cancelIntent(_ chargeID: String, _ now: SagaNow) -> Move {
    if memory.voidWasRefused { return lookUpCharge() }
    memory.compensationIsFresh = false
    return .call(
      SagaCall(operation: .void, key: key(.void), command: .payment(.void(chargeID: chargeID)), notAfter: nil))
  }
}
