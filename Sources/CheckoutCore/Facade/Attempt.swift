// One attempt to pay one checkout: the journal's row, and the whole memory of the saga. Everything the machines decide
// follows from this value, so that any worker can go on after any crash.

/// A worker's identity in the journal: its stable name and one incarnation of it (`name/incarnation`).
package struct WorkerID: Hashable, Sendable {
  /// Compared as a whole; its parts are for people.
  package let text: String

  package init(_ text: String) {
    self.text = text
  }
}

/// The stage that looks after an open attempt now.
package enum Custody: String, Hashable, CaseIterable, Sendable {
  case facade
  case reconciliation
}

/// Who will publish the attempt's outcome (saga: "who answers"): exactly one message at any time.
package enum OwedBy: Hashable, Sendable {
  /// The worker of the message at this place.
  case message(Position)
  /// The worker that will consume the pending event with this id.
  case event(String)
}

/// The origin of another copy of the request, or of a cancellation, that is to get an answer of its own.
package struct Waiter: Hashable, Sendable {
  /// Whose answer it will be: the copy's own origin.
  package let origin: Origin
  /// The message that listed it.
  package let listedBy: Position
  /// False: answered together with the outcome. True: listed after the end, answered by `listedBy` itself.
  package let afterEnd: Bool

  package init(origin: Origin, listedBy: Position, afterEnd: Bool) {
    self.origin = origin
    self.listedBy = listedBy
    self.afterEnd = afterEnd
  }
}

/// Where an attempt stands. `parked` is not a state of its own but a mark on one (`Attempt.parked`), so that a person's
/// retry goes on exactly where it stopped.
///
/// Valid transitions, in the order of a good day: reserving → charging → receipting → completed.
/// - reserving → charging | receipting (total 0) | releasing | failed
/// - charging → receipting | releasing | refunding
/// - receipting → completed | receiptPending | refunding
/// - receiptPending → completed | refunding
/// - releasing → failed | cancelled
/// - refunding → failed | cancelled
/// - completed, failed, cancelled: the end.
package enum AttemptState: Hashable, Sendable {
  /// A reserve may have been sent under the latest generation's key.
  case reserving
  /// Stock is held; a charge is about to be sent, was sent, or is unknown (`Attempt.charge`).
  case charging
  /// Paid, authorised or free: confirm the hold, then create the receipt.
  case receipting
  /// As `receipting`, but the facade has given it to reconciliation and said so (`checkout.receipt_pending`).
  case receiptPending
  /// Nothing is charged; holds are being given back, then the attempt ends.
  case releasing(EndReason)
  /// Money is being given back, then holds, then the attempt ends.
  case refunding(EndReason)
  /// Paid (or free) and receipted.
  case completed
  /// Ended unpaid.
  case failed(EndReason)
  /// Undone at the customer's request.
  case cancelled
}

/// Why an attempt ends unpaid: the code of `checkout.failed`. Raw values are the wire's and the journal's.
package enum EndReason: String, Hashable, CaseIterable, Sendable {
  case outOfStock = "out_of_stock"
  case requestExpired = "request_expired"
  case inventoryRefused = "inventory_refused"
  case reservationExpired = "reservation_expired"
  case paymentDeclined = "payment_declined"
  case paymentActionRequired = "payment_action_required"
  case paymentUnavailable = "payment_unavailable"
  case paymentRefused = "payment_refused"
  case amountMismatch = "amount_mismatch"
  /// The customer cancelled: ends as `checkout.cancelled`, never as `checkout.failed`.
  case cancelled = "cancelled"
  /// A person closed it by hand.
  case closedByPerson = "closed_by_person"
}

/// Why a person is needed. Raw values are the wire's and the journal's.
package enum ParkReason: String, Hashable, CaseIterable, Sendable {
  case receiptRefused = "receipt_refused"
  case receiptBudgetSpent = "receipt_budget_spent"
  case receiptUnknown = "receipt_unknown"
  case confirmRefused = "confirm_refused"
  case chargeUnknown = "charge_unknown"
  case reserveUnsettled = "reserve_unsettled"
  case releaseRefused = "release_refused"
  case releaseBudgetSpent = "release_budget_spent"
  case refundRefused = "refund_refused"
  case refundBudgetSpent = "refund_budget_spent"
  case refundUnknown = "refund_unknown"
  /// The journal refused this row's data.
  case journalRefused = "journal_refused"
}

/// The mark of a parked attempt.
package struct Parked: Hashable, Sendable {
  /// What a person has to look into.
  package let reason: ParkReason
  /// What the service said last; no personal data.
  package let detail: String
  /// Journal time.
  package let at: Timestamp
  /// The message whose worker publishes the notice; nil: whoever owes the outcome.
  package let noticeBy: Position?

  package init(reason: ParkReason, detail: String, at: Timestamp, noticeBy: Position? = nil) {
    self.reason = reason
    self.detail = detail
    self.at = at
    self.noticeBy = noticeBy
  }
}

