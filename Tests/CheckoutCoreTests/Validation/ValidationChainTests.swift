// The chain: order, modes, skipping, waiting, and who publishes a refusal.

import CheckoutCore
import Testing

/// A check that says what it is told to, to see the chain alone.
private struct FixedCheck: Check {
  let name: CheckName
  let result: CheckResult

  func examine(_ request: CheckoutRequest, in context: CheckContext) -> CheckResult { result }
}

@Suite("The validation chain")
struct ValidationChainTests {
  private func chain(
    _ mode: ValidationMode, limits: ValidationLimits = ValidationLimits(), checks: [CheckName] = CheckName.allCases
  ) throws -> ValidationChain {
    try ValidationChain(policy: ValidationPolicy(livemode: false, mode: mode, limits: limits, checks: checks))
  }

  private func codes(_ verdict: ValidationVerdict) -> [String] { verdict.refusals.map(\.code.rawValue) }

  private func fixed(_ name: CheckName, _ code: RefusalCode? = nil, _ basis: RefusalBasis = .content) -> FixedCheck {
    FixedCheck(
      name: name, result: code.map { .refused(Refusal($0, path: "", message: "No."), basis) } ?? .passed)
  }

  @Test("accepts a proper request, in both modes", arguments: ValidationMode.allCases)
  func accepts(mode: ValidationMode) throws {
    guard case .accepted(let validated) = try chain(mode).run(SampleRequest().request, in: .sample) else {
      Issue.record("not accepted")
      return
    }
    #expect(validated.total == Amount(minor: 9038, currency: try #require(Currency(code: "EUR"))))
    #expect(validated.request == SampleRequest().request)
    #expect(validated.address == SampleRequest.address())
    #expect(validated.payment == SampleRequest.payment())
  }

  @Test("three faults at once: fail_fast reports the first, collect_all all, in order")
  func threeFaults() throws {
    var sample = SampleRequest()
    sample.lines = []
    sample.address = SampleRequest.address(postalCode: "")
    sample.accountID = "acct_0666"
    let first = try chain(.failFast).run(sample.request, in: .sample)
    #expect(codes(first) == ["empty_cart"])
    let all = try chain(.collectAll).run(sample.request, in: .sample)
    #expect(codes(all) == ["empty_cart", "missing_address", "disabled_account"])
    #expect(all.findings.map(\.check) == [.cart, .address, .account])
    guard case .rejected = all else {
      Issue.record("one of them is final, so validation publishes")
      return
    }
  }

  @Test("collect_all skips what rests on a failed check: money on the cart, price on cart and money")
  func skipping() throws {
    var sample = SampleRequest()
    sample.lines = [SampleRequest.line("1", sku: "SKU-NONE", quantity: 0, price: -1)]
    #expect(codes(try chain(.collectAll).run(sample.request, in: .sample)) == ["invalid_quantity"])
    sample.lines = [SampleRequest.line("1", sku: "SKU-NONE", quantity: 1, price: -1)]
    #expect(codes(try chain(.collectAll).run(sample.request, in: .sample)) == ["negative_amount"])
    sample.lines = [SampleRequest.line("1", sku: "SKU-NONE", quantity: 1, price: 1)]
    sample.expectedTotalMinor = 491
    #expect(codes(try chain(.collectAll).run(sample.request, in: .sample)) == ["unknown_item"])
  }

