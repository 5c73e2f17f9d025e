// Requests made of the worst values there are, from a seed: nothing traps, and the verdicts keep the chain's rules.

import CheckoutCore
import Testing

extension SplitMix64 {
  fileprivate mutating func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }
}

@Suite("Random requests")
struct RandomRequestTests {
  private static let amounts: [Int64] = [
    0, 0, 1, 2, 1999, 4550, 1_000_000_000_000, 1_000_000_000_001, .max, .max - 1, .max / 2, .max / 2 + 1, -1, .min,
  ]
  private static let quantities: [Int64] = [1, 1, 1, 2, 3, 999, 1000, 0, -1, .max, .min]
  private static let texts = ["", " ", "x", "DE", "10115", "ZZ", "HK", "é", "\u{0}", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "SKU-RED-42"]
  private static let times: [Timestamp] = [
    SampleRequest.noon, SampleRequest.noon + .seconds(301), Timestamp(nanoseconds: .min), .distantFuture,
  ]

  /// Half of the fields stay right, so that all checks get to judge.
  private static func request(_ random: inout SplitMix64) -> SampleRequest {
    var sample = SampleRequest()
    let spoils = { (random: inout SplitMix64) in random.below(4) == 0 }
    if random.below(2) == 0 {
      sample.lines = (0..<random.below(5)).map { index in
        SampleRequest.line(
          "\(spoils(&random) ? 0 : index)", sku: random.pick(["SKU-RED-42", "SKU-BLU-7", "SKU-NONE"]),
          quantity: random.pick(quantities), price: random.pick(amounts))
      }
    }
    sample.discounts = (0..<random.below(3)).map { _ in
      CheckoutRequest.Discount(code: "D", amountMinor: random.pick(amounts))
    }
    sample.taxMinor = random.pick(amounts)
    sample.shippingMinor = random.pick(amounts)
    if spoils(&random) { sample.currency = random.pick(["USD", "JPY", "BGN", "XXX", "eur", "", "🙂"]) }
    if spoils(&random) {
      sample.address = SampleRequest.address(
        name: random.pick(texts), city: random.pick(texts), postalCode: random.pick(texts),
        country: random.pick(texts))
    }
    if spoils(&random) { sample.address = nil }
    if spoils(&random) { sample.payment = SampleRequest.payment(token: random.pick(texts), type: random.pick(texts)) }
    if spoils(&random) { sample.requestedAt = random.pick(times) }
    if spoils(&random) { sample.expiresAt = random.pick(times) }
    if spoils(&random) { sample.accountID = random.pick(["acct_0666", "nobody"]) }
    if spoils(&random) { sample.livemode = true }
    // Mostly the true total where there is one, so that the money check is passed often.
    let total = wideTotal(sample.request)
    sample.expectedTotalMinor = spoils(&random) ? random.pick(amounts) : Int64(clamping: total)
    return sample
  }

  /// The total in twice the width, without any check: an authority of its own.
  private static func wideTotal(_ request: CheckoutRequest) -> Int128 {
    var total = Int128(request.taxMinor) + Int128(request.shippingMinor)
    for line in request.lines { total += Int128(line.quantity) * Int128(line.unitPriceMinor) }
    for discount in request.discounts { total -= Int128(discount.amountMinor) }
    return total
  }

  private static func chain(_ mode: ValidationMode, _ limits: ValidationLimits) throws -> ValidationChain {
    try ValidationChain(policy: ValidationPolicy(livemode: false, mode: mode, limits: limits))
  }

  @Test("never trap, and every verdict keeps the rules", arguments: [1, 42, 20_261_130] as [UInt64])
  func rules(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let failFast = try Self.chain(.failFast, ValidationLimits())
    let collectAll = try Self.chain(.collectAll, ValidationLimits())
    let generous = try Self.chain(
      .collectAll, ValidationLimits(quantityMax: .max, linesMax: .max, amountMinorMax: .max))
    let later = CheckContext(now: SampleRequest.noon + .hours(1000), reference: .sample)
    var accepted = 0
    var codes: Set<RefusalCode> = []
    for number in 0..<4000 {
      let request = Self.request(&random).request
      let first = failFast.run(request, in: .sample)
      let all = collectAll.run(request, in: .sample)
      let comment: Comment = "seed \(seed), request \(number)"
      #expect(first.findings.first == all.findings.first, comment)
      #expect(first.findings.count <= 1, comment)
      let checks = all.findings.map(\.check)
      #expect(checks == CheckName.allCases.filter { checks.contains($0) }, comment)
      let final = all.findings.filter { $0.basis == .content }
      let laterFindings = generous.run(request, in: later).findings
      #expect(final.allSatisfy(laterFindings.contains), comment)
      codes.formUnion(all.refusals.map(\.code))
      if case .accepted(let validated) = all {
        accepted += 1
        #expect(Int128(validated.total.minor) == Self.wideTotal(request), comment)
        #expect(ValidatedRequest(readmitting: request) == validated, comment)
        #expect(first == all, comment)
      }
      if checks.contains(.cart) && final.contains(where: { $0.check == .cart && $0.refusal.code != .duplicateLine })
        || final.contains(where: { $0.check == .money })
      {
        #expect(ValidatedRequest(readmitting: request) == nil, comment)
      }
    }
    // The generator must reach both ends, or the rules above are tried on nothing.
    #expect(accepted > 10)
    #expect(codes.count >= 20, "\(codes.map(\.rawValue).sorted())")
  }
}