/// A hold on stock, one for each generation of reserve key.
package struct Hold: Hashable, Sendable {
  /// What became of the hold. Valid transitions: intended → held | refused; held → confirmed | gone | released;
  /// confirmed → released; refused → held (carried out late); gone and released: the end.
  package enum Status: String, Hashable, CaseIterable, Sendable {
    /// A reserve under this generation's key may have been sent; its answer is not known.
    case intended
    case held
    case confirmed
    /// The service no longer knows it (it ran out).
    case gone
    case released
    /// The service refused: nothing is held.
    case refused
  }

  /// 1, or more after a hold ran out and stock was reserved again.
  package let generation: Int
  /// What is known of it now.
  package var status: Status
  /// Known from `held` on.
  package var reservationID: String?
  /// The service's word on how long it holds; known from `held` on.
  package var expiresAt: Timestamp?

  package init(generation: Int, status: Status, reservationID: String? = nil, expiresAt: Timestamp? = nil) {
    self.generation = generation
    self.status = status
    self.reservationID = reservationID
    self.expiresAt = expiresAt
  }
}

/// A recorded cancellation.
package struct RecordedCancel: Hashable, Sendable {
  /// Who: the cancellation's own message.
  package let origin: Origin
  /// The customer's or the merchant's word, as sent.
  package let reason: String
  /// Journal time.
  package let at: Timestamp

  package init(origin: Origin, reason: String, at: Timestamp) {
    self.origin = origin
    self.reason = reason
    self.at = at
  }
}

/// An attempt given to reconciliation: the pending event that carries it.
package struct HandOver: Hashable, Sendable {
  /// Derived, so that a repeat publishes the same event.
  package let eventID: String
  /// Which kind of pending work it is.
  package let type: EventType
  /// Not to be worked on before this (journal time); nil: at once.
  package let notBefore: Timestamp?
  /// Number of the `checkout.receipt_pending` notice published beside it; nil: none.
  package let noticeNumber: Int?
  /// Journal time of the hand-over; `ce_time` of the event.
  package let at: Timestamp

  package init(eventID: String, type: EventType, notBefore: Timestamp?, noticeNumber: Int?, at: Timestamp) {
    self.eventID = eventID
    self.type = type
    self.notBefore = notBefore
    self.noticeNumber = noticeNumber
    self.at = at
  }
}

/// How long something has been tried, and when next.
package struct RetrySchedule: Hashable, Sendable {
  /// Journal time of the first failure.
  package var since: Timestamp
  /// Failures so far, at least 1; the exponent of the backoff.
  package var tries: Int
  /// Journal time; nothing is tried before.
  package var nextAt: Timestamp

  package init(since: Timestamp, tries: Int, nextAt: Timestamp) {
    self.since = since
    self.tries = tries
    self.nextAt = nextAt
  }
}

/// The watch on an attempt that ended unpaid although a charge was sent and never definitely refused: it is looked up
/// again at 1 h, 24 h and the end of the provider's key window. A late success owes one refund or void. Stock that was
/// reserved late, after the end, is given back on the same way.
package struct Watch: Hashable, Sendable {
  /// Look-ups already done, 0 to 3.
  package var lookUpsDone: Int
  /// Journal time of the next look-up.
  package var nextAt: Timestamp
  /// What a late success owes; nil while none was seen.
  package var owed: Compensation?

  package init(lookUpsDone: Int, nextAt: Timestamp, owed: Compensation? = nil) {
    self.lookUpsDone = lookUpsDone
    self.nextAt = nextAt
    self.owed = owed
  }
}

