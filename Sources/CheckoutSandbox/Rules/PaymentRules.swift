// The payment service: charges, what became of them, voids and refunds.

package import CheckoutCore

extension SandboxRules {
  /// Carries out one call to the payment service.
  package func perform(
    _ call: GatewayCall<PaymentCommand>, in store: any SandboxStore, at now: Timestamp
  )
    throws(LedgerProblem) -> SandboxAnswer<PaymentReply>
  {
    if case .lookUp = call.command { return SandboxAnswer(try lookUp(call.key, in: store, at: now)) }
    switch try check(call.key, content: PaymentContent.text(call.command), in: store, at: now) {
    case .otherContent: return SandboxAnswer(.trouble(Self.keyReused))
    case .inProgress: return SandboxAnswer(.trouble(Self.inFlight))
    case .known(let record): return SandboxAnswer(try reply(of: record, in: store))
    case .proceed(let record): return try carryOut(call, record: record, in: store, at: now)
    }
  }

  private func carryOut(
    _ call: GatewayCall<PaymentCommand>, record: KeyRecord, in store: any SandboxStore, at now: Timestamp
  ) throws(LedgerProblem) -> SandboxAnswer<PaymentReply> {
    var record = record
    let lost = SandboxAnswer(
      PaymentReply.trouble(.unknown(detail: "no answer in time")), after: settings.lostReplyAfter)
    switch call.command {
    case .lookUp: return SandboxAnswer(try lookUp(call.key, in: store, at: now))
    case .charge(let amount, let checkoutID, let reservationID, let token, let capture):
      let magic = MagicToken(rawValue: token)
      if record.sends == 1, magic == .unknownAbsent || magic == .transientOnce {
        try store.put(record)
        return magic == .unknownAbsent ? lost : SandboxAnswer(.trouble(.notApplied(.transient, detail: "try again")))
      }
      let checkout = CheckoutKey(merchantID: call.merchantID, checkoutID: checkoutID)
      let order = ChargeOrder(
        amount: amount, checkout: checkout, reservationID: reservationID, magic: magic, capture: capture)
      try charge(order, record: &record, in: store, at: now)
      try store.put(record)
      // Whoever waits longer than the client does has heard nothing.
      if magic == .unknownCaptured || record.readyAt - now > settings.lostReplyAfter { return lost }
      return SandboxAnswer(try reply(of: record, in: store), after: record.readyAt - now)
    case .void(let chargeID):
      try void(chargeID, record: &record, in: store, at: now)
      try store.put(record)
      return SandboxAnswer(try reply(of: record, in: store))
    case .refund(let chargeID, let amount):
      let loses = try refund(chargeID, amount, record: &record, in: store, at: now)
      try store.put(record)
      return loses ? lost : SandboxAnswer(try reply(of: record, in: store))
    }
  }

  /// What was refused for good has left nothing behind to be found, as at real providers; only sending it again tells.
  private func lookUp(
    _ key: ProviderKey, in store: any SandboxStore, at now: Timestamp
  )
    throws(LedgerProblem) -> PaymentReply
  {
    guard let record = try remembered(key.text, in: store, at: now), record.outcome != .none,
      record.outcome != .refused, now >= record.firstAt + settings.lookUpLag
    else { return .notFound }
    return now < record.readyAt ? .inProgress : try reply(of: record, in: store)
  }

  /// The answer a key stands for; of a charge, what it is now.
  private func reply(of record: KeyRecord, in store: any SandboxStore) throws(LedgerProblem) -> PaymentReply {
    switch record.outcome {
    case .charged: return try ChargeStatus(of: store.entries(ofObject: record.object)).reply(chargeID: record.object)
    case .declined: return .declined(code: record.detail)
    case .voided: return .voided
    case .voidRefused: return .voidRefused(detail: record.detail)
    case .refunded:
      guard let amount = record.amount else { return .trouble(.unknown(detail: "the ledger lacks an amount")) }
      return .refunded(refundID: record.object, amount: amount)
    case .none, .reserved, .outOfStock, .confirmed, .gone, .released, .receipted, .refused:
      return .trouble(.notApplied(.permanent, detail: record.detail))
    }
  }

  private func charge(
    _ order: ChargeOrder, record: inout KeyRecord, in store: any SandboxStore, at now: Timestamp
  ) throws(LedgerProblem) {
    record.readyAt = order.magic == .slow ? now + settings.slowChargeAfter : now
    record.object = try objectID("ch", record, in: store)
    record.outcome = .charged
    var kind = order.capture == .manual ? LedgerEntry.Kind.authorised : .captured
    var amount: Amount? = order.amount
    switch order.magic {
    case .declinedFunds, .declinedExpired:
      record.outcome = .declined
      record.detail = order.magic == .declinedFunds ? "insufficient_funds" : "expired_card"
      (kind, amount) = (.declined, nil)
    case .refused:
      record.outcome = .refused
      record.detail = "the payment method cannot be used here"
      return
    case .actionRequired: (kind, amount) = (.actionRequired, nil)
    case .partial60: amount = order.amount.sixtyPercent
    case .voidRefused: kind = .authorised
    case .slow, .unknownCaptured, .unknownAbsent, .transientOnce, .refundLost, .refundDeclined, nil: break
    }
    try store.append(
      LedgerEntry(
        kind: kind, key: record.key, merchantID: order.checkout.merchantID, checkoutID: order.checkout.checkoutID,
        object: record.object, parent: order.reservationID, amount: amount,
        detail: record.detail.isEmpty ? order.magic?.rawValue ?? "" : record.detail, at: record.readyAt))
  }

