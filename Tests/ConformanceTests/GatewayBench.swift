// The sandbox's gateways in virtual time, over a ledger of each kind.

import CheckoutCore
import CheckoutSandbox
import JournalSamples
import SQLiteAdapter
import Synchronization

/// The ledgers that must behave alike.
enum LedgerKind: String, CaseIterable, Sendable {
  case inMemory
  case sqlite
}

/// An exchange, its clock, and what it answered.
final class GatewayBench: Sendable {
  let exchange: SandboxExchange
  let ledger: any SandboxLedger
  let clock = MovableClock()
  private let replies = Mutex<[GatewayReply]>([])
  private let folder: TemporaryFolder?

  init(_ kind: LedgerKind, settings: SandboxSettings = SandboxSettings()) throws {
    let clock = clock
    switch kind {
    case .inMemory:
      folder = nil
      ledger = InMemorySandboxLedger()
    case .sqlite:
      let folder = try TemporaryFolder()
      self.folder = folder
      ledger = try SQLiteSandboxLedger(path: folder.path("ledger.db"), missing: .create)
    }
    exchange = SandboxExchange(
      ledger: ledger, settings: settings,
      clock: SandboxClock(
        now: { clock.now }, boot: { BootTime(nanoseconds: (clock.now - SampleAttempts.start).nanoseconds) }))
  }

  /// Everything answered so far.
  func taken() -> [GatewayReply] {
    exchange.advance()
    return replies.withLock { replies in
      defer { replies = [] }
      return replies
    }
  }

  func inventory(_ command: InventoryCommand, key: String, notAfter: BootTime = .never) {
    exchange.inventory.submit([call(command, key, notAfter)]) { new in self.replies.withLock { $0 += new } }
  }

  func payment(_ command: PaymentCommand, key: String, notAfter: BootTime = .never) {
    exchange.payments.submit([call(command, key, notAfter)]) { new in self.replies.withLock { $0 += new } }
  }

  func receipt(_ command: ReceiptCommand, key: String) {
    exchange.receipts.submit([call(command, key, .never)]) { new in self.replies.withLock { $0 += new } }
  }

  private func call<Command>(_ command: Command, _ key: String, _ notAfter: BootTime) -> GatewayCall<Command> {
    GatewayCall(id: 1, key: ProviderKey(text: key), notAfter: notAfter, merchantID: "shop-eu", command: command)
  }
}
