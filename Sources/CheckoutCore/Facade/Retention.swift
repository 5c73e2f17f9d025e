// What may be forgotten of an attempt once it is old, and what never.

/// What a purge does with an attempt.
package enum Retention: Hashable, Sendable {
  /// Nothing: it is young, open, owed, pending, parked or watched.
  case untouched
  /// The narrow row is kept: who, which key, fingerprint, result and provider ids, so that a repeat is still answered as
  /// before (`replayed`, `idempotency_conflict`, `already_paid`, `checkout_closed`). The rest is forgotten.
  case narrow(Attempt)
  /// Nothing is kept: it ended and no money ever moved. Its key and its checkout may be used again, as they could before.
  case removed
}

extension Attempt {
  /// What a purge of everything last written before `age` does with this attempt.
  package func retention(olderThan age: Timestamp) -> Retention {
    guard hasEnded, updatedAt < age, (endedAt ?? updatedAt) < age, parked == nil, watch == nil, !charge.isOpen,
      !owesLateStock, !holds.contains(where: { $0.status == .intended })
    else { return .untouched }
    if let compensation {
      guard case .done = compensation.status else { return .untouched }
    }
    if !blocksCheckout { return .removed }
    return narrowed.map { .narrow($0) } ?? .untouched
  }

  /// The attempt without its request's body. Nil: never, because what is left keeps every promise of a validated request.
  private var narrowed: Attempt? {
    let old = request.request
    let absent = "-"
    let body = CheckoutRequest(
      identity: identity, accountID: absent, email: nil, locale: nil, currency: old.currency,
      lines: [
        CheckoutRequest.Line(lineID: absent, sku: absent, quantity: 1, unitPriceMinor: amount.minor, title: nil)
      ],
      discounts: [], taxMinor: 0, shippingMinor: 0, expectedTotalMinor: amount.minor,
      shippingAddress: CheckoutRequest.Address(
        name: absent, line1: absent, line2: nil, city: absent, region: nil, postalCode: nil, country: absent),
      payment: CheckoutRequest.Payment(
        methodToken: absent, methodType: absent, capture: old.payment?.capture ?? .automatic),
      requestedAt: old.requestedAt, expiresAt: nil, livemode: old.livemode)
    guard let request = ValidatedRequest(readmitting: body) else { return nil }
    var row = Attempt(
      restoring: request, origin: origin, fingerprint: fingerprint, trace: nil, createdAt: createdAt, owedBy: owedBy)
    row.version = version
    row.epoch = epoch
    row.custody = custody
    row.waiting = waiting
    row.state = state
    row.holds = holds
    row.charge = charge
    row.compensation = compensation
    row.receipt = receipt
    row.cancel = cancel
    row.parkedNotices = parkedNotices
    row.receiptPendingNotices = receiptPendingNotices
    row.updatedAt = updatedAt
    row.endedAt = endedAt
    return row
  }
}
