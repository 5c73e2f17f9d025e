// The names of all messages, and which topic each belongs to.

/// Every type of message the pipeline reads or writes (`ce_type`).
package enum EventType: String, Hashable, CaseIterable, Sendable {
  /// A request to pay; what a message is when it names no type.
  case requested = "checkout.requested"
  /// A request to cancel a checkout; on `checkout.requests`, and passed on to `checkout.validated`.
  case cancelRequested = "checkout.cancel_requested"
  /// A request that passed validation, for the facade.
  case validated = "checkout.validated"
  /// A request that validation refuses by a rule that can change; the facade answers it.
  case refused = "checkout.refused"
  /// Outcome: not accepted, nothing was done.
  case rejected = "checkout.rejected"
  /// Outcome: paid (or nothing to pay) and receipted.
  case completed = "checkout.completed"
  /// Outcome: ended unpaid.
  case failed = "checkout.failed"
  /// Outcome: undone at the customer's request.
  case cancelled = "checkout.cancelled"
  /// Notice: paid, the receipt follows.
  case receiptPendingNotice = "checkout.receipt_pending"
  /// Notice: a person is needed.
  case parked = "checkout.parked"
  /// Work for reconciliation: create the receipt.
  case receiptPending = "checkout.receipt.pending"
  /// Work for reconciliation: find out what became of a charge.
  case chargeUnknown = "checkout.charge.unknown"
  /// Work for reconciliation: settle a reserve.
  case reservePending = "checkout.reserve.pending"
  /// Work for reconciliation: undo what is owed.
  case compensationPending = "checkout.compensation.pending"
  /// A person asks to go on with a parked attempt.
  case parkedRetry = "checkout.parked.retry"
  /// A person closes a parked attempt.
  case parkedResolve = "checkout.parked.resolve"

  /// True for the four types that answer a request.
  package var isOutcome: Bool {
    switch self {
    case .rejected, .completed, .failed, .cancelled: true
    case .requested, .cancelRequested, .validated, .refused, .receiptPendingNotice, .parked,
      .receiptPending, .chargeUnknown, .reservePending, .compensationPending, .parkedRetry, .parkedResolve:
      false
    }
  }
}
