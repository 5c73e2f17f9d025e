// Every kind of answer, state and event, taken from the types themselves: the switches have no default, so that a new case
// does not compile here until somebody has said what it may mean and has given a sample of it.

import CheckoutCore

/// Kinds of trouble with a call.
enum TroubleKind: String, CaseIterable {
  case notAppliedTransient, notAppliedPermanent, unknown, notSent, misconfigured

  init(_ trouble: CallTrouble) {
    switch trouble {
    case .notApplied(.transient, _): self = .notAppliedTransient
    case .notApplied(.permanent, _): self = .notAppliedPermanent
    case .unknown: self = .unknown
    case .notSent: self = .notSent
    case .misconfigured: self = .misconfigured
    }
  }

  var sample: CallTrouble {
    switch self {
    case .notAppliedTransient: .notApplied(.transient, detail: "503")
    case .notAppliedPermanent: .notApplied(.permanent, detail: "422")
    case .unknown: .unknown(detail: "500")
    case .notSent: .notSent
    case .misconfigured: .misconfigured(detail: "401")
    }
  }

  /// In a table for people.
  var words: String {
    switch self {
    case .notAppliedTransient: "not applied, transient"
    case .notAppliedPermanent: "not applied, permanent"
    case .unknown: "unknown"
    case .notSent: "not sent"
    case .misconfigured: "misconfigured"
    }
  }
}

/// Kinds of answers of the payment service.
enum PaymentKind: String, CaseIterable {
  case captured, authorised, declined, actionRequired, inProgress, notFound, voided, voidRefused, refunded, trouble

  init(_ reply: PaymentReply) {
    switch reply {
    case .captured: self = .captured
    case .authorised: self = .authorised
    case .declined: self = .declined
    case .actionRequired: self = .actionRequired
    case .inProgress: self = .inProgress
    case .notFound: self = .notFound
    case .voided: self = .voided
    case .voidRefused: self = .voidRefused
    case .refunded: self = .refunded
    case .trouble: self = .trouble
    }
  }

  /// With the amount asked, another one, and one in another currency.
  func samples() throws -> [PaymentReply] {
    let amounts = [try SagaSample.euro(9038), try SagaSample.euro(6000), try SagaSample.yen(9038)]
    return switch self {
    case .captured: amounts.map { .captured(chargeID: "ch_1", amount: $0) }
    case .authorised: amounts.map { .authorised(chargeID: "ch_1", amount: $0) }
    case .declined: [.declined(code: "insufficient_funds")]
    case .actionRequired: [.actionRequired(chargeID: "ch_1")]
    case .inProgress: [.inProgress]
    case .notFound: [.notFound]
    case .voided: [.voided]
    case .voidRefused: [.voidRefused(detail: "captured already")]
    case .refunded: amounts.map { .refunded(refundID: "re_1", amount: $0) }
    case .trouble: TroubleKind.allCases.map { .trouble($0.sample) }
    }
  }
}

/// Kinds of answers of the inventory service.
enum InventoryKind: String, CaseIterable {
  case reserved, outOfStock, confirmed, gone, released, trouble

  init(_ reply: InventoryReply) {
    switch reply {
    case .reserved: self = .reserved
    case .outOfStock: self = .outOfStock
    case .confirmed: self = .confirmed
    case .gone: self = .gone
    case .released: self = .released
    case .trouble: self = .trouble
    }
  }

  /// Holds long enough for a charge, and too short for one.
  func samples() -> [InventoryReply] {
    switch self {
    case .reserved:
      [TimeSpan.seconds(600), .seconds(31)].map { .reserved(id: "hold_2", expiresAt: SagaSample.noon + $0) }
    case .outOfStock: [.outOfStock(lines: ["1"])]
    case .confirmed: [.confirmed]
    case .gone: [.gone]
    case .released: [.released]
    case .trouble: TroubleKind.allCases.map { .trouble($0.sample) }
    }
  }
}

/// Kinds of answers of the receipt service.
enum ReceiptKind: String, CaseIterable {
  case created, trouble

  init(_ reply: ReceiptReply) {
    switch reply {
    case .created: self = .created
    case .trouble: self = .trouble
    }
  }

  func samples() -> [ReceiptReply] {
    switch self {
    case .created: [.created(url: "https://r.example/1")]
    case .trouble: TroubleKind.allCases.map { .trouble($0.sample) }
    }
  }
}

