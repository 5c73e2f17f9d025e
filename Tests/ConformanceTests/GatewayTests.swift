// What every gateway owes: the same call has the same result, and what is unknown can be looked up.

import CheckoutCore
import CheckoutSandbox
import JournalSamples
import Testing

@Suite struct GatewayTests {
  private static let start = SampleAttempts.start

  private static func money(_ minor: Int64) throws -> Amount {
    Amount(minor: minor, currency: try #require(Currency(code: "EUR")))
  }

  private static func charge(
    _ token: String, _ minor: Int64 = 1000, capture: CheckoutRequest.Capture = .automatic
  )
    throws -> PaymentCommand
  {
    .charge(amount: try money(minor), checkoutID: "chk_1", reservationID: "res_1", methodToken: token, capture: capture)
  }

  private static func line(_ sku: String, _ quantity: Int64 = 1) -> CheckoutRequest.Line {
    CheckoutRequest.Line(lineID: "1", sku: sku, quantity: quantity, unitPriceMinor: 1000, title: nil)
  }

  @Test("the same charge again has the first result, and money is taken once", arguments: LedgerKind.allCases)
  func sameCharge(kind: LedgerKind) throws {
    let bench = try GatewayBench(kind)
    let captured = GatewayReply.payment(callID: 1, .captured(chargeID: "ch_k", amount: try Self.money(1000)))
    for _ in 0..<3 {
      bench.payment(try Self.charge("pm_tok_visa_ok"), key: "k")
      #expect(bench.taken() == [captured])
    }
    let report = try LedgerReport(of: bench.ledger, at: Self.start)
    #expect(report.doubleCharged == [])
    #expect(report.checkouts[CheckoutKey(merchantID: "shop-eu", checkoutID: "chk_1")]?.capturedMinor == 1000)
  }

  @Test("another call under a used key is refused for good", arguments: LedgerKind.allCases)
  func otherContent(kind: LedgerKind) throws {
    let bench = try GatewayBench(kind)
    bench.payment(try Self.charge("pm_tok_visa_ok", 1000), key: "k")
    bench.payment(try Self.charge("pm_tok_visa_ok", 1001), key: "k")
    #expect(
      bench.taken().last
        == .payment(callID: 1, .trouble(.notApplied(.permanent, detail: "idempotency_key_reused"))))
  }

  @Test("a charge whose reply is lost is found as captured, and not taken again", arguments: LedgerKind.allCases)
  func unknownCaptured(kind: LedgerKind) throws {
    let bench = try GatewayBench(kind)
    bench.payment(try Self.charge("pm_tok_unknown_captured"), key: "k")
    #expect(bench.taken() == [])
    bench.clock.move(by: .seconds(9))
    #expect(bench.taken() == [.payment(callID: 1, .trouble(.unknown(detail: "no answer in time")))])
    let captured = GatewayReply.payment(callID: 1, .captured(chargeID: "ch_k", amount: try Self.money(1000)))
    bench.payment(.lookUp(operation: .charge, sentAt: Self.start), key: "k")
    #expect(bench.taken() == [captured])
    bench.payment(try Self.charge("pm_tok_unknown_captured"), key: "k")
    #expect(bench.taken() == [captured])
  }

  @Test("a charge that never happened is not found, and is taken when sent again", arguments: LedgerKind.allCases)
  func unknownAbsent(kind: LedgerKind) throws {
    let bench = try GatewayBench(kind)
    bench.payment(try Self.charge("pm_tok_unknown_absent"), key: "k")
    _ = bench.taken()
    bench.clock.move(by: .seconds(9))
    #expect(bench.taken() == [.payment(callID: 1, .trouble(.unknown(detail: "no answer in time")))])
    bench.payment(.lookUp(operation: .charge, sentAt: Self.start), key: "k")
    #expect(bench.taken() == [.payment(callID: 1, .notFound)])
    bench.payment(try Self.charge("pm_tok_unknown_absent"), key: "k")
    #expect(bench.taken() == [.payment(callID: 1, .captured(chargeID: "ch_k", amount: try Self.money(1000)))])
  }

