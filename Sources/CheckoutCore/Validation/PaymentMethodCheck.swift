// The check `payment_method`: is there a way to pay, and do we offer it?

/// `missing_payment_method`, `unsupported_payment_method`, in this order.
///
/// A missing method rests on the content alone. Which types are on offer is configured and so changeable.
package struct PaymentMethodCheck: Check {
  /// `payment_method` in configuration, meters and logs.
  package var name: CheckName { .paymentMethod }

  // A few short texts: comparing them is quicker than hashing.
  private let types: [String]

  /// Payment by the `types` given, compared exactly.
  package init(types: Set<String>) {
    self.types = types.sorted()
  }

  /// The first code that applies to `request`, in the order above.
  package func examine(_ request: CheckoutRequest, in context: CheckContext) -> CheckResult {
    guard let payment = request.payment else { return Self.missing("", "The payment method is missing.") }
    if payment.methodToken.isEmpty { return Self.missing("/method_token", "The payment method has no token.") }
    if payment.methodType.isEmpty { return Self.missing("/method_type", "The payment method has no type.") }
    guard types.contains(payment.methodType) else {
      let message = "This type of payment method is not offered."
      return .refused(Refusal(.unsupportedPaymentMethod, path: "/payment/method_type", message: message), .changeable)
    }
    return .passed
  }

  private static func missing(_ field: String, _ message: String) -> CheckResult {
    .refused(Refusal(.missingPaymentMethod, path: "/payment\(field)", message: message), .content)
  }
}
