// The proof that a request passed validation. Only code in this file can make one.

/// A request that has passed the chain: address and payment are there, the currency is known, the total adds up.
package struct ValidatedRequest: Hashable, Sendable {
  /// The request as decoded, unchanged.
  package let request: CheckoutRequest
  /// The sum of lines, discounts, tax and shipping; equals `expected_total_minor`.
  package let total: Amount

  fileprivate init(request: CheckoutRequest, total: Amount) {
    self.request = request
    self.total = total
  }

  /// Where to send it; the request's own.
  package var address: CheckoutRequest.Address {
    guard let address = request.shippingAddress else { preconditionFailure("proved to be there") }
    return address
  }

  /// How to pay; the request's own.
  package var payment: CheckoutRequest.Payment {
    guard let payment = request.payment else { preconditionFailure("proved to be there") }
    return payment
  }

  /// Who and what it is about.
  package var identity: AttemptIdentity { request.identity }

  /// A request that was validated before, read back from `checkout.validated` or from the journal.
  ///
  /// Proves again everything the type promises and nothing that may have changed since: limits, lists, prices, the
  /// account and the time are not looked at, and a currency withdrawn meanwhile is still known. Nil: the bytes are
  /// not those of a validated request (a damaged or forged event, never a caller's fault).
  package init?(readmitting request: CheckoutRequest) {
    guard case .success(let proved) = Self.prove(request, currency: Currency(readmitting: request.currency)) else {
      return nil
    }
    self = proved
  }

  /// The request, when the chain has let it pass; `pass` is something only the chain can make.
  ///
  /// The promises of the type are proved here as well, so that they hold whichever checks are configured. The failure
  /// names the first promise that does not hold; with all checks running there is none.
  static func afterChain(
    _ request: CheckoutRequest, pass: consuming ValidationChain.Pass
  ) -> Result<ValidatedRequest, UnprovedRequest> {
    prove(request, currency: Currency(code: request.currency))
  }

  private static func prove(
    _ request: CheckoutRequest, currency: Currency?
  ) -> Result<ValidatedRequest, UnprovedRequest> {
    guard !request.lines.isEmpty else { return .failure(.cartEmpty) }
    guard request.hasAddress else { return .failure(.addressMissing) }
    guard request.hasPayment else { return .failure(.paymentMissing) }
    guard let currency else { return .failure(.currencyUnknown) }
    guard case .success(let sums) = CheckoutTotal.compute(request), sums.total == request.expectedTotalMinor else {
      return .failure(.totalWrong)
    }
    let total = Amount(minor: sums.total, currency: currency)
    return .success(ValidatedRequest(request: request, total: total))
  }
}

/// The promise of `ValidatedRequest` that a request does not keep.
enum UnprovedRequest: Error, Hashable, Sendable {
  case cartEmpty
  case addressMissing
  case paymentMissing
  case currencyUnknown
  /// An amount is negative, a sum overflows, discounts exceed the lines, or the total is not the expected one.
  case totalWrong
}