  @Test("a slow charge is in progress until it is done", arguments: LedgerKind.allCases)
  func slow(kind: LedgerKind) throws {
    let bench = try GatewayBench(kind)
    bench.payment(try Self.charge("pm_tok_slow"), key: "k")
    #expect(bench.taken() == [])
    bench.payment(.lookUp(operation: .charge, sentAt: Self.start), key: "k")
    #expect(bench.taken() == [.payment(callID: 1, .inProgress)])
    bench.clock.move(by: .seconds(2))
    #expect(bench.taken() == [.payment(callID: 1, .captured(chargeID: "ch_k", amount: try Self.money(1000)))])
  }

  @Test("an authorisation is voided once; a capture cannot be voided", arguments: LedgerKind.allCases)
  func voids(kind: LedgerKind) throws {
    let bench = try GatewayBench(kind)
    bench.payment(try Self.charge("pm_tok_visa_ok", capture: .manual), key: "a")
    #expect(bench.taken() == [.payment(callID: 1, .authorised(chargeID: "ch_a", amount: try Self.money(1000)))])
    for key in ["v1", "v1", "v2"] {
      bench.payment(.void(chargeID: "ch_a"), key: key)
      #expect(bench.taken() == [.payment(callID: 1, .voided)])
    }
    bench.payment(try Self.charge("pm_tok_visa_ok"), key: "b")
    bench.payment(.void(chargeID: "ch_b"), key: "v3")
    #expect(bench.taken().last == .payment(callID: 1, .voidRefused(detail: "it was captured")))
    bench.payment(try Self.charge("pm_tok_action_required"), key: "c")
    #expect(bench.taken() == [.payment(callID: 1, .actionRequired(chargeID: "ch_c"))])
    bench.payment(.void(chargeID: "ch_c"), key: "v4")
    #expect(bench.taken() == [.payment(callID: 1, .voided)])
  }

