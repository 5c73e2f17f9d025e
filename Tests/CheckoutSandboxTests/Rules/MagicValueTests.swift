// Every magic value of docs/sandbox.md, with the replies it leads to.

import CheckoutCore
import CheckoutSandbox
import Foundation
import Testing

@Suite struct MagicValueTests {
  private static let start = VirtualSandbox.start
  private static let noAnswer = CallTrouble.unknown(detail: "no answer in time")

  // MARK: Stock

  @Test("SKU-NOSTOCK is out of stock, each line of it, and nothing is held")
  func noStock() throws {
    let sandbox = VirtualSandbox()
    #expect(
      sandbox.stock(SandboxCalls.reserve("SKU-NOSTOCK", "SKU-RED-42", "SKU-NOSTOCK"))
        == .outOfStock(lines: ["line-1", "line-3"]))
    #expect(try sandbox.ledger.entries(after: 0, limit: 10) == [])
  }

  @Test("SKU-SHORTHOLD is held for one second")
  func shortHold() {
    let sandbox = VirtualSandbox()
    #expect(
      sandbox.stock(SandboxCalls.reserve("SKU-SHORTHOLD"), key: "a")
        == .reserved(id: "res_a", expiresAt: Self.start + .seconds(1)))
    sandbox.wait(.seconds(1))
    #expect(sandbox.stock(.confirm(reservationID: "res_a"), key: "c") == .gone)
  }

  @Test("any other sku is held for 15 minutes")
  func ordinaryHold() {
    #expect(
      VirtualSandbox().stock(SandboxCalls.reserve("SKU-RED-42"), key: "a")
        == .reserved(id: "res_a", expiresAt: Self.start + .seconds(900)))
  }

  @Test("SKU-RELEASE-FAILS is never released")
  func releaseFails() {
    let sandbox = VirtualSandbox()
    _ = sandbox.stock(SandboxCalls.reserve("SKU-RELEASE-FAILS"), key: "a")
    for key in ["r", "r", "r2"] {
      #expect(
        sandbox.stock(.release(reservationID: "res_a"), key: key)
          == .trouble(.notApplied(.permanent, detail: "this hold cannot be released")))
    }
  }

  // MARK: Charges that end at once

  @Test(
    "declined tokens say their code, again and again, and take nothing",
    arguments: [("pm_tok_declined_funds", "insufficient_funds"), ("pm_tok_declined_expired", "expired_card")])
  func declined(token: String, code: String) throws {
    let sandbox = VirtualSandbox()
    for _ in 0..<2 { #expect(sandbox.pay(try SandboxCalls.charge(token)) == .declined(code: code)) }
    #expect(sandbox.pay(.lookUp(operation: .charge, sentAt: Self.start)) == .declined(code: code))
    #expect(try LedgerReport(of: sandbox.ledger, at: Self.start).doubleCharged == [])
    #expect(try sandbox.ledger.entries(after: 0, limit: 10).map(\.kind) == [.declined])
  }

  @Test("pm_tok_action_required leaves an open intent that can be voided")
  func actionRequired() throws {
    let sandbox = VirtualSandbox()
    #expect(sandbox.pay(try SandboxCalls.charge("pm_tok_action_required")) == .actionRequired(chargeID: "ch_k"))
    #expect(sandbox.pay(.void(chargeID: "ch_k"), key: "v") == .voided)
    #expect(try sandbox.ledger.entries(after: 0, limit: 10).map(\.kind) == [.actionRequired, .voided])
  }

  @Test("pm_tok_refused is refused for good")
  func refused() throws {
    let sandbox = VirtualSandbox()
    for _ in 0..<2 {
      #expect(
        sandbox.pay(try SandboxCalls.charge("pm_tok_refused"))
          == .trouble(.notApplied(.permanent, detail: "the payment method cannot be used here")))
    }
    #expect(try sandbox.ledger.entries(after: 0, limit: 10) == [])
  }

  @Test("pm_tok_partial_60 takes three fifths, rounded down", arguments: [(1000, 600), (9038, 5422), (1, 0)])
  func partial(asked: Int64, taken: Int64) throws {
    #expect(
      VirtualSandbox().pay(try SandboxCalls.charge("pm_tok_partial_60", asked))
        == .captured(chargeID: "ch_k", amount: try SandboxCalls.money(taken)))
  }

  @Test("pm_tok_transient_once is refused for now, then captured")
  func transientOnce() throws {
    let sandbox = VirtualSandbox()
    let charge = try SandboxCalls.charge("pm_tok_transient_once")
    #expect(sandbox.pay(charge) == .trouble(.notApplied(.transient, detail: "try again")))
    #expect(sandbox.pay(.lookUp(operation: .charge, sentAt: Self.start)) == .notFound)
    #expect(sandbox.pay(charge) == .captured(chargeID: "ch_k", amount: try SandboxCalls.money(1000)))
  }

  @Test("any other token is captured, or authorised if asked")
  func ordinary() throws {
    let sandbox = VirtualSandbox()
    let money = try SandboxCalls.money(1000)
    #expect(
      sandbox.pay(try SandboxCalls.charge("pm_tok_visa_ok"), key: "a") == .captured(chargeID: "ch_a", amount: money))
    #expect(
      sandbox.pay(try SandboxCalls.charge("pm_tok_visa_ok", capture: .manual), key: "b")
        == .authorised(chargeID: "ch_b", amount: money))
  }

  // MARK: Charges whose answer is late or lost

  @Test("pm_tok_slow is in progress for 2 s, then captured")
  func slow() throws {
    let sandbox = VirtualSandbox()
    #expect(sandbox.pay(try SandboxCalls.charge("pm_tok_slow")) == nil)
    #expect(sandbox.pay(.lookUp(operation: .charge, sentAt: Self.start)) == .inProgress)
    #expect(
      sandbox.pay(try SandboxCalls.charge("pm_tok_slow"))
        == .trouble(.unknown(detail: "a call with this key is in flight")))
    sandbox.wait(.seconds(2))
    #expect(sandbox.lastPayment() == .captured(chargeID: "ch_k", amount: try SandboxCalls.money(1000)))
  }

  @Test("pm_tok_unknown_captured takes the money and its reply never comes")
  func unknownCaptured() throws {
    let sandbox = VirtualSandbox()
    #expect(sandbox.pay(try SandboxCalls.charge("pm_tok_unknown_captured")) == nil)
    sandbox.wait(.seconds(9))
    #expect(sandbox.lastPayment() == .trouble(Self.noAnswer))
    #expect(
      sandbox.pay(.lookUp(operation: .charge, sentAt: Self.start))
        == .captured(chargeID: "ch_k", amount: try SandboxCalls.money(1000)))
  }

  @Test("pm_tok_unknown_absent never arrives the first time")
  func unknownAbsent() throws {
    let sandbox = VirtualSandbox()
    let charge = try SandboxCalls.charge("pm_tok_unknown_absent")
    #expect(sandbox.pay(charge) == nil)
    sandbox.wait(.seconds(9))
    #expect(sandbox.lastPayment() == .trouble(Self.noAnswer))
    #expect(sandbox.pay(.lookUp(operation: .charge, sentAt: Self.start)) == .notFound)
    #expect(sandbox.pay(charge) == .captured(chargeID: "ch_k", amount: try SandboxCalls.money(1000)))
  }

  // MARK: Giving back

  @Test("pm_tok_refund_lost: the refund is done, its first reply never comes")
  func refundLost() throws {
    let sandbox = VirtualSandbox()
    let money = try SandboxCalls.money(1000)
    let refund = PaymentCommand.refund(chargeID: "ch_k", amount: money)
    let done = PaymentReply.refunded(refundID: "re_r", amount: money)
    #expect(sandbox.pay(try SandboxCalls.charge("pm_tok_refund_lost")) == .captured(chargeID: "ch_k", amount: money))
    #expect(sandbox.pay(refund, key: "r") == nil)
    sandbox.wait(.seconds(9))
    #expect(sandbox.lastPayment() == .trouble(Self.noAnswer))
    #expect(sandbox.pay(.lookUp(operation: .refund, sentAt: Self.start), key: "r") == done)
    #expect(sandbox.pay(refund, key: "r") == done)
  }

  @Test("pm_tok_refund_declined: a refund is refused for good")
  func refundDeclined() throws {
    let sandbox = VirtualSandbox()
    let money = try SandboxCalls.money(1000)
    _ = sandbox.pay(try SandboxCalls.charge("pm_tok_refund_declined"))
    for _ in 0..<2 {
      #expect(
        sandbox.pay(.refund(chargeID: "ch_k", amount: money), key: "r")
          == .trouble(.notApplied(.permanent, detail: "the bank refuses the refund")))
    }
  }

  @Test("pm_tok_void_refused is authorised; the void comes after the merchant's capture")
  func voidRefused() throws {
    let sandbox = VirtualSandbox()
    let money = try SandboxCalls.money(1000)
    #expect(sandbox.pay(try SandboxCalls.charge("pm_tok_void_refused")) == .authorised(chargeID: "ch_k", amount: money))
    #expect(sandbox.pay(.void(chargeID: "ch_k"), key: "v") == .voidRefused(detail: "it was captured"))
    #expect(
      sandbox.pay(.lookUp(operation: .charge, sentAt: Self.start)) == .captured(chargeID: "ch_k", amount: money))
    #expect(
      sandbox.pay(.refund(chargeID: "ch_k", amount: money), key: "r") == .refunded(refundID: "re_r", amount: money))
  }

  // MARK: Receipts

  @Test("receipt-fail-3@ fails three times for now, then a receipt is sent")
  func receiptFailsThrice() throws {
    let sandbox = VirtualSandbox()
    let create = try SandboxCalls.receipt(email: "receipt-fail-3@example.com")
    for _ in 0..<3 {
      #expect(sandbox.receipt(create) == .trouble(.notApplied(.transient, detail: "try again later")))
    }
    for _ in 0..<2 { #expect(sandbox.receipt(create) == .created(url: "https://receipts.example/rcp_k")) }
    #expect(try sandbox.ledger.entries(after: 0, limit: 10).map(\.kind) == [.receipted])
  }

  @Test("receipt-lost-reply@ gets its receipt, the first reply never comes")
  func receiptLost() throws {
    let sandbox = VirtualSandbox()
    let create = try SandboxCalls.receipt(email: "receipt-lost-reply@example.com")
    #expect(sandbox.receipt(create) == nil)
    sandbox.wait(.seconds(9))
    #expect(sandbox.lastReceipt() == .trouble(Self.noAnswer))
    #expect(sandbox.receipt(create) == .created(url: "https://receipts.example/rcp_k"))
    #expect(try sandbox.ledger.entries(after: 0, limit: 10).map(\.kind) == [.receipted])
  }

  @Test("receipt-permanent@ is refused for good")
  func receiptPermanent() throws {
    let sandbox = VirtualSandbox()
    let create = try SandboxCalls.receipt(email: "receipt-permanent@example.com")
    for _ in 0..<2 {
      #expect(sandbox.receipt(create) == .trouble(.notApplied(.permanent, detail: "the address is refused")))
    }
    #expect(try sandbox.ledger.entries(after: 0, limit: 10) == [])
  }

  @Test("this suite names every value of the page, and the page every value of this suite")
  func page() throws {
    var root = URL(filePath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    let page = try String(contentsOf: root.appending(path: "docs/sandbox.md"), encoding: .utf8)
    let table = page.split(separator: "\n").filter {
      $0.hasPrefix("| sku") || $0.hasPrefix("| token") || $0.hasPrefix("| e-mail")
    }
    let documented = Set(
      table.flatMap { line in
        (line.split(separator: "|").first ?? "").split(separator: "`").enumerated()
          .filter { $0.offset % 2 == 1 }.map { String($0.element) }
      })
    let here = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
    for value in documented { #expect(here.contains(value.replacing("…", with: "")), "\(value) has no test") }
    #expect(documented.count == 18)
  }
}
