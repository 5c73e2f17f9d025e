// Cancellations (saga: "Cancellation"): the row decides every race. Recorded before `completed` is written: undone.

extension WhoAnswers {
  /// How many of a checkout's attempts a cancellation looks at: enough to find the one that listed it before a crash.
  package static let attemptsLookedAt = 20

  /// Which of a checkout's attempts a message with this origin is about: the one that has listed it already, else the
  /// first. A cancellation that comes again after its attempt has failed must not hit the attempt begun since.
  package func addressed(by origin: Origin, among views: [AttemptView]) -> AttemptView? {
    views.first { $0.attempt.waiting.contains { $0.origin == origin } } ?? views.first
  }

  /// What a cancellation does to the checkout's open attempt, else its last one.
  package func cancel(_ view: AttemptView?, reason: String, _ asking: Asking) -> Admission {
    guard let row = view?.attempt else {
      return refuse(.unknownCheckout, "Nobody knows this checkout.")
    }
    if let admission = listed(row, asking) { return admission }
    switch row.state {
    case .completed: return refuse(.cancelTooLate, "This checkout is completed; only a refund can undo it.")
    case .failed: return refuse(.nothingToCancel, "This checkout has ended unpaid.")
    case .cancelled: return list(row, asking)
    case .reserving, .charging, .receipting, .receiptPending, .releasing, .refunding:
      return record(row, reason: reason, asking)
    }
  }

  private func refuse(_ code: RefusalCode, _ message: String) -> Admission {
    .answer(.refuse([Refusal(code, path: "/checkout_id", message: message)]))
  }

  /// Records the cancellation and lists its origin. An attempt that reconciliation holds, or that is parked with money,
  /// is handed over anew, at once.
  private func record(_ row: Attempt, reason: String, _ asking: Asking) -> Admission {
    if row.cancel != nil { return list(row, asking) }
    let goesOn = if case .releasing = row.state { true } else if case .refunding = row.state { true } else { false }
    let isHandedOver = row.parked != nil ? row.holdsMoney : row.custody == .reconciliation && !goesOn
    let next = changed(row, asking.now) { next in
      next.cancel = RecordedCancel(origin: asking.origin, reason: reason, at: asking.now)
      next.waiting.append(Waiter(origin: asking.origin, listedBy: asking.message, afterEnd: false))
      if isHandedOver {
        next.parked = nil
        next.retry = nil
        if case .refused = next.compensation?.status { next.compensation?.takeBackSend() }
        next.handOver(from: asking.message, notBefore: nil, at: asking.now, context.identifiers)
      }
    }
    let detail = [Step.Detail("origin", asking.origin.position.text), Step.Detail("reason", reason)]
    return .write(
      write(next, "cancellation recorded", detail, asking.message), then: isHandedOver ? .handOver(next) : .nothing)
  }
}
