// What a service can answer, as values. "We do not know" is an answer of its own and never a failure.

/// How a call that was certainly not carried out may go on.
package enum Retriability: Hashable, Sendable {
  /// The same call may work later.
  case transient
  /// The same call will be refused again.
  case permanent
}

/// What became of a call, when it is not one of its own results.
package enum CallTrouble: Hashable, Sendable {
  /// Certainly not carried out. `detail` is a short code or sentence without personal data.
  case notApplied(Retriability, detail: String)
  /// Carried out or not: nobody can tell from here (time-out after sending, lost connection, 5xx, 409 in flight).
  case unknown(detail: String)
  /// Never put on the wire: `notAfter` was past, or the call was withdrawn. Nothing can come of it.
  case notSent
  /// The service refuses us (401, 403, TLS, wrong path): its breaker opens; no checkout fails for it.
  case misconfigured(detail: String)
}

/// Answers to inventory calls.
package enum InventoryReply: Hashable, Sendable {
  /// The stock is held until `expiresAt` (the service's clock).
  case reserved(id: String, expiresAt: Timestamp)
  /// Nothing is held. `lines` are the `line_id`s that lack stock.
  case outOfStock(lines: [String])
  /// The hold is a sale now.
  case confirmed
  /// There is no such hold any more; nothing is held under this key.
  case gone
  /// The hold is given back (also when it was already gone).
  case released
  case trouble(CallTrouble)
}

/// Answers to payment calls. `chargeID` is the provider's id.
package enum PaymentReply: Hashable, Sendable {
  /// Money was taken: exactly `amount`.
  case captured(chargeID: String, amount: Amount)
  /// Money is held, none taken.
  case authorised(chargeID: String, amount: Amount)
  /// The provider refuses for good; `code` is its decline code, passed on.
  case declined(code: String)
  /// The customer must act (3-D Secure, redirect); nothing was taken, the intent `chargeID` is open.
  case actionRequired(chargeID: String)
  /// Look-up only: the provider is still working on it.
  case inProgress
  /// Look-up only: nothing is known under this key. May be wrong until `settle_after` has passed.
  case notFound
  /// A void, or the cancelling of an open intent, took effect; nothing is held any more.
  case voided
  /// A void or cancel is refused because money was taken meanwhile.
  case voidRefused(detail: String)
  /// A refund took effect.
  case refunded(refundID: String, amount: Amount)
  case trouble(CallTrouble)
}

/// Answers to receipt calls.
package enum ReceiptReply: Hashable, Sendable {
  case created(url: String)
  case trouble(CallTrouble)
}
