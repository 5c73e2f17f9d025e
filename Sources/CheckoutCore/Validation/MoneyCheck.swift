// The check `money`: do the amounts make sense, and do they add up to what the customer was told?

/// `unsupported_currency`, `negative_amount`, `amount_overflow`, `invalid_discount`, `total_mismatch`,
/// `amount_out_of_range`, in this order.
///
/// A code that never was a currency rests on the content alone. One that was withdrawn, or is not on the configured
/// list, is changeable: it may have been accepted before. Sums rest on the content; the largest total is configured.
/// A negative `expected_total_minor` is a `total_mismatch`, because no total is negative.
package struct MoneyCheck: Check {
  /// `money` in configuration, meters and logs.
  package var name: CheckName { .money }

  private let amountMinorMax: Int64
  private let currencies: Set<String>?

  /// Totals up to `amountMinorMax` minor units, in `currencies` (ISO 4217) or in all active ones if nil.
  package init(amountMinorMax: Int64, currencies: Set<String>?) {
    self.amountMinorMax = amountMinorMax
    self.currencies = currencies
  }

  /// The first code that applies to `request`, in the order above.
  package func examine(_ request: CheckoutRequest, in context: CheckContext) -> CheckResult {
    if let refused = examineCurrency(request.currency) { return refused }
    let total: Int64
    switch CheckoutTotal.compute(request) {
    case .success(let sums): total = sums.total
    case .failure(let fault): return .refused(Self.refusal(for: fault), .content)
    }
    guard total == request.expectedTotalMinor else {
      let refusal = Refusal(
        .totalMismatch, path: "/expected_total_minor",
        message: "Lines, discounts, tax and shipping do not add up to the expected total.",
        expected: .integer(total), actual: .integer(request.expectedTotalMinor))
      return .refused(refusal, .content)
    }
    guard total <= amountMinorMax else {
      let message = "The total is above the \(amountMinorMax) minor units that are allowed."
      return .refused(Refusal(.amountOutOfRange, path: "/expected_total_minor", message: message), .changeable)
    }
    return .passed
  }

  private func examineCurrency(_ code: String) -> CheckResult? {
    guard let currency = Currency(code: code) else {
      let basis: RefusalBasis = Currency(readmitting: code) == nil ? .content : .changeable
      let message = "The currency is not an active ISO 4217 code in upper case."
      return .refused(Refusal(.unsupportedCurrency, path: "/currency", message: message), basis)
    }
    guard let currencies, !currencies.contains(currency.code) else { return nil }
    let message = "This currency is not accepted here."
    return .refused(Refusal(.unsupportedCurrency, path: "/currency", message: message), .changeable)
  }

  private static func refusal(for fault: CheckoutTotal.Fault) -> Refusal {
    switch fault {
    case .negative(let path):
      Refusal(.negativeAmount, path: path, message: "An amount must not be negative.")
    case .overflow(let path):
      Refusal(.amountOverflow, path: path, message: "The sum of the amounts does not fit into 64 bits.")
    case .discountsAboveLines:
      Refusal(.invalidDiscount, path: "/discounts", message: "The discounts are together more than the lines.")
    }
  }
}
