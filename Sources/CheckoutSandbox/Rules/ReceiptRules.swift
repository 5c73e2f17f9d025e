// The receipt service: one receipt for each key.

package import CheckoutCore

extension SandboxRules {
  /// Carries out one call to the receipt service.
  package func perform(
    _ call: GatewayCall<ReceiptCommand>, in store: any SandboxStore, at now: Timestamp
  )
    throws(LedgerProblem) -> SandboxAnswer<ReceiptReply>
  {
    switch call.command {
    case .create(let chargeID, let amount, let request):
      let order = ReceiptOrder(
        chargeID: chargeID, amount: amount, merchantID: call.merchantID, checkoutID: request.identity.checkoutID,
        email: request.request.email)
      return try create(order, key: call.key, in: store, at: now)
    }
  }

  private func create(
    _ order: ReceiptOrder, key: ProviderKey, in store: any SandboxStore, at now: Timestamp
  )
    throws(LedgerProblem) -> SandboxAnswer<ReceiptReply>
  {
    switch try check(key, content: order.content, in: store, at: now) {
    case .otherContent: return SandboxAnswer(.trouble(Self.keyReused))
    case .inProgress: return SandboxAnswer(.trouble(Self.inFlight))
    case .known(let record): return SandboxAnswer(reply(of: record))
    case .proceed(var record):
      let magic = MagicEmail(address: order.email)
      if magic == .failThrice, record.sends <= 3 {
        try store.put(record)
        return SandboxAnswer(.trouble(.notApplied(.transient, detail: "try again later")))
      }
      if magic == .permanent {
        record.outcome = .refused
        record.detail = "the address is refused"
      } else {
        try send(order, record: &record, in: store, at: now)
      }
      try store.put(record)
      if magic == .lostReply {
        return SandboxAnswer(.trouble(.unknown(detail: "no answer in time")), after: settings.lostReplyAfter)
      }
      return SandboxAnswer(reply(of: record))
    }
  }

  private func send(
    _ order: ReceiptOrder, record: inout KeyRecord, in store: any SandboxStore, at now: Timestamp
  )
    throws(LedgerProblem)
  {
    record.object = try objectID("rcp", record, in: store)
    record.outcome = .receipted
    record.detail = "https://receipts.example/\(record.object)"
    try store.append(
      LedgerEntry(
        kind: .receipted, key: record.key, merchantID: order.merchantID, checkoutID: order.checkoutID,
        object: record.object, parent: order.chargeID, amount: order.amount, detail: record.detail, at: now))
  }

  private func reply(of record: KeyRecord) -> ReceiptReply {
    switch record.outcome {
    case .receipted: .created(url: record.detail)
    case .none, .reserved, .outOfStock, .confirmed, .gone, .released, .charged, .declined, .voided, .voidRefused,
      .refunded, .refused:
      .trouble(.notApplied(.permanent, detail: record.detail))
    }
  }
}

/// A receipt to be sent. The address is not part of the ledger.
private struct ReceiptOrder {
  let chargeID: String?
  let amount: Amount
  let merchantID: String
  let checkoutID: String
  let email: String?

  /// What makes two receipt calls the same.
  var content: String { "receipt \(checkoutID)\n\(chargeID ?? "-")\n\(amount.minor) \(amount.currency.code)" }
}