/// The journal's row of one attempt.
package struct Attempt: Hashable, Sendable {
  // Never changes.
  /// Merchant, checkout and idempotency key.
  package let identity: AttemptIdentity
  /// The request message the outcome answers.
  package let origin: Origin
  /// Of the request's content: the same key with another one is a conflict.
  package let fingerprint: Fingerprint
  /// What was asked, as validation let it pass.
  package let request: ValidatedRequest
  /// Of the request's own message; every event about the attempt carries it on.
  package let trace: TraceContext?
  /// Journal time.
  package let createdAt: Timestamp

  // The journal's bookkeeping.
  /// 1 when created; each write adds 1 and is conditional on the one before.
  package var version: Int64
  /// Raised by each take-over; a write with an older one is refused.
  package var epoch: Int64
  /// Nil: given up, anybody may go on.
  package var owner: WorkerID?
  /// The stage that looks after it now.
  package var custody: Custody
  /// The one message whose worker publishes the outcome.
  package var owedBy: OwedBy
  /// The latest hand-over to reconciliation; nil: there was none.
  package var handOver: HandOver?
  /// Copies that get an answer of their own, in the order they were listed.
  package var waiting: [Waiter]

  // The saga.
  /// Where the saga stands.
  package var state: AttemptState
  /// Set while a person is needed; the state stays as it was.
  package var parked: Parked?
  /// One for each generation, oldest first; never empty.
  package var holds: [Hold]
  /// The one charge; its key is the same in every send.
  package var charge: Charge
  /// The refund or void owed or done; nil: none was ever owed.
  package var compensation: Compensation?
  /// The one receipt; its key is the same in every send.
  package var receipt: Receipt
  /// The first cancellation that took effect; nil: none.
  package var cancel: RecordedCancel?
  /// Of the step being tried again; nil: nothing has failed since the last success.
  package var retry: RetrySchedule?
  /// Set when it ended unpaid with a charge that might still come through.
  package var watch: Watch?
  /// Notices published so far.
  package var parkedNotices: Int
  /// `checkout.receipt_pending` notices published so far.
  package var receiptPendingNotices: Int
  /// What a service said last, for a person; no personal data.
  package var lastTrouble: String?
  /// `line_id`s without stock, if that is why it ended.
  package var outOfStockLines: [String]
  /// Journal time of the latest write, and of the end.
  package var updatedAt: Timestamp
  /// Journal time of the end; nil while open.
  package var endedAt: Timestamp?

  /// A new attempt: nothing sent, about to reserve, owed by the message at `message`.
  package init(
    request: ValidatedRequest, origin: Origin, fingerprint: Fingerprint, trace: TraceContext?, message: Position,
    owner: WorkerID, at now: Timestamp
  ) {
    identity = request.identity
    self.origin = origin
    self.fingerprint = fingerprint
    self.request = request
    self.trace = trace
    createdAt = now
    version = 1
    epoch = 1
    self.owner = owner
    custody = .facade
    owedBy = .message(message)
    handOver = nil
    waiting = []
    state = .reserving
    parked = nil
    holds = [Hold(generation: 1, status: .intended)]
    charge = Charge()
    compensation = nil
    receipt = Receipt()
    cancel = nil
    retry = nil
    watch = nil
    parkedNotices = 0
    receiptPendingNotices = 0
    lastTrouble = nil
    outOfStockLines = []
    updatedAt = now
    endedAt = nil
  }

  /// An attempt as the journal gives it back: the parts that never change; the rest is set by the caller.
  package init(
    restoring request: ValidatedRequest, origin: Origin, fingerprint: Fingerprint, trace: TraceContext?,
    createdAt: Timestamp, owedBy: OwedBy
  ) {
    self.init(
      request: request, origin: origin, fingerprint: fingerprint, trace: trace,
      message: Position(topic: "-", partition: 0, offset: 0, timestampMilliseconds: 0),
      owner: WorkerID("-"), at: createdAt)
    self.owedBy = owedBy
    owner = nil
  }
}

extension Attempt {
  /// True once the attempt is completed, failed or cancelled.
  package var hasEnded: Bool {
    switch state {
    case .completed, .failed, .cancelled: true
    case .reserving, .charging, .receipting, .receiptPending, .releasing, .refunding: false
    }
  }

  /// True while money is with us: captured or authorised and not given back, or owed back after a late success.
  package var holdsMoney: Bool {
    if let owed = watch?.owed {
      return if case .done = owed.status { false } else { true }
    }
    return heldMoneyAtEnd
  }

  /// As `holdsMoney`, without what came after the end: what the outcome says stays as it was published.
  package var heldMoneyAtEnd: Bool {
    switch charge.status {
    case .captured, .authorised:
      if case .done = compensation?.status { false } else { true }
    case .none, .notRequired, .sent, .declined, .actionRequired, .refused, .absent: false
    }
  }

  /// True if money was ever captured or authorised, given back or not.
  package var everHeldMoney: Bool {
    if watch?.owed != nil { return true }
    return switch charge.status {
    case .captured, .authorised: true
    case .none, .notRequired, .sent, .declined, .actionRequired, .refused, .absent: false
    }
  }

  /// False only for an attempt that has ended without money ever moving, without a watch and with its charge settled:
  /// then, and only then, its checkout may be tried again under a new key. The journal keeps at most one blocking
  /// attempt for each checkout.
  package var blocksCheckout: Bool {
    if case .failed = state { everHeldMoney || watch != nil && !isWatchedForStockOnly || charge.isOpen } else { true }
  }

  /// True while late stock is to be given back, and no charge can still come through: nothing that closes the checkout.
  var isWatchedForStockOnly: Bool {
    guard let watch, watch.owed == nil, owesLateStock else { return false }
    return !charge.mayStillComeThrough
  }

  /// True if an attempt that ended unpaid holds stock: a reserve that was carried out late.
  package var owesLateStock: Bool {
    switch state {
    case .failed, .cancelled: holds.contains { $0.status == .held || $0.status == .confirmed }
    case .reserving, .charging, .receipting, .receiptPending, .releasing, .refunding, .completed: false
    }
  }

  /// The hold of the latest generation.
  package var hold: Hold { holds[holds.count - 1] }

  /// What has to be paid.
  package var amount: Amount { request.total }
}
