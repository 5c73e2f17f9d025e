// What services do to workers beside their rules: outages, misconfiguration, answers that come twice.

import CheckoutCore
import CheckoutSandbox
import Synchronization

/// The state of the three services. Any thread.
package final class ServiceTrouble: Sendable {
  /// What all services do at present.
  package enum Mode: Hashable, Sendable {
    /// Answer by their rules.
    case working
    /// Refuse everything for the moment.
    case outage
    /// Know us no longer: 401, wrong path.
    case misconfigured
  }

  private let state = Mutex(Mode.working)

  init() {}

  /// What they do now.
  package var mode: Mode { state.withLock { mode in mode } }

  /// Changes what they do from now on.
  package func set(_ mode: Mode) { state.withLock { $0 = mode } }

  /// The answer to every call; nil: by their rules.
  var answer: CallTrouble? {
    switch mode {
    case .working: nil
    case .outage: .notApplied(.transient, detail: "the service is down")
    case .misconfigured: .misconfigured(detail: "401")
    }
  }
}

/// One worker's three gateways with that trouble in front of them.
struct TroubledGateways {
  let inventory: TroubledInventoryGateway
  let payments: TroubledPaymentGateway
  let receipts: TroubledReceiptGateway

  init(_ exchange: SandboxExchange, services: ServiceTrouble, faults: FaultSource, actor: Int) {
    let front = ServiceFront(services: services, faults: faults, actor: actor)
    inventory = TroubledInventoryGateway(exchange.inventory, front)
    payments = TroubledPaymentGateway(exchange.payments, front)
    receipts = TroubledReceiptGateway(exchange.receipts, front)
  }
}

/// What stands between a worker and a service.
struct ServiceFront: Sendable {
  let services: ServiceTrouble
  let faults: FaultSource
  let actor: Int

  /// Answers that may come twice.
  func repeating(_ sink: @escaping GatewaySink) -> GatewaySink {
    { [faults, actor] replies in
      sink(replies)
      if faults.strikes(.serviceReplyTwice, actor) { sink(replies) }
    }
  }
}

/// See `ServiceTrouble`.
final class TroubledInventoryGateway: InventoryGateway {
  private let inner: SandboxInventoryGateway
  private let front: ServiceFront

  init(_ inner: SandboxInventoryGateway, _ front: ServiceFront) {
    self.inner = inner
    self.front = front
  }

  var confirms: Bool { inner.confirms }

  func submit(_ calls: [GatewayCall<InventoryCommand>], sink: @escaping GatewaySink) {
    if let trouble = front.services.answer { return sink(calls.map { .inventory(callID: $0.id, .trouble(trouble)) }) }
    inner.submit(calls, sink: front.repeating(sink))
  }

  func withdraw(_ callIDs: [UInt64]) { inner.withdraw(callIDs) }
}

/// See `ServiceTrouble`.
final class TroubledPaymentGateway: PaymentGateway {
  private let inner: SandboxPaymentGateway
  private let front: ServiceFront

  init(_ inner: SandboxPaymentGateway, _ front: ServiceFront) {
    self.inner = inner
    self.front = front
  }

  var traits: PaymentTraits { inner.traits }

  func submit(_ calls: [GatewayCall<PaymentCommand>], sink: @escaping GatewaySink) {
    if let trouble = front.services.answer { return sink(calls.map { .payment(callID: $0.id, .trouble(trouble)) }) }
    inner.submit(calls, sink: front.repeating(sink))
  }

  func withdraw(_ callIDs: [UInt64]) { inner.withdraw(callIDs) }
}

/// See `ServiceTrouble`.
final class TroubledReceiptGateway: ReceiptGateway {
  private let inner: SandboxReceiptGateway
  private let front: ServiceFront

  init(_ inner: SandboxReceiptGateway, _ front: ServiceFront) {
    self.inner = inner
    self.front = front
  }

  var keyWindow: TimeSpan { inner.keyWindow }

  func submit(_ calls: [GatewayCall<ReceiptCommand>], sink: @escaping GatewaySink) {
    if let trouble = front.services.answer { return sink(calls.map { .receipt(callID: $0.id, .trouble(trouble)) }) }
    inner.submit(calls, sink: front.repeating(sink))
  }

  func withdraw(_ callIDs: [UInt64]) { inner.withdraw(callIDs) }
}
