// The keys of attempts and checkouts, equal only if equal to the byte. Swift's own equality of strings is Unicode's: `é`
// written as one scalar equals `e` with an accent, while the journal, the fingerprint and every provider see two keys.

/// Who and what a request is about: one attempt to pay one checkout of one merchant.
package struct AttemptIdentity: Hashable, Sendable {
  /// Scope of both other parts.
  package let merchantID: String
  /// The order; paid at most once ever per merchant.
  package let checkoutID: String
  /// The attempt; the same key is the same attempt.
  package let idempotencyKey: String

  package init(merchantID: String, checkoutID: String, idempotencyKey: String) {
    self.merchantID = merchantID
    self.checkoutID = checkoutID
    self.idempotencyKey = idempotencyKey
  }

  /// The journal's key of the attempt.
  package var attemptID: AttemptID { AttemptID(merchantID: merchantID, idempotencyKey: idempotencyKey) }
  /// The journal's key of the checkout.
  package var checkout: CheckoutKey { CheckoutKey(merchantID: merchantID, checkoutID: checkoutID) }
}

/// An attempt's key: (`merchant_id`, `idempotency_key`).
package struct AttemptID: Hashable, Sendable {
  /// Scope of the idempotency key.
  package let merchantID: String
  /// 16 to 255 characters; one attempt to pay.
  package let idempotencyKey: String

  package init(merchantID: String, idempotencyKey: String) {
    self.merchantID = merchantID
    self.idempotencyKey = idempotencyKey
  }
}

/// A checkout's key: (`merchant_id`, `checkout_id`).
package struct CheckoutKey: Hashable, Sendable {
  /// Scope of the checkout's id.
  package let merchantID: String
  /// The order, 1 to 128 printable ASCII characters.
  package let checkoutID: String

  package init(merchantID: String, checkoutID: String) {
    self.merchantID = merchantID
    self.checkoutID = checkoutID
  }
}

extension AttemptIdentity {
  package static func == (left: AttemptIdentity, right: AttemptIdentity) -> Bool {
    left.merchantID.isSame(as: right.merchantID) && left.checkoutID.isSame(as: right.checkoutID)
      && left.idempotencyKey.isSame(as: right.idempotencyKey)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combineExact(merchantID)
    hasher.combineExact(checkoutID)
    hasher.combineExact(idempotencyKey)
  }
}

extension AttemptID {
  package static func == (left: AttemptID, right: AttemptID) -> Bool {
    left.merchantID.isSame(as: right.merchantID) && left.idempotencyKey.isSame(as: right.idempotencyKey)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combineExact(merchantID)
    hasher.combineExact(idempotencyKey)
  }
}

extension CheckoutKey {
  package static func == (left: CheckoutKey, right: CheckoutKey) -> Bool {
    left.merchantID.isSame(as: right.merchantID) && left.checkoutID.isSame(as: right.checkoutID)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combineExact(merchantID)
    hasher.combineExact(checkoutID)
  }
}

extension String {
  /// Equal to the byte. Of ASCII the standard comparison says that too, and much faster.
  fileprivate func isSame(as other: String) -> Bool {
    guard self == other else { return false }
    return utf8Span.isKnownASCII && other.utf8Span.isKnownASCII || utf8.elementsEqual(other.utf8)
  }
}

extension Hasher {
  fileprivate mutating func combineExact(_ text: String) {
    // The standard hash is the same for equal bytes, which is all a hash owes, and takes them many at a time.
    combine(text)
  }
}
