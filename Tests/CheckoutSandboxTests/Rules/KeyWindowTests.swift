// How long keys are remembered, how late look-ups may be, and what a refund may not exceed.

import CheckoutCore
import CheckoutSandbox
import Testing

@Suite struct KeyWindowTests {
  private static let start = VirtualSandbox.start

  @Test("a key is known for 24 hours of the services' own clock, then the call is a new one")
  func window() throws {
    let sandbox = VirtualSandbox()
    let money = try SandboxCalls.money(1000)
    let first = PaymentReply.captured(chargeID: "ch_k", amount: money)
    #expect(sandbox.pay(try SandboxCalls.charge("pm_tok_visa_ok")) == first)
    sandbox.wait(.hours(24) - TimeSpan(nanoseconds: 1))
    #expect(sandbox.pay(try SandboxCalls.charge("pm_tok_visa_ok")) == first)
    sandbox.wait(TimeSpan(nanoseconds: 1))
    #expect(sandbox.pay(.lookUp(operation: .charge, sentAt: Self.start)) == .notFound)
    #expect(
      sandbox.pay(try SandboxCalls.charge("pm_tok_visa_ok"))
        == .captured(chargeID: "ch_k_1796126400000000000", amount: money))
    let report = try LedgerReport(of: sandbox.ledger, at: Self.start + .hours(24))
    #expect(report.doubleCharged == [CheckoutKey(merchantID: "shop-eu", checkoutID: "chk_1")])
  }

  @Test("a repeat does not lengthen the window")
  func repeats() throws {
    let sandbox = VirtualSandbox()
    for _ in 0..<3 {
      _ = sandbox.pay(try SandboxCalls.charge("pm_tok_declined_funds"))
      sandbox.wait(.hours(8))
    }
    #expect(sandbox.pay(.lookUp(operation: .charge, sentAt: Self.start)) == .notFound)
  }

  @Test("a look-up is blind for the declared lag, although the charge is done")
  func lag() throws {
    let settings = SandboxSettings(lookUpLag: .seconds(5))
    let sandbox = VirtualSandbox(settings: settings)
    let captured = PaymentReply.captured(chargeID: "ch_k", amount: try SandboxCalls.money(1000))
    #expect(settings.paymentTraits.lookUpLag == .seconds(5))
    #expect(sandbox.pay(try SandboxCalls.charge("pm_tok_visa_ok")) == captured)
    sandbox.wait(.seconds(5) - TimeSpan(nanoseconds: 1))
    #expect(sandbox.pay(.lookUp(operation: .charge, sentAt: Self.start)) == .notFound)
    sandbox.wait(TimeSpan(nanoseconds: 1))
    #expect(sandbox.pay(.lookUp(operation: .charge, sentAt: Self.start)) == captured)
  }

  @Test("refunds under many keys never give back more than was captured")
  func refunds() throws {
    let sandbox = VirtualSandbox()
    _ = sandbox.pay(try SandboxCalls.charge("pm_tok_partial_60", 1000))
    let parts: [Int64] = [1, 250, 600, 349, 1, 0, -5]
    let replies = try parts.enumerated().map { index, minor in
      sandbox.pay(.refund(chargeID: "ch_k", amount: try SandboxCalls.money(minor)), key: "r\(index)")
    }
    let refused = PaymentReply.trouble(
      .notApplied(.permanent, detail: "more than was captured and not yet refunded"))
    #expect(
      replies == [
        .refunded(refundID: "re_r0", amount: try SandboxCalls.money(1)),
        .refunded(refundID: "re_r1", amount: try SandboxCalls.money(250)), refused,
        .refunded(refundID: "re_r3", amount: try SandboxCalls.money(349)), refused, refused, refused,
      ])
    let checkout = try LedgerReport(of: sandbox.ledger, at: Self.start).checkouts[
      CheckoutKey(merchantID: "shop-eu", checkoutID: "chk_1")]
    #expect(checkout?.capturedMinor == 600)
    #expect(checkout?.refundedMinor == 600)
  }

  @Test("what was never captured cannot be refunded")
  func nothingToRefund() throws {
    let sandbox = VirtualSandbox()
    _ = sandbox.pay(try SandboxCalls.charge("pm_tok_visa_ok", capture: .manual), key: "a")
    for charge in ["ch_a", "ch_unknown"] {
      #expect(
        sandbox.pay(.refund(chargeID: charge, amount: try SandboxCalls.money(1)), key: "r-\(charge)")
          == .trouble(.notApplied(.permanent, detail: "more than was captured and not yet refunded")))
    }
  }
}
