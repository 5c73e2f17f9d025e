// The thread that drives the services in a process: delays, deadlines, withdrawing, stopping; each many times, because
// what can go wrong is a race.

import CheckoutCore
import CheckoutSandbox
import JournalSamples
import Operations
import Testing

@Suite(.serialized) struct SandboxThreadTests {
  private static let rounds = 50

  private static var clock: SandboxClock {
    let system = SystemClock()
    return SandboxClock(
      now: { Timestamp(nanoseconds: system.wallNanoseconds()) },
      boot: { BootTime(nanoseconds: system.bootNanoseconds()) })
  }

  private static func thread(latency: TimeSpan = .zero) throws -> (SandboxThread, InMemorySandboxLedger) {
    let ledger = InMemorySandboxLedger()
    let network = SandboxNetwork(latencyMin: latency, latencyMax: latency)
    return (try SandboxThread(ledger: ledger, network: network, clock: clock), ledger)
  }

  private static func release(_ id: UInt64, notAfter: BootTime = .never) -> GatewayCall<InventoryCommand> {
    GatewayCall(
      id: id, key: ProviderKey(text: "release-\(id)"), notAfter: notAfter, merchantID: "shop-eu",
      command: .release(reservationID: "res_x"))
  }

  @Test("every call of several submitters is answered once, 50 times")
  func everyCall() throws {
    for _ in 0..<Self.rounds {
      let (thread, _) = try Self.thread()
      let box = AnswerBox<GatewayReply>()
      let submitters = try (0..<4).map { number in
        try NamedThread(name: "submitter") {
          for call in 0..<25 {
            thread.exchange.inventory.submit([Self.release(UInt64(number * 25 + call))]) { box.put($0) }
          }
        }
      }
      for submitter in submitters { submitter.join() }
      let ids = box.wait(for: 100).map(\.callID).sorted()
      #expect(ids == (0..<100).map { UInt64($0) })
      thread.stop()
    }
  }

  @Test("a reply takes its time and does not come before, 50 times")
  func delay() throws {
    for _ in 0..<Self.rounds {
      let (thread, _) = try Self.thread(latency: .milliseconds(3))
      let box = AnswerBox<GatewayReply>()
      let begin = ContinuousClock().now
      thread.exchange.inventory.submit([Self.release(1)]) { box.put($0) }
      #expect(box.wait(for: 1) == [.inventory(callID: 1, .released)])
      #expect(ContinuousClock().now - begin >= .milliseconds(3))
      thread.stop()
    }
  }

  @Test("a call past its time is answered as not sent and leaves no trace, 50 times")
  func notAfter() throws {
    for _ in 0..<Self.rounds {
      let (thread, ledger) = try Self.thread()
      let box = AnswerBox<GatewayReply>()
      let past = BootTime(nanoseconds: Self.clock.boot().nanoseconds - 1)
      thread.exchange.inventory.submit([Self.release(1, notAfter: past)]) { box.put($0) }
      #expect(box.wait(for: 1) == [.inventory(callID: 1, .trouble(.notSent))])
      #expect(try ledger.entries(after: 0, limit: 10) == [])
      thread.stop()
    }
  }

  @Test("a withdrawn call is answered once: not sent, or as it was carried out, 50 times")
  func withdraw() throws {
    for _ in 0..<Self.rounds {
      let (thread, _) = try Self.thread()
      let box = AnswerBox<GatewayReply>()
      thread.exchange.inventory.submit((0..<20).map { Self.release(UInt64($0)) }) { box.put($0) }
      thread.exchange.inventory.withdraw((0..<20).map { UInt64($0) })
      let replies = box.wait(for: 20)
      #expect(replies.map(\.callID).sorted() == (0..<20).map { UInt64($0) })
      for reply in replies {
        let id = reply.callID
        #expect(
          reply == .inventory(callID: id, .trouble(.notSent)) || reply == .inventory(callID: id, .released))
      }
      thread.stop()
      #expect(box.all.count == 20)
    }
  }

  @Test("after stopping nothing is delivered any more, and stopping twice is harmless, 50 times")
  func stop() throws {
    for _ in 0..<Self.rounds {
      let (thread, _) = try Self.thread(latency: .seconds(60))
      let box = AnswerBox<GatewayReply>()
      thread.exchange.inventory.submit([Self.release(1)]) { box.put($0) }
      thread.stop()
      thread.stop()
      #expect(box.all == [])
    }
  }
}

extension GatewayReply {
  fileprivate var callID: UInt64 {
    switch self {
    case .inventory(let id, _), .payment(let id, _), .receipt(let id, _): id
    }
  }
}