  private func void(
    _ chargeID: String, record: inout KeyRecord, in store: any SandboxStore, at now: Timestamp
  )
    throws(LedgerProblem)
  {
    let entries = try store.entries(ofObject: chargeID)
    switch (ChargeStatus(of: entries), entries.first) {
    case (.captured, _): record.refuseVoid("it was captured")
    case (.authorised(let amount), let first?) where first.detail == MagicToken.voidRefused.rawValue:
      // The merchant's capture came first.
      try store.append(first.followed(by: .captured, key: record.key, amount: amount, at: now))
      record.refuseVoid("it was captured")
    case (.authorised(let amount), let first?):
      record.outcome = .voided
      try store.append(first.followed(by: .voided, key: record.key, amount: amount, at: now))
    case (.actionRequired, let first?):
      record.outcome = .voided
      try store.append(first.followed(by: .voided, key: record.key, at: now))
    case (.voided, _): record.outcome = .voided
    case (.authorised, nil), (.actionRequired, nil), (.none, _):
      record.outcome = .refused
      record.detail = "no such charge"
    }
  }

  /// True if the refund is done and its reply is lost.
  private func refund(
    _ chargeID: String, _ amount: Amount, record: inout KeyRecord, in store: any SandboxStore, at now: Timestamp
  ) throws(LedgerProblem) -> Bool {
    let entries = try store.entries(ofObject: chargeID)
    guard let first = entries.first, case .captured(let captured, let refunded) = ChargeStatus(of: entries),
      captured.currency == amount.currency, amount.minor > 0, amount.minor <= captured.minor - refunded
    else {
      record.outcome = .refused
      record.detail = "more than was captured and not yet refunded"
      return false
    }
    if first.detail == MagicToken.refundDeclined.rawValue {
      record.outcome = .refused
      record.detail = "the bank refuses the refund"
      return false
    }
    record.outcome = .refunded
    record.amount = amount
    record.object = try objectID("re", record, in: store)
    try store.append(first.followed(by: .refunded, key: record.key, amount: amount, at: now))
    return first.detail == MagicToken.refundLost.rawValue
  }
}

/// A charge to be made.
private struct ChargeOrder {
  let amount: Amount
  let checkout: CheckoutKey
  let reservationID: String
  let magic: MagicToken?
  let capture: CheckoutRequest.Capture
}

extension KeyRecord {
  fileprivate mutating func refuseVoid(_ detail: String) {
    outcome = .voidRefused
    self.detail = detail
  }
}

extension Amount {
  /// Three fifths, rounded down.
  fileprivate var sixtyPercent: Amount { Amount(minor: minor / 5 * 3 + minor % 5 * 3 / 5, currency: currency) }
}

/// What a charge is after all its effects.
package enum ChargeStatus: Hashable, Sendable {
  case none
  /// Taken, of which so many minor units were given back.
  case captured(Amount, refundedMinor: Int64)
  case authorised(Amount)
  case actionRequired
  case voided

  /// Follows from the charge's entries, oldest first.
  package init(of entries: [LedgerEntry]) {
    self = .none
    for entry in entries {
      switch (entry.kind, entry.amount) {
      case (.captured, let amount?): self = .captured(amount, refundedMinor: 0)
      case (.authorised, let amount?): self = .authorised(amount)
      case (.actionRequired, _): self = .actionRequired
      case (.voided, _): self = .voided
      case (.refunded, let amount?):
        if case .captured(let captured, let refunded) = self {
          self = .captured(captured, refundedMinor: refunded + amount.minor)
        }
      case (.reserved, _), (.confirmed, _), (.released, _), (.declined, _), (.receipted, _), (.captured, nil),
        (.authorised, nil), (.refunded, nil):
        break
      }
    }
  }

  func reply(chargeID: String) -> PaymentReply {
    switch self {
    case .none: .trouble(.unknown(detail: "the ledger lacks the charge"))
    case .captured(let amount, _): .captured(chargeID: chargeID, amount: amount)
    case .authorised(let amount): .authorised(chargeID: chargeID, amount: amount)
    case .actionRequired: .actionRequired(chargeID: chargeID)
    case .voided: .voided
    }
  }
}

/// What makes two payment calls the same.
private enum PaymentContent {
  static func text(_ command: PaymentCommand) -> String {
    switch command {
    case .charge(let amount, let checkoutID, let reservationID, let token, let capture):
      "charge \(checkoutID)\n\(reservationID)\n\(token)\n\(capture.rawValue)\n\(amount.minor) \(amount.currency.code)"
    case .lookUp: "look up"
    case .void(let chargeID): "void \(chargeID)"
    case .refund(let chargeID, let amount): "refund \(chargeID)\n\(amount.minor) \(amount.currency.code)"
    }
  }
}
