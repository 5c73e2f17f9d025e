// States receipting and receiptPending: the hold becomes a sale, the customer gets one receipt. Both are repeated under
// their keys after a crash.

extension Saga {
  mutating func nextReceipting(_ now: SagaNow) -> Move {
    if row.cancel != nil { return undoCancelled(receipt: nil, now) }
    switch row.hold.status {
    case .intended: return reserve()
    case .held:
      if context.traits.inventoryConfirms, !memory.confirmed { return confirm() }
    case .confirmed: break
    case .gone, .refused, .released:
      var draft = draft("hold gone", [], now) { _ in }
      undo(.reservationExpired, in: &draft, now)
      return .write(draft)
    }
    return createReceipt(now)
  }

  /// The cancellation was recorded before the end: paid or not, receipt or not, all is undone. A receipt that turned up
  /// is noted.
  private func undoCancelled(receipt url: String?, _ now: SagaNow) -> Move {
    let detail = url.map { [Step.Detail("receipt", $0)] } ?? []
    var draft = draft("cancelled while receipting", detail, now) { $0.receipt.url = url ?? $0.receipt.url }
    undo(.cancelled, in: &draft, now)
    return .write(draft)
  }

  private func confirm() -> Move {
    .call(
      SagaCall(
        operation: .confirm, key: key(.confirm, generation: row.hold.generation),
        command: .inventory(.confirm(reservationID: row.hold.reservationID ?? "")), notAfter: nil))
  }

  mutating func answerConfirm(_ reply: InventoryReply, _ now: SagaNow) -> Move {
    switch reply {
    case .confirmed:
      memory.confirmed = true
      return next(now)
    case .gone: return holdGone(now)
    case .trouble(.notApplied(.permanent, let detail)):
      return row.cancel != nil ? undoCancelled(receipt: nil, now) : park(.confirmRefused, detail: detail, now)
    case .trouble(let trouble): return again(.confirm, note(trouble), now)
    case .reserved, .outOfStock, .released: return again(.confirm, "unexpected answer to a confirm", now)
    }
  }

  /// Paid, but the hold ran out: reserve again under the next generation, else give the money back.
  private mutating func holdGone(_ now: SagaNow) -> Move {
    let last = row.holds.count - 1
    var draft = draft("hold gone", [.init("generation", "\(row.hold.generation)")], now) {
      $0.holds[last].status = .gone
    }
    if row.holds.count < 3 {
      draft.row.holds.append(Hold(generation: row.hold.generation + 1, status: .intended))
      draft.isNewGeneration = true
    } else {
      undo(.reservationExpired, in: &draft, now)
    }
    return .write(draft)
  }

  private mutating func createReceipt(_ now: SagaNow) -> Move {
    if let url = row.receipt.url { return complete(receipt: url, now) }
    guard let sent = row.receipt.firstSentAt else { return intendReceipt(now) }
    let window = context.receiptKeyWindow
    if !context.isInside(window, since: sent, now) {
      if memory.receiptMayBeSent {
        return park(.receiptUnknown, detail: "a receipt may have been sent, and its key may be forgotten", now)
      }
      if window != nil, sent < now.time { return intendReceipt(now) }
    }
    let chargeID: String? =
      switch row.charge.status {
      case .captured(let id, _), .authorised(let id, _): id
      case .none, .notRequired, .sent, .declined, .actionRequired, .refused, .absent: nil
      }
    return .call(
      SagaCall(
        operation: .receipt, key: key(.receipt),
        command: .receipt(.create(chargeID: chargeID, amount: row.amount, request: row.request)),
        notAfter: window.map { sent + $0 }))
  }

  /// No receipt can have been sent so far: from here on one can.
  private func intendReceipt(_ now: SagaNow) -> Move {
    var draft = draft("receipt", [.init("key", key(.receipt).text)], now) { $0.receipt.firstSentAt = now.time }
    draft.isProgress = false
    draft.row.retry = row.retry
    return .write(draft)
  }

  mutating func answerReceipt(_ reply: ReceiptReply, _ now: SagaNow) -> Move {
    switch reply {
    case .created(let url):
      return row.cancel != nil ? undoCancelled(receipt: url, now) : complete(receipt: url, now)
    case .trouble(.notApplied(.permanent, let detail)):
      return row.cancel != nil ? undoCancelled(receipt: nil, now) : park(.receiptRefused, detail: detail, now)
    case .trouble(.unknown(let detail)):
      memory.receiptMayBeSent = true
      return again(.receipt, note(.unknown(detail: detail)), now)
    case .trouble(let trouble): return again(.receipt, note(trouble), now)
    }
  }

  private func complete(receipt url: String, _ now: SagaNow) -> Move {
    var draft = draft("completed", [.init("receipt", url)], now) { row in
      row.receipt.url = url
      row.state = .completed
      row.endedAt = now.time
      row.owner = nil
    }
    draft.end = .ended
    return .write(draft)
  }
}
