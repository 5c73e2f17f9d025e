// What a desk wants from journal and services in one turn: collected, and sent as one batch for each port.

import CheckoutCore

/// The batches of a turn.
struct Outgoing {
  private(set) var journal: [JournalRequest] = []
  private var inventory: [GatewayCall<InventoryCommand>] = []
  private var payment: [GatewayCall<PaymentCommand>] = []
  private var receipt: [GatewayCall<ReceiptCommand>] = []
  private var withdrawn: [(id: UInt64, operation: Operation)] = []

  mutating func add(_ request: JournalRequest) {
    journal.append(request)
  }

  mutating func add(_ call: SagaCall, id: UInt64, notAfter: BootTime, merchantID: String) {
    switch call.command {
    case .inventory(let command):
      inventory.append(
        GatewayCall(id: id, key: call.key, notAfter: notAfter, merchantID: merchantID, command: command))
    case .payment(let command):
      payment.append(GatewayCall(id: id, key: call.key, notAfter: notAfter, merchantID: merchantID, command: command))
    case .receipt(let command):
      receipt.append(GatewayCall(id: id, key: call.key, notAfter: notAfter, merchantID: merchantID, command: command))
    }
  }

  /// The call is to be taken back, if it is not on the wire yet.
  mutating func withdraw(_ call: (id: UInt64, operation: Operation)) {
    withdrawn.append(call)
  }

  /// Sends everything. What is withdrawn goes last, so that no call is withdrawn before it is there.
  mutating func send(to ports: AttemptPorts, _ journalSink: @escaping JournalSink, _ gatewaySink: @escaping GatewaySink)
  {
    if !journal.isEmpty { ports.journal.submit(journal, sink: journalSink) }
    if !inventory.isEmpty { ports.inventory.submit(inventory, sink: gatewaySink) }
    if !payment.isEmpty { ports.payment.submit(payment, sink: gatewaySink) }
    if !receipt.isEmpty { ports.receipt.submit(receipt, sink: gatewaySink) }
    journal.removeAll(keepingCapacity: true)
    inventory.removeAll(keepingCapacity: true)
    payment.removeAll(keepingCapacity: true)
    receipt.removeAll(keepingCapacity: true)
    if !withdrawn.isEmpty { sendWithdrawals(to: ports) }
  }

  private mutating func sendWithdrawals(to ports: AttemptPorts) {
    var (inventory, payment, receipt): ([UInt64], [UInt64], [UInt64]) = ([], [], [])
    for (id, operation) in withdrawn {
      switch operation {
      case .reserve, .confirm, .release: inventory.append(id)
      case .charge, .void, .refund: payment.append(id)
      case .receipt: receipt.append(id)
      }
    }
    withdrawn.removeAll()
    if !inventory.isEmpty { ports.inventory.withdraw(inventory) }
    if !payment.isEmpty { ports.payment.withdraw(payment) }
    if !receipt.isEmpty { ports.receipt.withdraw(receipt) }
  }
}
