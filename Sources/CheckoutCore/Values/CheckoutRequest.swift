// The request to pay, as decoded and before any rule has looked at it.

/// One request to pay for one checkout. Shapes and lengths are already right (decoding refuses the rest); amounts,
/// counts and lists are as sent, unchecked.
package struct CheckoutRequest: Hashable, Sendable {
  /// One line of the cart.
  package struct Line: Hashable, Sendable {
    package let lineID: String
    package let sku: String
    /// As sent; may be zero or negative before the `cart` check.
    package let quantity: Int64
    /// Minor units of `currency`; may be negative before the `money` check.
    package let unitPriceMinor: Int64
    package let title: String?

    package init(lineID: String, sku: String, quantity: Int64, unitPriceMinor: Int64, title: String?) {
      self.lineID = lineID
      self.sku = sku
      self.quantity = quantity
      self.unitPriceMinor = unitPriceMinor
      self.title = title
    }
  }

  /// One discount, in minor units, taken off the lines.
  package struct Discount: Hashable, Sendable {
    package let code: String
    package let amountMinor: Int64

    package init(code: String, amountMinor: Int64) {
      self.code = code
      self.amountMinor = amountMinor
    }
  }

  /// Where to send it; strings as sent, possibly empty.
  package struct Address: Hashable, Sendable {
    package let name: String
    package let line1: String
    package let line2: String?
    package let city: String
    package let region: String?
    package let postalCode: String?
    /// ISO 3166-1 alpha-2, as sent.
    package let country: String

    package init(
      name: String, line1: String, line2: String?, city: String, region: String?, postalCode: String?,
      country: String
    ) {
      self.name = name
      self.line1 = line1
      self.line2 = line2
      self.city = city
      self.region = region
      self.postalCode = postalCode
      self.country = country
    }
  }

  /// Whether the money is taken at once or only held.
  package enum Capture: String, Hashable, Sendable {
    case automatic
    case manual
  }

  /// How to pay: a provider's token, never a card number.
  package struct Payment: Hashable, Sendable {
    package let methodToken: String
    package let methodType: String
    package let capture: Capture

    package init(methodToken: String, methodType: String, capture: Capture) {
      self.methodToken = methodToken
      self.methodType = methodType
      self.capture = capture
    }
  }

  package let identity: AttemptIdentity
  package let accountID: String
  package let email: String?
  package let locale: String?
  /// As sent; three upper-case letters only after the `money` check.
  package let currency: String
  package let lines: [Line]
  package let discounts: [Discount]
  package let taxMinor: Int64
  package let shippingMinor: Int64
  package let expectedTotalMinor: Int64
  package let shippingAddress: Address?
  package let payment: Payment?
  package let requestedAt: Timestamp
  package let expiresAt: Timestamp?
  package let livemode: Bool

  package init(
    identity: AttemptIdentity, accountID: String, email: String?, locale: String?, currency: String, lines: [Line],
    discounts: [Discount], taxMinor: Int64, shippingMinor: Int64, expectedTotalMinor: Int64,
    shippingAddress: Address?, payment: Payment?, requestedAt: Timestamp, expiresAt: Timestamp?, livemode: Bool
  ) {
    self.identity = identity
    self.accountID = accountID
    self.email = email
    self.locale = locale
    self.currency = currency
    self.lines = lines
    self.discounts = discounts
    self.taxMinor = taxMinor
    self.shippingMinor = shippingMinor
    self.expectedTotalMinor = expectedTotalMinor
    self.shippingAddress = shippingAddress
    self.payment = payment
    self.requestedAt = requestedAt
    self.expiresAt = expiresAt
    self.livemode = livemode
  }
}

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
  package let merchantID: String
  package let idempotencyKey: String

  package init(merchantID: String, idempotencyKey: String) {
    self.merchantID = merchantID
    self.idempotencyKey = idempotencyKey
  }
}

/// A checkout's key: (`merchant_id`, `checkout_id`).
package struct CheckoutKey: Hashable, Sendable {
  package let merchantID: String
  package let checkoutID: String

  package init(merchantID: String, checkoutID: String) {
    self.merchantID = merchantID
    self.checkoutID = checkoutID
  }
}

/// A request to cancel a checkout.
package struct CancelRequest: Hashable, Sendable {
  package let checkout: CheckoutKey
  package let reason: String
  package let requestedAt: Timestamp
  package let livemode: Bool

  package init(checkout: CheckoutKey, reason: String, requestedAt: Timestamp, livemode: Bool) {
    self.checkout = checkout
    self.reason = reason
    self.requestedAt = requestedAt
    self.livemode = livemode
  }
}