  @Test("only changeable refusals travel on to the facade, in order")
  func refusable() throws {
    var sample = SampleRequest()
    sample.payment = SampleRequest.payment(type: "shells")
    sample.expiresAt = SampleRequest.noon
    sample.accountID = "acct_9999"
    sample.lines[0] = SampleRequest.line("1", sku: "SKU-RED-42", quantity: 2, price: 1998)
    sample.expectedTotalMinor = 9036
    let verdict = try chain(.collectAll).run(sample.request, in: .sample)
    guard case .refusable(let findings) = verdict else {
      Issue.record("\(verdict)")
      return
    }
    #expect(
      findings.map(\.refusal.code) == [.unsupportedPaymentMethod, .requestExpired, .unknownAccount, .priceChanged])
    guard case .refusable(let first) = try chain(.failFast).run(sample.request, in: .sample) else {
      Issue.record("fail_fast")
      return
    }
    #expect(first == [findings[0]])
  }

  @Test("one final refusal among changeable ones makes the whole verdict final")
  func mixed() throws {
    let checks = [
      fixed(.freshness, .requestExpired, .changeable), fixed(.address, .missingAddress),
      fixed(.account, .unknownAccount, .changeable),
    ]
    let request = SampleRequest().request
    let all = try ValidationChain(checks: checks, mode: .collectAll).run(request, in: .sample)
    guard case .rejected = all else {
      Issue.record("\(all)")
      return
    }
    #expect(codes(all) == ["request_expired", "missing_address", "unknown_account"])
    let first = try ValidationChain(checks: checks, mode: .failFast).run(request, in: .sample)
    guard case .refusable = first else {
      Issue.record("what comes after the first refusal is not looked at: \(first)")
      return
    }
  }

  @Test("the order is the configured one")
  func configuredOrder() throws {
    var sample = SampleRequest()
    sample.lines = []
    sample.address = nil
    let order: [CheckName] = [.freshness, .address, .cart, .money, .paymentMethod, .account, .price]
    let chain = try chain(.collectAll, checks: order)
    #expect(chain.names == order)
    #expect(codes(chain.run(sample.request, in: .sample)) == ["missing_address", "empty_cart"])
  }

  @Test("a request waits while a source is down; it is not rejected")
  func waiting() throws {
    let down = CheckContext(now: SampleRequest.noon, reference: .unavailable(version: ReferenceVersion("none")))
    let account = ReferenceNeed.account(AccountKey(merchantID: "shop-eu", accountID: "acct_7781"))
    let prices = ReferenceNeed.prices([
      PriceKey(merchantID: "shop-eu", sku: "SKU-RED-42", currency: "EUR"),
      PriceKey(merchantID: "shop-eu", sku: "SKU-BLU-7", currency: "EUR"),
    ])
    #expect(try chain(.failFast).run(SampleRequest().request, in: down) == .waiting([account]))
    #expect(try chain(.collectAll).run(SampleRequest().request, in: down) == .waiting([account, prices]))
  }

  @Test("what is refused before data is needed does not wait for it in fail_fast, and does in collect_all")
  func waitingWithFaults() throws {
    let down = CheckContext(now: SampleRequest.noon, reference: .unavailable(version: ReferenceVersion("none")))
    var sample = SampleRequest()
    sample.address = nil
    #expect(codes(try chain(.failFast).run(sample.request, in: down)) == ["missing_address"])
    guard case .waiting = try chain(.collectAll).run(sample.request, in: down) else {
      Issue.record("a list of refusals is published complete or not at all")
      return
    }
  }

  @Test("supplying what was asked for, piece by piece, leads to a verdict")
  func supplying() throws {
    var reference = ReferenceData(
      version: ReferenceVersion("1"), accounts: ReferenceTable(coverage: .partial),
      prices: ReferenceTable(coverage: .partial))
    let chain = try chain(.failFast)
    for _ in 0..<3 {
      let context = CheckContext(now: SampleRequest.noon, reference: reference)
      guard case .waiting(let needs) = chain.run(SampleRequest().request, in: context) else { break }
      for need in needs {
        switch need {
        case .account(let key): reference.accounts.set(.enabled, for: key)
        case .prices(let keys):
          for key in keys { reference.prices.set(key.sku == "SKU-RED-42" ? 1999 : 4550, for: key) }
        }
      }
    }
    let context = CheckContext(now: SampleRequest.noon, reference: reference)
    guard case .accepted = chain.run(SampleRequest().request, in: context) else {
      Issue.record("not accepted")
      return
    }
  }

  @Test("limits reach their checks")
  func limits() throws {
    let limits = ValidationLimits(
      quantityMax: 1, linesMax: 1, amountMinorMax: 1, clockSkewMax: .zero, paymentMethodTypes: [], countries: [],
      currencies: [])
    let quantity = try chain(.collectAll, limits: limits).run(SampleRequest().request, in: .sample)
    #expect(codes(quantity) == ["invalid_quantity", "unsupported_country", "unsupported_payment_method"])
    var sample = SampleRequest.single(price: 1999)
    sample.requestedAt = SampleRequest.noon + TimeSpan(nanoseconds: 1)
    let other = try chain(.collectAll, limits: limits).run(sample.request, in: .sample)
    #expect(
      codes(other) == ["unsupported_country", "unsupported_payment_method", "unsupported_currency", "clock_skew"])
    #expect(other.findings.allSatisfy { $0.basis == .changeable })
  }

  @Test("a chain that lists a check twice, or before one it needs, is refused at start-up")
  func policyFaults() {
    #expect(throws: ValidationPolicyFault.repeated(.cart)) { try chain(.failFast, checks: [.cart, .cart]) }
    #expect(throws: ValidationPolicyFault.misplaced(.money, needs: .cart)) {
      try chain(.failFast, checks: [.money, .cart])
    }
    #expect(throws: ValidationPolicyFault.misplaced(.price, needs: .money)) {
      try chain(.failFast, checks: [.cart, .price])
    }
    #expect(
      ValidationPolicyFault.misplaced(.price, needs: .money).message
        == "The check 'price' needs 'money': list 'money' before it.")
  }
}