  @Test("refunds are idempotent and never more than was captured", arguments: LedgerKind.allCases)
  func refunds(kind: LedgerKind) throws {
    let bench = try GatewayBench(kind)
    bench.payment(try Self.charge("pm_tok_visa_ok"), key: "k")
    _ = bench.taken()
    let done = GatewayReply.payment(callID: 1, .refunded(refundID: "re_r1", amount: try Self.money(600)))
    for _ in 0..<2 {
      bench.payment(.refund(chargeID: "ch_k", amount: try Self.money(600)), key: "r1")
      #expect(bench.taken() == [done])
    }
    bench.payment(.refund(chargeID: "ch_k", amount: try Self.money(401)), key: "r2")
    #expect(
      bench.taken() == [
        .payment(callID: 1, .trouble(.notApplied(.permanent, detail: "more than was captured and not yet refunded")))
      ])
    bench.payment(.lookUp(operation: .refund, sentAt: Self.start), key: "r1")
    #expect(bench.taken() == [done])
    let report = try LedgerReport(of: bench.ledger, at: Self.start)
    #expect(report.checkouts[CheckoutKey(merchantID: "shop-eu", checkoutID: "chk_1")]?.refundedMinor == 600)
  }

  @Test("one piece in stock and two checkouts: one holds it, and gives it back", arguments: LedgerKind.allCases)
  func stock(kind: LedgerKind) throws {
    let bench = try GatewayBench(kind)
    try bench.ledger.transact { (store) throws(LedgerProblem) in try store.setStockLimit(1, ofSKU: "SKU-1") }
    let held = GatewayReply.inventory(callID: 1, .reserved(id: "res_a", expiresAt: Self.start + .seconds(900)))
    for _ in 0..<2 {
      bench.inventory(.reserve(checkoutID: "chk_a", lines: [Self.line("SKU-1")]), key: "a")
      #expect(bench.taken() == [held])
    }
    bench.inventory(.reserve(checkoutID: "chk_b", lines: [Self.line("SKU-1")]), key: "b")
    #expect(bench.taken() == [.inventory(callID: 1, .outOfStock(lines: ["1"]))])
    bench.inventory(.release(reservationID: "res_a"), key: "ra")
    bench.inventory(.reserve(checkoutID: "chk_c", lines: [Self.line("SKU-1")]), key: "c")
    #expect(
      bench.taken() == [
        .inventory(callID: 1, .released),
        .inventory(callID: 1, .reserved(id: "res_c", expiresAt: Self.start + .seconds(900))),
      ])
  }

  @Test("a hold that ran out is gone; a confirmed one stays", arguments: LedgerKind.allCases)
  func holds(kind: LedgerKind) throws {
    let bench = try GatewayBench(kind)
    bench.inventory(.reserve(checkoutID: "chk_a", lines: [Self.line("SKU-SHORTHOLD")]), key: "a")
    bench.inventory(.reserve(checkoutID: "chk_b", lines: [Self.line("SKU-SHORTHOLD")]), key: "b")
    bench.inventory(.confirm(reservationID: "res_b"), key: "cb")
    #expect(bench.taken().last == .inventory(callID: 1, .confirmed))
    bench.clock.move(by: .seconds(1))
    bench.inventory(.confirm(reservationID: "res_a"), key: "ca")
    bench.inventory(.confirm(reservationID: "res_b"), key: "cb2")
    bench.inventory(.release(reservationID: "res_a"), key: "ra")
    #expect(
      bench.taken() == [
        .inventory(callID: 1, .gone), .inventory(callID: 1, .confirmed), .inventory(callID: 1, .released),
      ])
  }

  @Test(
    "a receipt is sent once, its address stays, and another order under its key is refused",
    arguments: LedgerKind.allCases)
  func receipts(kind: LedgerKind) throws {
    let bench = try GatewayBench(kind)
    let request = try #require(SampleAttempts.new("key-of-a-receipt-0001", checkout: "chk_1")).request
    let sent = GatewayReply.receipt(callID: 1, .created(url: "https://receipts.example/rcp_k"))
    for _ in 0..<2 {
      bench.receipt(.create(chargeID: "ch_1", amount: try Self.money(1000), request: request), key: "k")
      #expect(bench.taken() == [sent])
    }
    bench.receipt(.create(chargeID: "ch_1", amount: try Self.money(1001), request: request), key: "k")
    #expect(
      bench.taken() == [.receipt(callID: 1, .trouble(.notApplied(.permanent, detail: "idempotency_key_reused")))])
    let report = try LedgerReport(of: bench.ledger, at: Self.start)
    #expect(report.receiptsOfCharge == ["ch_1": 1])
    #expect(report.doubleReceipted == [])
  }

  @Test("a receipt that fails for now, or whose reply is lost, is sent once in the end", arguments: LedgerKind.allCases)
  func lateReceipts(kind: LedgerKind) throws {
    let bench = try GatewayBench(kind)
    let later = try #require(
      SampleAttempts.new("key-of-a-receipt-0002", checkout: "chk_2", email: "receipt-fail-3@example.com")
    ).request
    let lost = try #require(
      SampleAttempts.new("key-of-a-receipt-0003", checkout: "chk_3", email: "receipt-lost-reply@example.com")
    ).request
    for _ in 0..<4 {
      bench.receipt(.create(chargeID: "ch_2", amount: try Self.money(1000), request: later), key: "a")
    }
    let busy = GatewayReply.receipt(callID: 1, .trouble(.notApplied(.transient, detail: "try again later")))
    #expect(
      bench.taken() == [busy, busy, busy, .receipt(callID: 1, .created(url: "https://receipts.example/rcp_a"))])
    bench.receipt(.create(chargeID: nil, amount: try Self.money(0), request: lost), key: "b")
    #expect(bench.taken() == [])
    bench.clock.move(by: .seconds(9))
    #expect(bench.taken() == [.receipt(callID: 1, .trouble(.unknown(detail: "no answer in time")))])
    bench.receipt(.create(chargeID: nil, amount: try Self.money(0), request: lost), key: "b")
    #expect(bench.taken() == [.receipt(callID: 1, .created(url: "https://receipts.example/rcp_b"))])
    #expect(try bench.ledger.entries(after: 0, limit: 10).map(\.kind) == [.receipted, .receipted])
  }

  @Test("a call past its time, or withdrawn, is never sent", arguments: LedgerKind.allCases)
  func notSent(kind: LedgerKind) throws {
    let bench = try GatewayBench(kind)
    bench.clock.move(by: .seconds(2))
    bench.payment(try Self.charge("pm_tok_visa_ok"), key: "k", notAfter: BootTime(nanoseconds: 1_000_000_000))
    #expect(bench.taken() == [.payment(callID: 1, .trouble(.notSent))])
    bench.payment(try Self.charge("pm_tok_visa_ok"), key: "k")
    bench.exchange.payments.withdraw([1])
    #expect(bench.taken() == [.payment(callID: 1, .trouble(.notSent))])
    #expect(try bench.ledger.entries(after: 0, limit: 10) == [])
  }
}
