// An answer as a tool sees it: the parts worth showing and checking, of any outcome or notice.
package import CheckoutCore

/// The content of `checkout.rejected`, `completed`, `failed`, `cancelled`, `receipt_pending` or `parked`.
package struct OutcomeView: Hashable, Sendable {
  /// Whom the answer is about.
  package let subject: EventSubject
  /// Of `checkout.rejected`; empty otherwise.
  package let failures: [Refusal]
  /// The code of `checkout.failed`, or the reason of `checkout.parked`.
  package let code: String?
  /// The provider's code of `payment_declined`.
  package let declineCode: String?
  /// `line_id`s of `out_of_stock`; empty otherwise.
  package let outOfStockLines: [String]
  /// True for a copy of an answer given before.
  package let replayed: Bool
  /// What had to be paid, in minor units of `currency`; nil for a rejection.
  package let amountMinor: Int64?
  /// ISO 4217 code; nil for a rejection.
  package let currency: String?
  /// `captured`, `authorised`, `not_required`; of notices also what is not settled.
  package let paymentStatus: String?
  /// What was captured, in minor units; 0 if only authorised.
  package let capturedMinor: Int64?
  /// What was refunded, in minor units.
  package let refundedMinor: Int64?
  /// True if an authorisation was voided.
  package let voided: Bool?
  /// True while money is with us.
  package let charged: Bool?
  /// The provider's id of the charge.
  package let chargeID: String?
  /// The inventory's id of the latest hold.
  package let reservationID: String?
  /// The receipt's address, once there is one.
  package let receiptURL: String?
  /// Of `checkout.parked`: the row's version, which a person's word must name.
  package let rowVersion: Int64?

  /// The codes of all failures, or the one code; empty for a success.
  package var codes: [String] { failures.isEmpty ? [code].compactMap { $0 } : failures.map(\.code.rawValue) }
}

extension EventDecoder {
  /// A message of `checkout.outcomes` or `checkout.rejections`.
  package static func outcome(_ message: InboundMessage) throws(MalformedEvent) -> ReceivedEvent<OutcomeView> {
    let reader = try EventReader(message)
    let type = try reader.type()
    let codeName: String
    switch type {
    case .failed: codeName = "code"
    case .parked: codeName = "reason"
    case .rejected, .completed, .cancelled, .receiptPendingNotice: codeName = "-"
    case .requested, .cancelRequested, .validated, .refused, .receiptPending, .chargeUnknown, .reservePending,
      .compensationPending, .parkedRetry, .parkedResolve:
      throw MalformedEvent("ce_type: not an outcome")
    }
    let view = OutcomeView(
      subject: EventSubject(
        merchantID: try reader.text("merchant_id"), checkoutID: try reader.text("checkout_id"),
        idempotencyKey: try reader.optionalText("idempotency_key")),
      failures: type == .rejected ? try failures(reader) : [], code: try reader.optionalText(codeName),
      declineCode: try reader.optionalText("decline_code"), outOfStockLines: try reader.texts("out_of_stock"),
      replayed: try reader.bool("replayed"), amountMinor: try reader.optionalInteger("amount_minor"),
      currency: try reader.optionalText("currency"), paymentStatus: try reader.optionalText("payment_status"),
      capturedMinor: try reader.optionalInteger("captured_minor"),
      refundedMinor: try reader.optionalInteger("refunded_minor"), voided: try reader.optionalBool("voided"),
      charged: try reader.optionalBool("charged"), chargeID: try reader.optionalText("charge_id"),
      reservationID: try reader.optionalText("reservation_id"), receiptURL: try reader.optionalText("receipt_url"),
      rowVersion: try reader.optionalInteger("row_version"))
    return try reader.event(type, view)
  }
}

extension EventReader {
  fileprivate func texts(_ name: String) throws(MalformedEvent) -> [String] {
    guard let array = document.member(object, named: name) else { return [] }
    let texts = document.elements(array).compactMap { document.string($0) }
    guard document.kind(array) == .array, texts.count == document.count(array) else {
      throw MalformedEvent("\(name): not a list of strings")
    }
    return texts
  }
}
