// The chain of responsibility: runs checks in order and turns what they say into one verdict.

/// What the chain decides about a request.
package enum ValidationVerdict: Hashable, Sendable {
  /// All checks passed: for the facade (`checkout.validated`).
  case accepted(ValidatedRequest)
  /// Refused, at least once by its content alone, so it cannot have been accepted before: validation publishes it
  /// (`checkout.rejected`). In the order of the checks, at most one for each.
  case rejected([Finding])
  /// Refused only by what can change: the facade looks at the attempt first (`checkout.refused`). In the order of the
  /// checks, at most one for each.
  case refusable([Finding])
  /// Not decided: the data named is not there. The message waits; supply the data and run the chain again.
  case waiting([ReferenceNeed])

  /// What was found wrong, for the events and for the meters; empty when accepted or waiting.
  package var findings: [Finding] {
    switch self {
    case .rejected(let findings), .refusable(let findings): findings
    case .accepted, .waiting: []
    }
  }

  /// The refusals to publish, in order; empty when accepted or waiting.
  package var refusals: [Refusal] { findings.map(\.refusal) }
}

/// An ordered list of checks. A value without state of its own: one chain serves all requests of a worker.
package struct ValidationChain: Sendable {
  /// What `ValidatedRequest.afterChain` asks for; only this file can make one, and it never leaves `run`.
  struct Pass: ~Copyable {
    fileprivate init() {}
  }

  /// A check with what the chain asks about it for every request, worked out once.
  private struct Link {
    let check: any Check
    let name: CheckName
    let prerequisites: [CheckName]
  }

  private let links: [Link]
  private let mode: ValidationMode

  /// The chain of the seven checks as `policy` says, or why it cannot be one.
  package init(policy: ValidationPolicy) throws(ValidationPolicyFault) {
    try self.init(checks: policy.checks.map { $0.make(policy) }, mode: policy.mode)
  }

  /// A chain of any checks; each must stand after those it needs.
  package init(checks: [any Check], mode: ValidationMode) throws(ValidationPolicyFault) {
    var seen: Set<CheckName> = []
    for check in checks {
      for prerequisite in check.name.prerequisites where !seen.contains(prerequisite) {
        throw .misplaced(check.name, needs: prerequisite)
      }
      guard seen.insert(check.name).inserted else { throw .repeated(check.name) }
    }
    links = checks.map { Link(check: $0, name: $0.name, prerequisites: $0.name.prerequisites) }
    self.mode = mode
  }

  /// Names of the checks, in order.
  package var names: [CheckName] { links.map(\.name) }

  /// Judges `request`. Pure: the same arguments give the same verdict, so a replay decides the same.
  ///
  /// In `collect_all` a request that lacks data waits even when something else is wrong with it: a list of refusals is
  /// published complete or not at all.
  package func run(_ request: CheckoutRequest, in context: CheckContext) -> ValidationVerdict {
    var findings: [Finding] = []
    var needs: [ReferenceNeed] = []
    var notPassed: [CheckName] = []
    // By index: a loop over the links themselves would copy each check.
    for index in links.indices
    where notPassed.isEmpty || !links[index].prerequisites.contains(where: notPassed.contains) {
      switch links[index].check.examine(request, in: context) {
      case .passed:
        continue
      case .refused(let refusal, let basis):
        findings.append(Finding(check: links[index].name, basis: basis, refusal: refusal))
        if mode == .failFast { return verdict(of: findings) }
      case .needs(let need):
        needs.append(need)
        // The first refusal decides; while this check has not judged, nothing behind it can be the first.
        if mode == .failFast { return .waiting(needs) }
      }
      notPassed.append(links[index].name)
    }
    guard needs.isEmpty else { return .waiting(needs) }
    guard findings.isEmpty else { return verdict(of: findings) }
    switch ValidatedRequest.afterChain(request, pass: Pass()) {
    case .success(let validated): return .accepted(validated)
    case .failure(let unproved): return verdict(of: [unproved.finding])
    }
  }

  private func verdict(of findings: [Finding]) -> ValidationVerdict {
    findings.contains { $0.basis == .content } ? .rejected(findings) : .refusable(findings)
  }
}

extension CheckName {
  /// The check of this name, set up as `policy` says.
  fileprivate func make(_ policy: ValidationPolicy) -> any Check {
    let limits = policy.limits
    switch self {
    case .cart: return CartCheck(quantityMax: limits.quantityMax, linesMax: limits.linesMax)
    case .address: return AddressCheck(countries: limits.countries)
    case .paymentMethod: return PaymentMethodCheck(types: limits.paymentMethodTypes)
    case .money: return MoneyCheck(amountMinorMax: limits.amountMinorMax, currencies: limits.currencies)
    case .freshness: return FreshnessCheck(clockSkewMax: limits.clockSkewMax, livemode: policy.livemode)
    case .account: return AccountCheck()
    case .price: return PriceCheck()
    }
  }
}

extension UnprovedRequest {
  /// The refusal of a request that passed a chain too short to prove it. Such content is never accepted by any chain,
  /// except that a currency may have been withdrawn since.
  fileprivate var finding: Finding {
    let (check, code, path, message): (CheckName, RefusalCode, String, String) =
      switch self {
      case .cartEmpty: (.cart, .emptyCart, "/items", "The cart has no lines.")
      case .addressMissing: (.address, .missingAddress, "/shipping_address", "The shipping address is missing.")
      case .paymentMissing: (.paymentMethod, .missingPaymentMethod, "/payment", "The payment method is missing.")
      case .currencyUnknown: (.money, .unsupportedCurrency, "/currency", "The currency is not an active ISO 4217 code.")
      case .totalWrong: (.money, .totalMismatch, "/expected_total_minor", "The parts do not add up to the total.")
      }
    return Finding(
      check: check, basis: self == .currencyUnknown ? .changeable : .content,
      refusal: Refusal(code, path: path, message: message))
  }
}
