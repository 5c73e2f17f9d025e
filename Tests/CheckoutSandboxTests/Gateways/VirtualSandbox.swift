// The sandbox's services in virtual time: calls go in, the clock is moved by hand, answers come out.

import CheckoutCore
import CheckoutSandbox
import JournalSamples
import Synchronization
import Testing

private final class VirtualTime: Sendable {
  private let value = Mutex(VirtualSandbox.start)
  var now: Timestamp { value.withLock { $0 } }
  func move(by span: TimeSpan) { value.withLock { $0 = $0 + span } }
}

/// An exchange over a ledger in memory, its clock, and what it answered.
final class VirtualSandbox: Sendable {
  static let start = SampleAttempts.start

  let ledger = InMemorySandboxLedger()
  let exchange: SandboxExchange
  private let time: VirtualTime
  private let replies = Mutex<[GatewayReply]>([])

  init(
    settings: SandboxSettings = SandboxSettings(), network: SandboxNetwork = SandboxNetwork(),
    outages: @escaping @Sendable () -> SandboxOutages = { SandboxOutages() }
  ) {
    let time = VirtualTime()
    self.time = time
    exchange = SandboxExchange(
      ledger: ledger, settings: settings, network: network,
      clock: SandboxClock(now: { time.now }, boot: { BootTime(nanoseconds: (time.now - Self.start).nanoseconds) }),
      outages: outages)
  }

  /// Moves both clocks.
  func wait(_ span: TimeSpan) { time.move(by: span) }

  /// Everything answered by now that was not taken before.
  func taken() -> [GatewayReply] {
    exchange.advance()
    return replies.withLock { replies in
      defer { replies = [] }
      return replies
    }
  }

  /// What the payment service answers at once; nil: nothing yet.
  func pay(_ command: PaymentCommand, key: String = "k") -> PaymentReply? {
    exchange.payments.submit([call(command, key)]) { new in self.replies.withLock { $0 += new } }
    return lastPayment()
  }

  /// The payment reply that has arrived by now; nil: none.
  func lastPayment() -> PaymentReply? {
    guard case .payment(_, let reply)? = taken().last else { return nil }
    return reply
  }

  /// What the inventory service answers at once; nil: nothing yet.
  func stock(_ command: InventoryCommand, key: String = "k") -> InventoryReply? {
    exchange.inventory.submit([call(command, key)]) { new in self.replies.withLock { $0 += new } }
    guard case .inventory(_, let reply)? = taken().last else { return nil }
    return reply
  }

  /// What the receipt service answers at once; nil: nothing yet.
  func receipt(_ command: ReceiptCommand, key: String = "k") -> ReceiptReply? {
    exchange.receipts.submit([call(command, key)]) { new in self.replies.withLock { $0 += new } }
    return lastReceipt()
  }

  /// The receipt reply that has arrived by now; nil: none.
  func lastReceipt() -> ReceiptReply? {
    guard case .receipt(_, let reply)? = taken().last else { return nil }
    return reply
  }

  private func call<Command>(_ command: Command, _ key: String) -> GatewayCall<Command> {
    GatewayCall(id: 1, key: ProviderKey(text: key), notAfter: .never, merchantID: "shop-eu", command: command)
  }
}

/// Calls and amounts of the tests.
enum SandboxCalls {
  static func money(_ minor: Int64) throws -> Amount {
    Amount(minor: minor, currency: try #require(Currency(code: "EUR")))
  }

  static func charge(
    _ token: String, _ minor: Int64 = 1000, capture: CheckoutRequest.Capture = .automatic
  ) throws -> PaymentCommand {
    .charge(amount: try money(minor), checkoutID: "chk_1", reservationID: "res_1", methodToken: token, capture: capture)
  }

  static func reserve(_ skus: String..., checkout: String = "chk_1") -> InventoryCommand {
    .reserve(
      checkoutID: checkout,
      lines: skus.enumerated().map { index, sku in
        CheckoutRequest.Line(lineID: "line-\(index + 1)", sku: sku, quantity: 1, unitPriceMinor: 1000, title: nil)
      })
  }

  static func receipt(email: String) throws -> ReceiptCommand {
    let attempt = try #require(SampleAttempts.new("key-of-a-receipt-0001", checkout: "chk_1", email: email))
    return .create(chargeID: "ch_k", amount: try money(1000), request: attempt.request)
  }
}
