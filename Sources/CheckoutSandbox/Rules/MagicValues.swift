// The values in a request that make the sandbox misbehave in one particular way; docs/sandbox.md lists them.

/// Skus with a behaviour of their own.
enum MagicSKU: String {
  case outOfStock = "SKU-NOSTOCK"
  case shortHold = "SKU-SHORTHOLD"
  case releaseRefused = "SKU-RELEASE-FAILS"
}

/// Payment tokens with a behaviour of their own; every other token is captured (or authorised) at once.
enum MagicToken: String {
  case declinedFunds = "pm_tok_declined_funds"
  case declinedExpired = "pm_tok_declined_expired"
  case actionRequired = "pm_tok_action_required"
  case slow = "pm_tok_slow"
  case unknownCaptured = "pm_tok_unknown_captured"
  case unknownAbsent = "pm_tok_unknown_absent"
  case transientOnce = "pm_tok_transient_once"
  case refused = "pm_tok_refused"
  case partial60 = "pm_tok_partial_60"
  case refundLost = "pm_tok_refund_lost"
  case refundDeclined = "pm_tok_refund_declined"
  case voidRefused = "pm_tok_void_refused"
}

/// E-mail addresses with a behaviour of their own.
enum MagicEmail: String, CaseIterable {
  case failThrice = "receipt-fail-3@"
  case lostReply = "receipt-lost-reply@"
  case permanent = "receipt-permanent@"

  /// The behaviour of an address, by its local part.
  init?(address: String?) {
    guard let address, let found = MagicEmail.allCases.first(where: { address.hasPrefix($0.rawValue) }) else {
      return nil
    }
    self = found
  }
}
