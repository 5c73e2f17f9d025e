// What the facade and reconciliation consume, as values.
package import CheckoutCore

/// What validation sends to the facade.
package enum FacadeInput: Hashable, Sendable {
  /// Accepted; becomes a `ValidatedRequest` by readmission, which proves it again.
  case validated(CheckoutRequest, Fingerprint, Decision)
  /// Refused by rules that can change: to be answered from the attempt if there is one, else rejected.
  case refused(AttemptIdentity, Fingerprint, [Refusal], Decision)
  case cancel(CancelRequest)
}

/// What reconciliation consumes.
package enum ReconciliationInput: Hashable, Sendable {
  /// Work of the event's type (`ReceivedEvent.type`).
  case work(PendingWork)
  /// `checkout.parked.retry` or `checkout.parked.resolve`.
  case word(PersonsWord)
}

/// Decodes our own events. Holds no state; any thread.
package enum EventDecoder {
  /// A message of `checkout.validated`.
  package static func facadeInput(_ message: InboundMessage) throws(MalformedEvent) -> ReceivedEvent<FacadeInput> {
    let reader = try EventReader(message)
    let type = try reader.type()
    switch type {
    case .validated: return try reader.event(type, try validated(reader))
    case .refused:
      let content = FacadeInput.refused(
        try reader.identity(), try fingerprint(reader), try failures(reader), try decision(reader))
      return try reader.event(type, content)
    case .cancelRequested: return try reader.event(type, .cancel(try cancel(reader)))
    case .requested, .rejected, .completed, .failed, .cancelled, .receiptPendingNotice, .parked, .receiptPending,
      .chargeUnknown, .reservePending, .compensationPending, .parkedRetry, .parkedResolve:
      throw MalformedEvent("ce_type: not for this topic")
    }
  }

  /// A message of `checkout.pending`.
  package static func reconciliationInput(
    _ message: InboundMessage
  ) throws(MalformedEvent) -> ReceivedEvent<ReconciliationInput> {
    let reader = try EventReader(message)
    let type = try reader.type()
    switch type {
    case .receiptPending, .chargeUnknown, .reservePending, .compensationPending:
      let work = PendingWork(
        attempt: try reader.identity(), notBefore: try reader.optionalTime("not_before"),
        journalID: try reader.text("journal_id"))
      return try reader.event(type, .work(work))
    case .parkedRetry: return try reader.event(type, .word(try word(reader, resolution: nil)))
    case .parkedResolve:
      guard let resolution = ResolvedAs(rawValue: try reader.text("resolve_as")) else {
        throw MalformedEvent("resolve_as: unknown")
      }
      return try reader.event(type, .word(try word(reader, resolution: resolution)))
    case .requested, .cancelRequested, .validated, .refused, .rejected, .completed, .failed, .cancelled,
      .receiptPendingNotice, .parked:
      throw MalformedEvent("ce_type: not for this topic")
    }
  }

  private static func validated(_ reader: EventReader) throws(MalformedEvent) -> FacadeInput {
    let identity = try reader.identity()
    let inner = try reader.nested("request")
    var fields = FieldReader(reader.document)
    let request = fields.request(
      reader.document.fields(inner.object), merchantID: identity.merchantID, checkoutID: identity.checkoutID)
    if let refusal = fields.refusals.first {
      throw MalformedEvent("request\(refusal.path): \(refusal.code.rawValue)")
    }
    guard request.identity == identity, try inner.text("merchant_id") == identity.merchantID,
      try inner.text("checkout_id") == identity.checkoutID
    else { throw MalformedEvent("request: about another attempt than the event") }
    return .validated(request, try fingerprint(reader), try decision(reader))
  }

  private static func cancel(_ reader: EventReader) throws(MalformedEvent) -> CancelRequest {
    CancelRequest(
      checkout: CheckoutKey(merchantID: try reader.text("merchant_id"), checkoutID: try reader.text("checkout_id")),
      reason: try reader.text("reason"), requestedAt: try reader.time("requested_at"),
      livemode: try reader.bool("livemode"))
  }

  private static func word(
    _ reader: EventReader, resolution: ResolvedAs?
  ) throws(MalformedEvent) -> PersonsWord {
    PersonsWord(
      attempt: try reader.identity(), rowVersion: try reader.integer("row_version"),
      journalID: try reader.text("journal_id"), resolution: resolution, who: try reader.text("who"),
      note: try reader.text("note"), refundedOutside: try reader.optionalText("refunded_outside"),
      receiptURL: try reader.optionalText("receipt_url"))
  }

  private static func fingerprint(_ reader: EventReader) throws(MalformedEvent) -> Fingerprint {
    let text = try reader.text("fingerprint")
    guard text.utf8.count > 2, text.utf8.count <= 128, text.contains(":") else {
      throw MalformedEvent("fingerprint: not of the form version:digest")
    }
    return Fingerprint(text)
  }

  private static func decision(_ reader: EventReader) throws(MalformedEvent) -> Decision {
    Decision(
      at: try reader.time("decided_at"), referenceVersion: ReferenceVersion(try reader.text("reference_version")))
  }

  static func failures(_ reader: EventReader) throws(MalformedEvent) -> [Refusal] {
    var refusals: [Refusal] = []
    for failure in try reader.list("failures") {
      guard let code = RefusalCode(rawValue: try failure.text("code")) else {
        throw MalformedEvent("failures: unknown code")
      }
      refusals.append(
        Refusal(
          code, path: try failure.text("path"), message: try failure.text("message"),
          expected: try failure.evidence("expected"), actual: try failure.evidence("actual")))
    }
    if refusals.isEmpty { throw MalformedEvent("failures: empty") }
    return refusals
  }
}
