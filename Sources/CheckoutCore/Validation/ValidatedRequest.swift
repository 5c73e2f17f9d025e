// The proof that a request passed validation. Only code in this file can make one.

/// A request that has passed the chain: address and payment are there, the currency is known, the total adds up.
package struct ValidatedRequest: Hashable, Sendable {
  package let request: CheckoutRequest
  /// The sum of lines, discounts, tax and shipping; equals `expected_total_minor`.
  package let total: Amount
  package let address: CheckoutRequest.Address
  package let payment: CheckoutRequest.Payment

  fileprivate init(
    request: CheckoutRequest, total: Amount, address: CheckoutRequest.Address, payment: CheckoutRequest.Payment
  ) {
    self.request = request
    self.total = total
    self.address = address
    self.payment = payment
  }

  /// Who and what it is about.
  package var identity: AttemptIdentity { request.identity }
}