/// Kinds of everything that can happen to a machine.
enum SagaEventKind: String, CaseIterable {
  case created, tookOver, written, conflicted, journalRefused, inventory, payment, receipt, due, changed, giveUp
  case serviceIsBack, putBack

  init(_ event: SagaEvent) {
    switch event {
    case .created: self = .created
    case .tookOver: self = .tookOver
    case .written: self = .written
    case .conflicted: self = .conflicted
    case .journalRefused: self = .journalRefused
    case .inventory: self = .inventory
    case .payment: self = .payment
    case .receipt: self = .receipt
    case .due: self = .due
    case .serviceIsBack: self = .serviceIsBack
    case .putBack: self = .putBack
    case .changed: self = .changed
    case .giveUp: self = .giveUp
    }
  }

  /// Events of this kind that can meet a machine whose row is `row`.
  func samples(_ row: Attempt) throws -> [SagaEvent] {
    switch self {
    case .created: [.created]
    case .serviceIsBack: [.serviceIsBack]
    case .putBack: [.putBack]
    case .tookOver: [.tookOver]
    case .written: [.written]
    case .conflicted:
      [
        .conflicted(nil), .conflicted(row.cancelledByCustomer), .conflicted(row.takenByAnother),
        .conflicted(row.takenByAnother.cancelledByCustomer),
      ]
    case .journalRefused: [.journalRefused(detail: "bad data")]
    case .inventory: InventoryKind.allCases.flatMap { $0.samples() }.map(SagaEvent.inventory)
    case .payment: try PaymentKind.allCases.flatMap { try $0.samples() }.map(SagaEvent.payment)
    case .receipt: ReceiptKind.allCases.flatMap { $0.samples() }.map(SagaEvent.receipt)
    case .due: [.due]
    case .changed: [.changed(row), .changed(row.cancelledByCustomer), .changed(row.withCopyListed)]
    case .giveUp: [.giveUp]
    }
  }

  /// Every event of every kind.
  static func all(_ row: Attempt) throws -> [SagaEvent] { try allCases.flatMap { try $0.samples(row) } }

  /// Every answer of every service.
  static func replies(_ row: Attempt) throws -> [SagaEvent] {
    try [Self.inventory, .payment, .receipt].flatMap { try $0.samples(row) }
  }
}

/// States without their reasons.
enum StateKind: String, CaseIterable {
  case reserving, charging, receipting, receiptPending, releasing, refunding, completed, failed, cancelled

  init(_ state: AttemptState) {
    switch state {
    case .reserving: self = .reserving
    case .charging: self = .charging
    case .receipting: self = .receipting
    case .receiptPending: self = .receiptPending
    case .releasing: self = .releasing
    case .refunding: self = .refunding
    case .completed: self = .completed
    case .failed: self = .failed
    case .cancelled: self = .cancelled
    }
  }
}

/// What is known of a charge, without its details.
enum ChargeKind: String, CaseIterable {
  case none, notRequired, sent, captured, authorised, declined, actionRequired, refused, absent

  init(_ status: Charge.Status) {
    switch status {
    case .none: self = .none
    case .notRequired: self = .notRequired
    case .sent: self = .sent
    case .captured: self = .captured
    case .authorised: self = .authorised
    case .declined: self = .declined
    case .actionRequired: self = .actionRequired
    case .refused: self = .refused
    case .absent: self = .absent
    }
  }
}

extension Attempt {
  /// As another write of this worker leaves it: the customer has cancelled.
  var cancelledByCustomer: Attempt {
    var row = self
    row.version += 1
    row.cancel = cancel ?? RecordedCancel(origin: TestWorld.origin(9), reason: "", at: SagaRows.now.time)
    return row
  }

  /// As a take-over by somebody else leaves it.
  var takenByAnother: Attempt {
    var row = self
    row.version += 1
    row.epoch += 1
    row.owner = WorkerID("other/1")
    return row
  }

  /// As a copy of the request leaves it.
  var withCopyListed: Attempt {
    var row = self
    row.version += 1
    row.waiting.append(
      Waiter(origin: TestWorld.origin(8), listedBy: SagaSample.position("validated", 8), afterEnd: hasEnded))
    return row
  }
}
