// Definite answers that come when the row is no longer ours: stored without looking at the epoch, and acted on by the
// present owner or the sweep. Payment only moves forward.

extension Saga {
  /// The row with a late definite answer in it; nil if the answer says nothing new or nothing definite.
  func lateDraft(_ reply: Reply, to call: SagaCall, in current: Attempt, _ now: SagaNow) -> Draft? {
    var row = current
    switch reply {
    case .payment(let reply):
      guard storeLate(reply, to: call, in: &row, now) else { return nil }
    case .receipt(.created(let url)):
      guard row.receipt.url == nil else { return nil }
      row.receipt.url = url
    case .inventory(.reserved(let id, let expiresAt)):
      guard storeLateHold(id, expiresAt, to: call, in: &row, now) else { return nil }
    case .inventory, .receipt: return nil
    }
    row.version = current.version + 1
    row.updatedAt = now.time
    return Draft(row: row, steps: [Step("late answer", [.init("operation", call.operation.rawValue)])], end: nil)
  }

  /// Stock that was held although the attempt gave up on it. An open attempt gives it back with the rest; one that ended unpaid
  /// owes that, as an obligation of its own.
  private func storeLateHold(
    _ id: String, _ expiresAt: Timestamp, to call: SagaCall, in row: inout Attempt, _ now: SagaNow
  ) -> Bool {
    guard let index = row.holds.firstIndex(where: { key(.reserve, generation: $0.generation) == call.key }),
      row.holds[index].status == .intended || row.holds[index].status == .refused, row.state != .completed
    else { return false }
    row.holds[index].status = .held
    row.holds[index].reservationID = id
    row.holds[index].expiresAt = expiresAt
    if row.hasEnded {
      row.watch = Watch(lookUpsDone: row.watch?.lookUpsDone ?? 0, nextAt: now.time, owed: row.watch?.owed)
    }
    return true
  }

  private func storeLate(_ reply: PaymentReply, to call: SagaCall, in row: inout Attempt, _ now: SagaNow) -> Bool {
    switch reply {
    case .captured(let id, let amount):
      return storeLateMoney(.captured(chargeID: id, amount: amount), .refund, id, amount, in: &row, now)
    case .authorised(let id, let amount):
      return storeLateMoney(.authorised(chargeID: id, amount: amount), .void, id, amount, in: &row, now)
    case .declined(let code):
      guard row.state == .charging, row.charge.status == .sent else { return false }
      row.charge.status = .declined(code: code)
      return true
    case .actionRequired(let id):
      guard row.state == .charging, row.charge.status == .sent else { return false }
      row.charge.status = .actionRequired(chargeID: id)
      return true
    case .voided: return storeLateCompensation(.void, nil, reference: "", in: &row)
    case .refunded(let reference, let amount):
      return storeLateCompensation(.refund, amount, reference: reference, in: &row)
    case .trouble(.notSent):
      // Certainly never sent, and the only send there was: the intent is taken back, so that nobody has to look it up.
      guard call.operation == .charge, !call.isLookUp, row.state == .charging, row.charge.status == .sent,
        row.epoch == self.row.epoch, row.charge.firstSentAt == row.charge.lastSentAt, !memory.chargeEverUnknown
      else { return false }
      row.charge = Charge()
      return true
    case .inProgress, .notFound, .voidRefused, .trouble: return false
    }
  }

  /// Money that turns up late. An open attempt takes note of it; one that was on its way to an unpaid end, or there
  /// already, owes it back.
  private func storeLateMoney(
    _ status: Charge.Status, _ kind: Compensation.Kind, _ chargeID: String, _ amount: Amount,
    in row: inout Attempt, _ now: SagaNow
  ) -> Bool {
    switch row.charge.status {
    case .captured: return false
    case .authorised: if kind == .void { return false }
    case .none, .notRequired, .sent, .declined, .actionRequired, .refused, .absent: break
    }
    switch row.state {
    case .charging, .receipting, .receiptPending, .refunding:
      row.charge.status = status
    case .reserving, .releasing:
      let reason: EndReason = if case .releasing(let reason) = row.state { reason } else { .paymentUnavailable }
      row.charge.status = status
      row.state = .refunding(reason)
      row.compensation = Compensation(kind: kind, chargeID: chargeID, amount: amount)
    case .completed:
      // Paid is what it is: an authorisation captured since is the merchant's doing, and nothing is owed back.
      guard row.charge.status == .sent else { return false }
      row.charge.status = status
    case .failed, .cancelled:
      guard row.watch?.owed == nil else { return false }
      row.watch = Watch(
        lookUpsDone: row.watch?.lookUpsDone ?? 0, nextAt: now.time,
        owed: Compensation(kind: kind, chargeID: chargeID, amount: amount))
    }
    return true
  }

  /// Only what answers the debt as it is now: of its kind and, for a refund, of exactly its amount.
  private func storeLateCompensation(
    _ kind: Compensation.Kind, _ amount: Amount?, reference: String, in row: inout Attempt
  ) -> Bool {
    let debt = row.hasEnded ? row.watch?.owed : row.compensation
    guard let debt, debt.kind == kind, amount ?? debt.amount == debt.amount else { return false }
    if row.hasEnded, let owed = row.watch?.owed {
      if case .done = owed.status { return false }
      row.watch?.owed?.status = .done(reference: reference)
      row.watch?.nextAt = .distantFuture
      return true
    }
    guard let compensation = row.compensation else { return false }
    switch compensation.status {
    case .done: return false
    case .owed, .sent, .refused:
      row.compensation?.status = .done(reference: reference)
      return true
    }
  }
}
