// Drives an exchange inside a process: one named thread that sends, waits for the next reply's time, and delivers.

import CheckoutCore
package import Operations
import Synchronization

/// The sandbox's services running in this process. Replies are delivered on its thread.
package final class SandboxThread: Sendable {
  /// The services; hand its gateways to the workers.
  package let exchange: SandboxExchange
  private let bell = Doorbell()
  private let flag: StopFlag
  private let thread: NamedThread

  /// Starts the thread. Throws when the system refuses one.
  package init(
    ledger: any SandboxLedger, settings: SandboxSettings = SandboxSettings(),
    network: SandboxNetwork = SandboxNetwork(), clock: SandboxClock,
    outages: @escaping @Sendable () -> SandboxOutages = { SandboxOutages() }
  ) throws(ThreadProblem) {
    let bell = bell
    let exchange = SandboxExchange(
      ledger: ledger, settings: settings, network: network, clock: clock, outages: outages,
      onArrival: { bell.ring() })
    self.exchange = exchange
    let stop = StopFlag()
    flag = stop
    thread = try NamedThread(name: "sandbox") {
      while !stop.isRaised {
        let next = exchange.advance()
        bell.wait(nanoseconds: next.map { ($0 - clock.boot()).nanoseconds })
      }
    }
  }

  /// Ends the thread; replies still on their way are never delivered. Called again, it does nothing.
  package func stop() {
    flag.raise()
    bell.ring()
    thread.join()
  }
}

/// Says that the thread is to end.
private final class StopFlag: Sendable {
  private let raised = Atomic(false)

  var isRaised: Bool { raised.load(ordering: .acquiring) }

  func raise() { raised.store(true, ordering: .releasing) }
}
