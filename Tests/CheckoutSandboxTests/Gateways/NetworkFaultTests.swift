// Faults drawn from a seed: the same seed, the same faults; the rates come out; what is lost was or was not carried out.

import CheckoutCore
import CheckoutSandbox
import Testing

@Suite struct NetworkFaultTests {
  private static func outcomes(seed: UInt64, calls: Int = 2000) throws -> (replies: [PaymentReply], entries: Int) {
    let sandbox = VirtualSandbox(
      network: SandboxNetwork(transientPerMille: 100, lostCallPerMille: 50, lostReplyPerMille: 50, seed: seed))
    var replies: [PaymentReply] = []
    for number in 0..<calls {
      let charge = PaymentCommand.charge(
        amount: try SandboxCalls.money(1000), checkoutID: "chk_\(number)", reservationID: "res_\(number)",
        methodToken: "pm_tok_visa_ok", capture: .automatic)
      if let reply = sandbox.pay(charge, key: "k\(number)") {
        replies.append(reply)
      } else {
        sandbox.wait(.seconds(9))
        replies.append(sandbox.lastPayment() ?? .notFound)
      }
    }
    return (replies, try sandbox.ledger.entries(after: 0, limit: calls).count)
  }

  @Test("the same seed draws the same faults, another one others")
  func seeds() throws {
    let first = try Self.outcomes(seed: 7, calls: 300).replies
    #expect(try Self.outcomes(seed: 7, calls: 300).replies == first)
    #expect(try Self.outcomes(seed: 8, calls: 300).replies != first)
  }

  @Test("rates come out, and every captured charge is in the ledger, told or not")
  func rates() throws {
    let (replies, entries) = try Self.outcomes(seed: 1)
    let captured = replies.count { if case .captured = $0 { true } else { false } }
    let busy = replies.count { $0 == .trouble(.notApplied(.transient, detail: "the service is busy")) }
    let unknown = replies.count { $0 == .trouble(.unknown(detail: "no answer in time")) }
    #expect(captured + busy + unknown == 2000)
    #expect((140...260).contains(busy))
    #expect((140...260).contains(unknown))
    // About half of the unknown ones were carried out.
    #expect((60...140).contains(entries - captured))
  }

  @Test("latency lies between its limits and replies come in its order")
  func latency() throws {
    let sandbox = VirtualSandbox(
      network: SandboxNetwork(latencyMin: .milliseconds(10), latencyMax: .milliseconds(20), seed: 3))
    #expect(sandbox.pay(try SandboxCalls.charge("pm_tok_visa_ok")) == nil)
    sandbox.wait(.milliseconds(10) - TimeSpan(nanoseconds: 1))
    #expect(sandbox.lastPayment() == nil)
    sandbox.wait(.milliseconds(10) + TimeSpan(nanoseconds: 1))
    #expect(sandbox.lastPayment() == .captured(chargeID: "ch_k", amount: try SandboxCalls.money(1000)))
  }

  @Test("when the caller's process dies, what was sent stays done and nothing is delivered")
  func death() throws {
    let sandbox = VirtualSandbox(network: SandboxNetwork(latencyMin: .seconds(1), latencyMax: .seconds(1)))
    #expect(sandbox.pay(try SandboxCalls.charge("pm_tok_visa_ok")) == nil)
    sandbox.exchange.dropEverything()
    sandbox.wait(.seconds(60))
    #expect(sandbox.taken() == [])
    #expect(try sandbox.ledger.entries(after: 0, limit: 10).map(\.kind) == [.captured])
  }
}
