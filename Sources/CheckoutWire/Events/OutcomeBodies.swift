// What an ended or waiting attempt says about itself, read off the journal's row alone.
package import CheckoutCore

extension JSONWriter {
  /// The body of `checkout.completed`, `checkout.failed` or `checkout.cancelled`, by the event's type.
  mutating func outcome(_ attempt: Attempt, type: EventType) {
    switch type {
    case .completed: completed(attempt)
    case .cancelled: cancelled(attempt)
    case .failed: failed(attempt)
    case .requested, .cancelRequested, .validated, .refused, .rejected, .receiptPendingNotice, .parked,
      .receiptPending, .chargeUnknown, .reservePending, .compensationPending, .parkedRetry, .parkedResolve:
      preconditionFailure("an attempt's outcome is completed, failed or cancelled")
    }
  }

  private mutating func completed(_ attempt: Attempt) {
    amount(attempt)
    payment(attempt)
    field("reservation_id", ifPresent: attempt.reservationID)
    field("receipt_url", ifPresent: attempt.receipt.url)
    field("completed_at", ifPresent: attempt.endedAt.map(RFC3339.text))
    cancelAfterwards(attempt)
  }

  // A person may close an attempt as completed although the customer had cancelled it.
  private mutating func cancelAfterwards(_ attempt: Attempt) {
    field("cancel_reason", ifPresent: attempt.cancel?.reason)
  }

  private mutating func failed(_ attempt: Attempt) {
    field("code", endReason(attempt).rawValue)
    amount(attempt)
    field("charged", attempt.heldMoneyAtEnd)
    if case .declined(let code) = attempt.charge.status { field("decline_code", code) }
    if !attempt.outOfStockLines.isEmpty {
      key("out_of_stock")
      beginArray()
      for line in attempt.outOfStockLines { string(line) }
      endArray()
    }
    undone(attempt)
    field("failed_at", ifPresent: attempt.endedAt.map(RFC3339.text))
  }

  private mutating func cancelled(_ attempt: Attempt) {
    amount(attempt)
    field("reason", ifPresent: attempt.cancel?.reason)
    field("charged", attempt.heldMoneyAtEnd)
    undone(attempt)
    field("receipt_url", ifPresent: attempt.receipt.url)
    field("cancelled_at", ifPresent: attempt.endedAt.map(RFC3339.text))
  }

  /// The body of the notice `checkout.receipt_pending`.
  mutating func receiptPendingNotice(_ attempt: Attempt) {
    amount(attempt)
    payment(attempt)
    field("reservation_id", ifPresent: attempt.reservationID)
    field("replayed", false)
  }

  /// The body of the notice `checkout.parked`.
  mutating func parkedNotice(_ attempt: Attempt) {
    field("reason", attempt.parked?.reason.rawValue ?? ParkReason.journalRefused.rawValue)
    field("state", attempt.state.name)
    field("holds_money", attempt.holdsMoney)
    amount(attempt)
    payment(attempt)
    key("open_obligations")
    beginArray()
    for obligation in attempt.openObligations { string(obligation.rawValue) }
    endArray()
    field("detail", attempt.parked?.detail ?? "")
    field("row_version", attempt.version)
    field("parked_at", ifPresent: (attempt.parked?.at).map(RFC3339.text))
    field("receipt_url", ifPresent: attempt.receipt.url)
    field("replayed", false)
  }

  /// Members `amount_minor` and `currency` of an open object: what has to be paid.
  package mutating func amount(_ attempt: Attempt) {
    field("amount_minor", attempt.amount.minor)
    field("currency", attempt.amount.currency.code)
  }

  /// Members `payment_status`, `captured_minor` and `charge_id` of an open object: what is known of the money.
  package mutating func payment(_ attempt: Attempt) {
    switch attempt.charge.status {
    case .captured(let id, let amount):
      field("payment_status", "captured")
      field("captured_minor", amount.minor)
      field("charge_id", id)
    case .authorised(let id, _):
      field("payment_status", "authorised")
      field("captured_minor", 0)
      field("charge_id", id)
    case .notRequired:
      field("payment_status", "not_required")
      field("captured_minor", 0)
    case .sent:
      field("payment_status", "unknown")
      field("captured_minor", 0)
    case .actionRequired(let id):
      field("payment_status", "action_required")
      field("captured_minor", 0)
      field("charge_id", id)
    case .none, .declined, .refused, .absent:
      field("payment_status", "none")
      field("captured_minor", 0)
    }
  }

  // What was given back: stock, and money with its amount and ids.
  private mutating func undone(_ attempt: Attempt) {
    field("released", attempt.holds.contains { $0.status == .released })
    field("reservation_id", ifPresent: attempt.reservationID)
    guard let compensation = attempt.compensation else {
      field("voided", false)
      field("refunded_minor", 0)
      return
    }
    let isDone = if case .done = compensation.status { true } else { false }
    field("voided", isDone && compensation.kind == .void)
    field("refunded_minor", isDone && compensation.kind == .refund ? compensation.amount.minor : 0)
    field("charge_id", compensation.chargeID)
    if case .done(let reference) = compensation.status, !reference.isEmpty {
      field("refund_id", reference)
    }
  }

  private func endReason(_ attempt: Attempt) -> EndReason {
    switch attempt.state {
    case .failed(let reason), .releasing(let reason), .refunding(let reason): reason
    case .reserving, .charging, .receipting, .receiptPending, .completed, .cancelled: .closedByPerson
    }
  }
}

/// What is still owed for an attempt; names for people, on the wire of `checkout.parked`.
package enum Obligation: String, Hashable, CaseIterable, Sendable {
  case settleReserve = "settle_reserve"
  case settleCharge = "settle_charge"
  case cancelIntent = "cancel_intent"
  case confirm
  case receipt
  case void
  case refund
  case release
}

extension Attempt {
  /// The latest hold the service ever gave; nil if none.
  package var reservationID: String? { holds.last { $0.reservationID != nil }?.reservationID }

  /// In the order in which they would be worked off.
  package var openObligations: [Obligation] {
    var open: [Obligation] = []
    if holds.contains(where: { $0.status == .intended }) { open.append(.settleReserve) }
    switch charge.status {
    case .sent: open.append(.settleCharge)
    case .actionRequired: open.append(.cancelIntent)
    case .none, .notRequired, .captured, .authorised, .declined, .refused, .absent: break
    }
    for owed in [compensation, watch?.owed].compactMap({ $0 }) {
      if case .done = owed.status { continue }
      open.append(owed.kind == .void ? .void : .refund)
    }
    switch state {
    case .receipting, .receiptPending:
      if hold.status == .held { open.append(.confirm) }
      if receipt.url == nil { open.append(.receipt) }
    case .releasing, .refunding:
      if holds.contains(where: { $0.status == .held || $0.status == .confirmed }) { open.append(.release) }
    case .reserving, .charging, .completed, .failed, .cancelled: break
    }
    return open
  }
}
