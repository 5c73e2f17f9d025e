// An answer as a tool sees it: the parts worth showing and checking, of any outcome or notice.
package import CheckoutCore

/// The content of `checkout.rejected`, `completed`, `failed`, `cancelled`, `receipt_pending` or `parked`.
package struct OutcomeView: Hashable, Sendable {
  package let subject: EventSubject
  /// Of `checkout.rejected`; empty otherwise.
  package let failures: [Refusal]
  /// The code of `checkout.failed`, or the reason of `checkout.parked`.
  package let code: String?
  package let declineCode: String?
  package let outOfStockLines: [String]
  /// True for a copy of an answer given before.
  package let replayed: Bool
  package let amountMinor: Int64?
  package let currency: String?
  /// `captured`, `authorised`, `not_required`; of notices also what is not settled.
  package let paymentStatus: String?
  package let capturedMinor: Int64?
  package let refundedMinor: Int64?
  package let voided: Bool?
  /// True while money is with us.
  package let charged: Bool?
  package let chargeID: String?
  package let reservationID: String?
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
    guard let array = document.member(object, name) else { return [] }
    let texts = document.elements(array).compactMap { document.string($0) }
    guard document.kind(array) == .array, texts.count == document.count(array) else {
      throw MalformedEvent("\(name): not a list of strings")
    }
    return texts
  }
}
