// State reserving: hold the stock. Also used wherever stock is reserved again under the next generation's key.

extension Saga {
  /// `expires_at` still ahead? Then reserve. What may have been sent before is settled under its key first.
  mutating func nextReserving(_ now: SagaNow) -> Move {
    if !memory.reserveMayBeSent {
      if row.cancel != nil { return endUnpaid(.cancelled, holdRefused: true, now) }
      if isExpired(now.time) { return endUnpaid(.requestExpired, holdRefused: true, now) }
    }
    return reserve()
  }

  /// The reserve of the latest generation, always under the same key.
  mutating func reserve() -> Move {
    memory.reserveMayBeSent = true
    return .call(
      SagaCall(
        operation: .reserve, key: key(.reserve, generation: row.hold.generation),
        command: .inventory(
          .reserve(checkoutID: row.identity.checkoutID, lines: row.request.request.lines)), notAfter: nil))
  }

  mutating func answerReserve(_ reply: InventoryReply, _ now: SagaNow) -> Move {
    switch reply {
    case .reserved(let id, let expiresAt):
      return reserved(id, expiresAt, now)
    case .outOfStock(let lines):
      return unsettledReserve(now) ?? notReserved(.outOfStock, lines: lines, detail: "out of stock", now)
    case .trouble(.notApplied(.permanent, let detail)):
      return unsettledReserve(now) ?? notReserved(.inventoryRefused, lines: [], detail: detail, now)
    case .trouble(.notApplied(.transient, _)), .trouble(.misconfigured): break
    case .trouble(.unknown), .trouble(.notSent), .confirmed, .gone, .released: memory.reserveUnanswered = now.time
    }
    guard case .trouble(let trouble) = reply else {
      return again(.reserve, "unexpected answer to a reserve", now)
    }
    return again(.reserve, note(trouble), now)
  }

  /// A refusal settles nothing while an earlier call without an answer may still be carried out: its hold would stay for
  /// nobody. The same key is asked again when that is over.
  private mutating func unsettledReserve(_ now: SagaNow) -> Move? {
    guard let sentBefore = memory.reserveUnanswered else { return nil }
    let settledAt = sentBefore + context.reserveSettleAfter
    return now.time < settledAt ? .wait(until: settledAt) : nil
  }

  private func reserved(_ id: String, _ expiresAt: Timestamp, _ now: SagaNow) -> Move {
    let details = [Step.Detail("reservation", id), Step.Detail("generation", "\(row.hold.generation)")]
    switch row.state {
    case .reserving, .charging:
      var draft = draft("reserved", details, now) { row in
        row.setHold(id, expiresAt)
        row.state = .charging
      }
      intendCharge(&draft, now)
      return .write(draft)
    case .receipting, .receiptPending, .releasing, .refunding:
      return .write(draft("reserved", details, now) { $0.setHold(id, expiresAt) })
    case .completed, .failed, .cancelled:
      return .finish(.ended)
    }
  }

  private func notReserved(_ reason: EndReason, lines: [String], detail: String, _ now: SagaNow) -> Move {
    switch row.state {
    case .reserving:
      return endUnpaid(reason, holdRefused: true, lines: lines, now)
    case .charging:
      // A second generation found no stock: the first hold ran out, that is why the attempt ends.
      return .write(
        draft("not reserved again", [.init("detail", detail)], now) { row in
          row.refuseHold()
          row.outOfStockLines = lines
          row.release(.reservationExpired)
        })
    case .receipting, .receiptPending:
      var draft = draft("not reserved again", [.init("detail", detail)], now) { row in
        row.refuseHold()
        row.outOfStockLines = lines
      }
      undo(.reservationExpired, in: &draft, now)
      return .write(draft)
    case .releasing, .refunding:
      return .write(draft("nothing held", [.init("detail", detail)], now) { $0.refuseHold() })
    case .completed, .failed, .cancelled:
      return .finish(.ended)
    }
  }

  /// True if the request's `expires_at` has come.
  func isExpired(_ time: Timestamp) -> Bool {
    guard let expiresAt = row.request.request.expiresAt else { return false }
    return expiresAt <= time
  }

  /// True if the request outlives a charge sent now.
  func expiryAllowsCharge(_ now: SagaNow) -> Bool {
    guard let expiresAt = row.request.request.expiresAt else { return true }
    return expiresAt >= now.time + context.settings.chargeDeadline
  }

  /// What a service said, for the journal; remembers what kind of trouble it was.
  mutating func note(_ trouble: CallTrouble) -> String {
    memory.misconfigured = false
    switch trouble {
    case .notApplied(_, let detail): return detail
    case .unknown(let detail): return detail
    case .notSent: return "not sent"
    case .misconfigured(let detail):
      memory.misconfigured = true
      return "misconfigured: \(detail)"
    }
  }

  /// Nothing is held, nothing is charged: the end.
  func endUnpaid(
    _ reason: EndReason, holdRefused: Bool = false, lines: [String] = [], _ now: SagaNow
  ) -> Move {
    var draft = draft(row.cancel != nil ? "cancelled" : "failed", [.init("reason", reason.rawValue)], now) { row in
      if holdRefused { row.refuseHold() }
      row.outOfStockLines = lines.isEmpty ? row.outOfStockLines : lines
      row.endUnpaid(reason, at: now.time)
    }
    planWatch(&draft.row, now)
    draft.end = .ended
    return .write(draft)
  }
}

extension Attempt {
  mutating func setHold(_ id: String, _ expiresAt: Timestamp) {
    let last = holds.count - 1
    holds[last].status = .held
    holds[last].reservationID = id
    holds[last].expiresAt = expiresAt
  }

  mutating func refuseHold() {
    let last = holds.count - 1
    if holds[last].status == .intended { holds[last].status = .refused }
  }

  /// The end without payment: cancelled if a cancellation is recorded, else failed. A person's word stands.
  mutating func endUnpaid(_ reason: EndReason, at now: Timestamp) {
    let isCancelled = cancel != nil && reason != .closedByPerson || reason == .cancelled
    state = isCancelled ? .cancelled : .failed(reason)
    endedAt = now
    owner = nil
    retry = nil
  }
}
