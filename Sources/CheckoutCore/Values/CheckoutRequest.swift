// The request to pay, as decoded and before any rule has looked at it.

/// One request to pay for one checkout. Shapes and lengths are already right (decoding refuses the rest); amounts,
/// counts and lists are as sent, unchecked.
package final class CheckoutRequest: Hashable, Sendable {
  /// One line of the cart.
  package struct Line: Hashable, Sendable {
    /// Unique in the cart after the `cart` check.
    package let lineID: String
    /// 1 to 64 characters; which item of the merchant's.
    package let sku: String
    /// As sent; may be zero or negative before the `cart` check.
    package let quantity: Int64
    /// Minor units of `currency`; may be negative before the `money` check.
    package let unitPriceMinor: Int64
    /// For the receipt; nil: not sent.
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
    /// The merchant's name for it.
    package let code: String
    /// Minor units of the request's currency; may be negative before the `money` check.
    package let amountMinor: Int64

    package init(code: String, amountMinor: Int64) {
      self.code = code
      self.amountMinor = amountMinor
    }
  }

  /// Where to send it; strings as sent, possibly empty.
  package struct Address: Hashable, Sendable {
    /// Recipient. Personal data: never logged.
    package let name: String
    /// Street and number. Personal data: never logged.
    package let line1: String
    /// Second line; nil: not sent. Personal data: never logged.
    package let line2: String?
    /// Town.
    package let city: String
    /// State or province, where the country has them; nil: not sent.
    package let region: String?
    /// As sent; its form is checked by country in the `address` check.
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
    /// The provider's token. A secret: never logged.
    package let methodToken: String
    /// `card`, `sepa_debit`, …; which are taken is configuration.
    package let methodType: String
    /// Whether the money is taken at once.
    package let capture: Capture

    package init(methodToken: String, methodType: String, capture: Capture) {
      self.methodToken = methodToken
      self.methodType = methodType
      self.capture = capture
    }
  }

  /// Merchant, checkout and idempotency key.
  package let identity: AttemptIdentity
  /// The customer's account at the merchant, 1 to 128 characters.
  package let accountID: String
  /// Where the receipt goes; nil: not sent. Personal data: never logged.
  package let email: String?
  /// BCP 47 tag for the receipt's language; nil: not sent.
  package let locale: String?
  /// As sent; three upper-case letters only after the `money` check.
  package let currency: String
  /// The cart, in the order sent; may be empty before the `cart` check.
  package let lines: [Line]
  /// In the order sent; empty: none.
  package let discounts: [Discount]
  /// Minor units; the merchant's word.
  package let taxMinor: Int64
  /// Minor units; the merchant's word.
  package let shippingMinor: Int64
  /// Minor units; what the customer was shown, and has to equal our own sum.
  package let expectedTotalMinor: Int64
  /// Nil: not sent; the `address` check refuses that.
  package let shippingAddress: Address?
  /// Nil: not sent; the `payment_method` check refuses that.
  package let payment: Payment?
  /// When the customer asked, by the merchant's clock.
  package let requestedAt: Timestamp
  /// Nothing is charged after this; nil: no limit.
  package let expiresAt: Timestamp?
  /// True: real money. Must match the deployment.
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

extension CheckoutRequest {
  /// True if there is a shipping address. Does not copy it, as a comparison with nil does.
  package var hasAddress: Bool {
    switch shippingAddress {
    case .some: true
    case .none: false
    }
  }

  /// True if there is a payment method; does not copy it either.
  package var hasPayment: Bool {
    switch payment {
    case .some: true
    case .none: false
    }
  }
}

// An object, because a request goes through many hands: handing it on counts one reference instead of twenty.
extension CheckoutRequest {
  package static func == (left: CheckoutRequest, right: CheckoutRequest) -> Bool {
    left === right
      || left.identity == right.identity && left.accountID == right.accountID && left.email == right.email
        && left.locale == right.locale && left.currency == right.currency && left.lines == right.lines
        && left.discounts == right.discounts && left.taxMinor == right.taxMinor
        && left.shippingMinor == right.shippingMinor && left.expectedTotalMinor == right.expectedTotalMinor
        && left.shippingAddress == right.shippingAddress && left.payment == right.payment
        && left.requestedAt == right.requestedAt && left.expiresAt == right.expiresAt
        && left.livemode == right.livemode
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(identity)
    hasher.combine(expectedTotalMinor)
  }
}

/// A request to cancel a checkout.
package struct CancelRequest: Hashable, Sendable {
  /// What is to be cancelled: whichever attempt of it is open or paid.
  package let checkout: CheckoutKey
  /// As sent; copied into the answer.
  package let reason: String
  /// When it was asked, by the merchant's clock.
  package let requestedAt: Timestamp
  /// True: real money. Must match the deployment.
  package let livemode: Bool

  package init(checkout: CheckoutKey, reason: String, requestedAt: Timestamp, livemode: Bool) {
    self.checkout = checkout
    self.reason = reason
    self.requestedAt = requestedAt
    self.livemode = livemode
  }
}
