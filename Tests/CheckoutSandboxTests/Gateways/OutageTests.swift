// Outages: what the text says happens to the calls it names, and is over when it says so.

import CheckoutCore
import CheckoutSandbox
import Synchronization
import Testing

@Suite("Outages") struct OutageTests {
  private func outages(_ text: String) throws -> SandboxOutages { try SandboxOutages(text: text) }

  @Test("a service that is down refuses at once; nothing is remembered, and the same call goes through afterwards")
  func down() throws {
    let now = Mutex(try outages("payment = down  # an outage\n\n"))
    let sandbox = VirtualSandbox(outages: { now.withLock { $0 } })
    let charge = try SandboxCalls.charge("pm_tok_visa_ok")
    #expect(sandbox.pay(charge) == .trouble(.notApplied(.transient, detail: "the service is down")))
    #expect(
      sandbox.receipt(try SandboxCalls.receipt(email: "a@b.c"), key: "r")
        == .created(url: "https://receipts.example/rcp_r"))
    now.withLock { $0 = SandboxOutages() }
    #expect(sandbox.pay(charge) == .captured(chargeID: "ch_k", amount: try SandboxCalls.money(1000)))
  }

  @Test("silent: not carried out, no answer before the time-out; lose_replies: carried out")
  func noAnswer() throws {
    for (fault, entries) in [("silent", 0), ("lose_replies", 1)] {
      let sandbox = VirtualSandbox(outages: {
        (try? SandboxOutages(text: "payment.charge = \(fault)")) ?? SandboxOutages()
      })
      #expect(sandbox.pay(try SandboxCalls.charge("pm_tok_visa_ok")) == nil)
      sandbox.wait(.seconds(9))
      #expect(sandbox.lastPayment() == .trouble(.unknown(detail: "no answer in time")))
      #expect(try sandbox.ledger.entries(after: 0, limit: 9).count == entries)
    }
  }

  @Test("an operation's line wins over its service's")
  func operation() throws {
    let sandbox = VirtualSandbox(
      outages: { (try? SandboxOutages(text: "payment.void = refuse\npayment = unauthorised")) ?? SandboxOutages() })
    #expect(
      sandbox.pay(.void(chargeID: "ch_k")) == .trouble(.notApplied(.permanent, detail: "the service refuses this")))
    #expect(
      sandbox.pay(try SandboxCalls.charge("pm_tok_visa_ok"))
        == .trouble(.misconfigured(detail: "401: unknown credentials")))
  }

  @Test(
    "a text that cannot be used names its line",
    arguments: [
      "receipt", "receipt = broken", "mail = down", "receipt.send = down", "a = b = c", "receipt.create.x = down",
    ])
  func unreadable(line: String) {
    let error = #expect(throws: SandboxOutages.Unreadable.self) { try outages("payment = down\n\(line)") }
    #expect(error?.description.hasPrefix("line 2: ") == true)
  }

  @Test("a charge slower than the client's time-out is unknown, in progress, then captured")
  func slow() throws {
    let sandbox = VirtualSandbox(settings: SandboxSettings(slowChargeAfter: .seconds(40)))
    #expect(sandbox.pay(try SandboxCalls.charge("pm_tok_slow")) == nil)
    sandbox.wait(.seconds(9))
    #expect(sandbox.lastPayment() == .trouble(.unknown(detail: "no answer in time")))
    let lookUp = PaymentCommand.lookUp(operation: .charge, sentAt: VirtualSandbox.start)
    #expect(sandbox.pay(lookUp) == .inProgress)
    sandbox.wait(.seconds(31))
    #expect(sandbox.pay(lookUp) == .captured(chargeID: "ch_k", amount: try SandboxCalls.money(1000)))
  }
}
