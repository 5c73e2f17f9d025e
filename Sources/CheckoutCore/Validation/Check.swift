// The one protocol of all checks, and what a check can answer. The chain knows nothing else of them.

/// The checks there are; raw values name them in configuration, metrics and logs.
package enum CheckName: String, Hashable, CaseIterable, Sendable {
  case cart
  case address
  case paymentMethod = "payment_method"
  case money
  case freshness
  case account
  case price

  /// Checks that must have passed before this one can judge: they must stand before it in the order, and where one of
  /// them has refused this one is skipped.
  package var prerequisites: [CheckName] {
    switch self {
    case .cart, .address, .paymentMethod, .freshness, .account: []
    case .money: [.cart]
    case .price: [.cart, .money]
    }
  }
}

/// What a refusal rests on; decides who publishes it.
package enum RefusalBasis: Hashable, Sendable {
  /// On what the fingerprint covers, alone: the same request was and will be refused at any time, so it cannot have
  /// been accepted before, and validation publishes the refusal.
  case content
  /// On time, configuration, reference data, or a field outside the fingerprint: the same request may have been
  /// accepted before, so the facade must look at the attempt first.
  case changeable
}

/// One refusal, with the check it comes from and what it rests on.
package struct Finding: Hashable, Sendable {
  /// The check that refused; what the meters count by.
  package let check: CheckName
  /// Decides who publishes it.
  package let basis: RefusalBasis
  /// What the caller is told.
  package let refusal: Refusal

  /// A finding of its three parts.
  package init(check: CheckName, basis: RefusalBasis, refusal: Refusal) {
    self.check = check
    self.basis = basis
    self.refusal = refusal
  }
}

/// What a check says of a request.
package enum CheckResult: Hashable, Sendable {
  /// Nothing to object.
  case passed
  /// The check's first code that applies.
  case refused(Refusal, RefusalBasis)
  /// The check cannot judge before this data is there. Whoever runs the chain supplies it and runs the chain again;
  /// the check itself never waits.
  case needs(ReferenceNeed)
}

/// What checks judge by, beyond the request: no check reads a clock or a source by itself.
package struct CheckContext: Sendable {
  /// Wall clock of the worker, or of the recorded decision in a replay.
  package let now: Timestamp
  /// Accounts and prices as far as they are known.
  package let reference: ReferenceData

  /// What is known at `now`.
  package init(now: Timestamp, reference: ReferenceData) {
    self.now = now
    self.reference = reference
  }
}

/// One rule, or a few that belong together, in one small type.
///
/// `examine` is a pure function: it must not wait, trap, or remember, and it answers with at most one code, the first
/// in the order its documentation gives.
package protocol Check: Sendable {
  /// Which check this is.
  var name: CheckName { get }
  /// Judges `request`. Called only after all prerequisites of `name` that run have passed.
  func examine(_ request: CheckoutRequest, in context: CheckContext) -> CheckResult
}
