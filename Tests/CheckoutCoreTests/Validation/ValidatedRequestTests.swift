// The proof that a request was validated: who can make one, and what it promises.

import CheckoutCore
import Foundation
import Testing

@Suite("A validated request")
struct ValidatedRequestTests {
  @Test("is readmitted with its promises proved again")
  func readmits() throws {
    let validated = try #require(ValidatedRequest(readmitting: SampleRequest().request))
    #expect(validated.total == Amount(minor: 9038, currency: try #require(Currency(code: "EUR"))))
    #expect(validated.request == SampleRequest().request)
    #expect(validated.identity.checkoutID == "chk_000001")
  }

  @Test("is the same, however it was made")
  func sameAsAccepted() throws {
    let chain = try ValidationChain(policy: ValidationPolicy(livemode: false))
    let readmitted = try #require(ValidatedRequest(readmitting: SampleRequest().request))
    #expect(chain.run(SampleRequest().request, in: .sample) == .accepted(readmitted))
  }

  @Test("is not readmitted if a promise does not hold")
  func refuses() {
    let spoilt: [(String, (inout SampleRequest) -> Void)] = [
      ("no address", { $0.address = nil }), ("no payment", { $0.payment = nil }), ("no lines", { $0.lines = [] }),
      ("no currency", { $0.currency = "XXX" }), ("lower case", { $0.currency = "eur" }),
      ("another total", { $0.expectedTotalMinor += 1 }), ("negative tax", { $0.taxMinor = -1 }),
      ("negative shipping", { $0.shippingMinor = -1 }),
      ("negative discount", { $0.discounts = [CheckoutRequest.Discount(code: "D", amountMinor: -1)] }),
      ("too much discount", { $0.discounts = [CheckoutRequest.Discount(code: "D", amountMinor: .max)] }),
      ("overflow", { $0.taxMinor = .max }),
      ("quantity 0", { $0.lines[0] = SampleRequest.line("1", sku: "S", quantity: 0, price: 1) }),
      ("negative price", { $0.lines[0] = SampleRequest.line("1", sku: "S", quantity: 1, price: -1) }),
    ]
    for (what, spoil) in spoilt {
      var sample = SampleRequest()
      spoil(&sample)
      #expect(ValidatedRequest(readmitting: sample.request) == nil, "\(what)")
    }
  }

  @Test("stays readable when time, limits, prices, or the currency table have moved on")
  func survivesChange() {
    var sample = SampleRequest.single(price: .max, currency: "BGN")
    sample.expiresAt = Timestamp(nanoseconds: 0)
    sample.payment = SampleRequest.payment(type: "shells")
    sample.accountID = "nobody"
    #expect(ValidatedRequest(readmitting: sample.request)?.total.minor == .max)
  }

  @Test("keeps its promises even when the checks that see to them are switched off")
  func shortChain() throws {
    let chain = try ValidationChain(policy: ValidationPolicy(livemode: false, checks: []))
    let spoilt: [(RefusalCode, Bool, (inout SampleRequest) -> Void)] = [
      (.emptyCart, true, { $0.lines = [] }), (.missingAddress, true, { $0.address = nil }),
      (.missingPaymentMethod, true, { $0.payment = nil }), (.unsupportedCurrency, false, { $0.currency = "BGN" }),
      (.totalMismatch, true, { $0.expectedTotalMinor = 1 }), (.totalMismatch, true, { $0.taxMinor = .max }),
    ]
    for (code, isFinal, spoil) in spoilt {
      var sample = SampleRequest()
      spoil(&sample)
      let verdict = chain.run(sample.request, in: .sample)
      #expect(verdict.refusals.map(\.code) == [code])
      if case .rejected = verdict { #expect(isFinal) } else { #expect(!isFinal) }
    }
    guard case .accepted = chain.run(SampleRequest().request, in: .sample) else {
      Issue.record("not accepted")
      return
    }
  }

  @Test("only the chain calls its factory, and only its own file its initialiser")
  func uniqueness() throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources").standardizedFileURL
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    var makers: [String: Set<String>] = [:]
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift" else { continue }
      let text = try String(contentsOf: file, encoding: .utf8)
      for maker in ["afterChain(", "ValidatedRequest(request:", "Pass()"] where text.contains(maker) {
        makers[maker, default: []].insert(file.lastPathComponent)
      }
    }
    #expect(makers["afterChain("] == ["ValidatedRequest.swift", "ValidationChain.swift"])
    #expect(makers["ValidatedRequest(request:"] == ["ValidatedRequest.swift"])
    #expect(makers["Pass()"] == ["ValidationChain.swift"])
  }
}
