// The sandbox's services as the ports see them.

package import CheckoutCore

/// The sandbox's inventory service.
package final class SandboxInventoryGateway: InventoryGateway {
  private let core: ExchangeCore

  init(core: ExchangeCore) {
    self.core = core
  }

  package var confirms: Bool { true }

  package func submit(_ calls: [GatewayCall<InventoryCommand>], sink: @escaping GatewaySink) {
    core.submit(calls.map { .inventory($0) }, sink: sink)
  }

  package func withdraw(_ callIDs: [UInt64]) {
    let ids = Set(callIDs)
    core.withdraw { if case .inventory(let call) = $0 { ids.contains(call.id) } else { false } }
  }
}

/// The sandbox's payment service.
package final class SandboxPaymentGateway: PaymentGateway {
  package let traits: PaymentTraits
  private let core: ExchangeCore

  init(core: ExchangeCore, traits: PaymentTraits) {
    self.core = core
    self.traits = traits
  }

  package func submit(_ calls: [GatewayCall<PaymentCommand>], sink: @escaping GatewaySink) {
    core.submit(calls.map { .payment($0) }, sink: sink)
  }

  package func withdraw(_ callIDs: [UInt64]) {
    let ids = Set(callIDs)
    core.withdraw { if case .payment(let call) = $0 { ids.contains(call.id) } else { false } }
  }
}

/// The sandbox's receipt service.
package final class SandboxReceiptGateway: ReceiptGateway {
  package let keyWindow: TimeSpan
  private let core: ExchangeCore

  init(core: ExchangeCore, keyWindow: TimeSpan) {
    self.core = core
    self.keyWindow = keyWindow
  }

  package func submit(_ calls: [GatewayCall<ReceiptCommand>], sink: @escaping GatewaySink) {
    core.submit(calls.map { .receipt($0) }, sink: sink)
  }

  package func withdraw(_ callIDs: [UInt64]) {
    let ids = Set(callIDs)
    core.withdraw { if case .receipt(let call) = $0 { ids.contains(call.id) } else { false } }
  }
}
