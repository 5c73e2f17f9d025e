// Why a request is not accepted: one code per rule, with the evidence a caller can act on.

/// Codes of `checkout.rejected`. Raw values are the wire's.
package enum RefusalCode: String, Hashable, CaseIterable, Sendable {
  case missingField = "missing_field"
  case malformedField = "malformed_field"
  case cardNumberInPayload = "card_number_in_payload"
  case emptyCart = "empty_cart"
  case invalidQuantity = "invalid_quantity"
  case duplicateLine = "duplicate_line"
  case cartTooLarge = "cart_too_large"
  case missingAddress = "missing_address"
  case invalidPostalCode = "invalid_postal_code"
  case unsupportedCountry = "unsupported_country"
  case missingPaymentMethod = "missing_payment_method"
  case unsupportedPaymentMethod = "unsupported_payment_method"
  case unsupportedCurrency = "unsupported_currency"
  case negativeAmount = "negative_amount"
  case amountOverflow = "amount_overflow"
  case invalidDiscount = "invalid_discount"
  case totalMismatch = "total_mismatch"
  case amountOutOfRange = "amount_out_of_range"
  case requestExpired = "request_expired"
  case clockSkew = "clock_skew"
  case livemodeMismatch = "livemode_mismatch"
  case unknownAccount = "unknown_account"
  case disabledAccount = "disabled_account"
  case unknownItem = "unknown_item"
  case priceChanged = "price_changed"
  case idempotencyConflict = "idempotency_conflict"
  case alreadyPaid = "already_paid"
  case checkoutInProgress = "checkout_in_progress"
  case checkoutClosed = "checkout_closed"
  case unknownCheckout = "unknown_checkout"
  case cancelTooLate = "cancel_too_late"
  case nothingToCancel = "nothing_to_cancel"
}

/// One refusal: what is wrong, where, and what was expected.
package struct Refusal: Hashable, Sendable {
  /// A value named in a refusal; numbers stay numbers on the wire.
  package enum Evidence: Hashable, Sendable {
    case integer(Int64)
    case text(String)
  }

  /// Which rule.
  package let code: RefusalCode
  /// JSON Pointer (RFC 6901) to the field, or empty for the whole document.
  package let path: String
  /// One English sentence for a person; never contains personal data or secrets.
  package let message: String
  /// What the authority says, where the rule compares.
  package let expected: Evidence?
  /// What the request says, where the rule compares.
  package let actual: Evidence?

  /// A refusal of its five parts.
  package init(
    _ code: RefusalCode, path: String, message: String, expected: Evidence? = nil, actual: Evidence? = nil
  ) {
    self.code = code
    self.path = path
    self.message = message
    self.expected = expected
    self.actual = actual
  }
}

/// Codes of dead letters: why a message's bytes could not be processed at all. Raw values are the wire's (`dlq-code`).
package enum DeadLetterCode: String, Hashable, CaseIterable, Sendable {
  case malformedJSON = "malformed_json"
  case missingIdentity = "missing_identity"
  case unsupportedSchemaVersion = "unsupported_schema_version"
  case unsupportedType = "unsupported_type"
  case payloadTooLarge = "payload_too_large"
  /// A message between our own stages that does not decode; never the fault of a caller.
  case malformedEvent = "malformed_event"
  /// Pending work for an attempt that the journal does not know.
  case unknownAttempt = "unknown_attempt"
}
