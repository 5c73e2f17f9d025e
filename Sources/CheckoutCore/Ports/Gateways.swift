// The three services the facade speaks to. Calls go in by batches, answers come back later as events: a thousand
// calls in flight cost a thousand table rows, not a thousand tasks.

/// Which call of an attempt; part of the provider key.
package enum Operation: String, Hashable, CaseIterable, Sendable {
  case reserve
  case confirm
  case release
  case charge
  case void
  case refund
  case receipt
}

/// The idempotency key a provider sees: derived, never drawn, so that even a lost row meets the same key again.
package struct ProviderKey: Hashable, Sendable {
  /// Printable ASCII, at most 80 characters.
  package let text: String

  package init(text: String) {
    self.text = text
  }
}

/// One call to a service, with what every call carries.
package struct GatewayCall<Command: Hashable & Sendable>: Hashable, Sendable {
  /// Names the call in its answer; unique in the worker.
  package let id: UInt64
  /// The same call always has the same key.
  package let key: ProviderKey
  /// The call must not go on the wire after this (worker's boot clock, see `BootTime`); past it the answer is `notSent`.
  package let notAfter: BootTime
  /// The merchant, for routing to its account at the service.
  package let merchantID: String
  /// What is asked of the service.
  package let command: Command

  package init(id: UInt64, key: ProviderKey, notAfter: BootTime, merchantID: String, command: Command) {
    self.id = id
    self.key = key
    self.notAfter = notAfter
    self.merchantID = merchantID
    self.command = command
  }
}

/// Commands to the inventory service.
package enum InventoryCommand: Hashable, Sendable {
  /// Hold these lines for this checkout.
  case reserve(checkoutID: String, lines: [CheckoutRequest.Line])
  /// Turn the hold into a sale.
  case confirm(reservationID: String)
  /// Give the hold back.
  case release(reservationID: String)
}

/// Commands to the payment service.
package enum PaymentCommand: Hashable, Sendable {
  /// Take (or hold, if `capture` is manual) exactly `amount`.
  case charge(
    amount: Amount, checkoutID: String, reservationID: String, methodToken: String,
    capture: CheckoutRequest.Capture)
  /// What became of the call with this key? `operation` is charge, void or refund; `sentAt` its first send.
  case lookUp(operation: Operation, sentAt: Timestamp)
  /// Give back an authorisation, or cancel an open intent.
  case void(chargeID: String)
  /// Give back exactly `amount` of what was captured.
  case refund(chargeID: String, amount: Amount)
}

/// Commands to the receipt service.
package enum ReceiptCommand: Hashable, Sendable {
  /// Send the customer one receipt.
  case create(chargeID: String?, amount: Amount, request: ValidatedRequest)
}

/// What a payment provider promises; the machine's decisions about unknown charges rest on it.
package struct PaymentTraits: Hashable, Sendable {
  /// How long the provider remembers a key, for charges; zero: never.
  package let chargeKeyWindow: TimeSpan
  /// The same for voids and refunds.
  package let compensationKeyWindow: TimeSpan
  /// True if the provider answers a repeated key with the stored 5xx of its first try.
  package let cachesServerErrors: Bool
  /// How long after a send a `notFound` may still be wrong.
  package let lookUpLag: TimeSpan

  package init(
    chargeKeyWindow: TimeSpan, compensationKeyWindow: TimeSpan, cachesServerErrors: Bool, lookUpLag: TimeSpan
  ) {
    self.chargeKeyWindow = chargeKeyWindow
    self.compensationKeyWindow = compensationKeyWindow
    self.cachesServerErrors = cachesServerErrors
    self.lookUpLag = lookUpLag
  }
}

/// A batch of answers, delivered by a gateway on any thread.
package enum GatewayReply: Hashable, Sendable {
  case inventory(callID: UInt64, InventoryReply)
  case payment(callID: UInt64, PaymentReply)
  case receipt(callID: UInt64, ReceiptReply)
}

/// Where a gateway delivers its answers; may be called on any thread, never blocks.
package typealias GatewaySink = @Sendable ([GatewayReply]) -> Void

/// Holds stock, turns holds into sales, gives them back.
///
/// `submit` never blocks and answers each call exactly once through `sink`, in any order.
package protocol InventoryGateway: AnyObject, Sendable {
  /// False if the service has no confirm step: the machine then skips it.
  var confirms: Bool { get }
  /// Hands over calls; answers come through `sink`.
  func submit(_ calls: [GatewayCall<InventoryCommand>], sink: @escaping GatewaySink)
  /// Drops calls that are not yet on the wire; each is answered `notSent`. The others are answered as usual.
  func withdraw(_ callIDs: [UInt64])
}

/// Takes money, tells what became of it, gives it back. Same rules as `InventoryGateway`.
package protocol PaymentGateway: AnyObject, Sendable {
  /// What the machine must know of the provider; never changes.
  var traits: PaymentTraits { get }
  /// Hands over calls; answers come through `sink`.
  func submit(_ calls: [GatewayCall<PaymentCommand>], sink: @escaping GatewaySink)
  /// Drops calls that are not yet on the wire; each is answered `notSent`.
  func withdraw(_ callIDs: [UInt64])
}

/// Sends receipts. Same rules as `InventoryGateway`.
package protocol ReceiptGateway: AnyObject, Sendable {
  /// How long the service remembers a key; zero: never.
  var keyWindow: TimeSpan { get }
  /// Hands over calls; answers come through `sink`.
  func submit(_ calls: [GatewayCall<ReceiptCommand>], sink: @escaping GatewaySink)
  /// Drops calls that are not yet on the wire; each is answered `notSent`.
  func withdraw(_ callIDs: [UInt64])
}
