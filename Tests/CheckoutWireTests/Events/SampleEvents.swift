// One event of every type in several shapes, for the tests of encoding.
import CheckoutCore
import CheckoutWire
import Testing

enum SampleEvents {
  static let origin = Origin(
    Position(topic: "checkout.requests", partition: 3, offset: 42, timestampMilliseconds: 1_796_040_000_000))
  static let time = Timestamp(milliseconds: 1_796_040_000_000)
  static let trace = TraceContext(parent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", state: "a=b")
  static let decision = Decision(at: time, referenceVersion: ReferenceVersion("file:0123456789abcdef"))
  static let refusals = [
    Refusal(
      .priceChanged, path: "/items/0/unit_price_minor", message: "The price is another one.", expected: .integer(1999),
      actual: .integer(1)),
    Refusal(.unknownAccount, path: "/account_id", message: "No such account.", actual: .text("acct \"x\"\n")),
  ]

  static func request() throws -> InboundRequest {
    try #require(InboundDecoder().decode(InboundMessage(RequestText.right)).request)
  }

  static func attempt(_ change: (inout Attempt) -> Void = { _ in }) throws -> Attempt {
    let inbound = try request()
    let validated = try #require(ValidatedRequest(readmitting: inbound.request))
    var attempt = Attempt(
      request: validated, origin: origin, fingerprint: inbound.fingerprint, trace: trace, message: origin.position,
      owner: WorkerID("w/1"), at: time)
    attempt.version = 7
    change(&attempt)
    return attempt
  }

  static func event(
    _ type: EventType, _ body: PipelineEvent.Body, key: String? = "key-0123456789abcdef", trace: TraceContext? = trace
  ) -> PipelineEvent {
    PipelineEvent(
      id: "id-\(type.rawValue)", type: type, origin: origin, time: time,
      subject: EventSubject(merchantID: "shop-eu", checkoutID: "chk_1", idempotencyKey: key), trace: trace, body: body)
  }

  static func paid(_ attempt: inout Attempt) {
    let amount = attempt.amount
    attempt.holds[0] = Hold(generation: 1, status: .confirmed, reservationID: "res_1", expiresAt: time)
    attempt.charge.status = .captured(chargeID: "ch_1", amount: amount)
    attempt.receipt.url = "https://receipts.example/r/1"
    attempt.endedAt = time
    attempt.state = .completed
  }

  static func refunded(_ attempt: inout Attempt) {
    paid(&attempt)
    attempt.holds[0].status = .released
    attempt.compensation = Compensation(
      kind: .refund, chargeID: "ch_1", amount: attempt.amount, status: .done(reference: "re_1"))
    attempt.cancel = RecordedCancel(origin: origin, reason: "changed my mind", at: time)
    attempt.state = .cancelled
  }

  static func all() throws -> [PipelineEvent] {
    try validation() + outcomes() + notices() + pending()
  }

  private static func validation() throws -> [PipelineEvent] {
    let request = try request()
    let cancel = CancelRequest(
      checkout: CheckoutKey(merchantID: "shop-eu", checkoutID: "chk_1"), reason: "\u{1F600} \"why\"",
      requestedAt: time, livemode: true)
    return [
      event(.validated, .validated(requestJSON: request.requestJSON, fingerprint: request.fingerprint, decision)),
      event(.refused, .refused(fingerprint: request.fingerprint, refusals, decision), trace: nil),
      event(.cancelRequested, .cancelRequested(cancel), key: nil),
      event(.rejected, .rejected(refusals, decision)), event(.rejected, .rejected([refusals[1]], nil), key: nil),
    ]
  }

  private static func outcomes() throws -> [PipelineEvent] {
    let completed = try attempt(paid)
    let authorised = try attempt {
      paid(&$0)
      $0.charge.status = .authorised(chargeID: "ch_1", amount: $0.amount)
    }
    let free = try attempt {
      paid(&$0)
      $0.charge.status = .notRequired
    }
    let declined = try attempt {
      $0.holds[0] = Hold(generation: 1, status: .released, reservationID: "res_1")
      $0.charge.status = .declined(code: "insufficient_funds")
      $0.state = .failed(.paymentDeclined)
      $0.endedAt = time
    }
    let outOfStock = try attempt {
      $0.holds[0].status = .refused
      $0.outOfStockLines = ["1"]
      $0.state = .failed(.outOfStock)
    }
    let mismatch = try attempt {
      refunded(&$0)
      $0.state = .failed(.amountMismatch)
    }
    let voided = try attempt {
      refunded(&$0)
      $0.compensation = Compensation(kind: .void, chargeID: "ch_1", amount: $0.amount, status: .done(reference: ""))
      $0.receipt.url = nil
    }
    return [
      event(.completed, .outcome(completed, replayed: false)), event(.completed, .outcome(authorised, replayed: true)),
      event(.completed, .outcome(free, replayed: false), trace: nil),
      event(.failed, .outcome(declined, replayed: false)), event(.failed, .outcome(outOfStock, replayed: true)),
      event(.failed, .outcome(mismatch, replayed: false)),
      event(.cancelled, .outcome(try attempt(refunded), replayed: false)),
      event(.cancelled, .outcome(voided, replayed: true)),
    ]
  }

  private static func notices() throws -> [PipelineEvent] {
    let waiting = try attempt {
      paid(&$0)
      $0.receipt.url = nil
      $0.state = .receiptPending
    }
    let refused = try attempt {
      paid(&$0)
      $0.receipt.url = nil
      $0.state = .receipting
      $0.parked = Parked(reason: .receiptRefused, detail: "422 no such \"template\"", at: time)
    }
    let unknown = try attempt {
      $0.holds[0] = Hold(generation: 1, status: .held, reservationID: "res_1", expiresAt: time)
      $0.charge.status = .sent
      $0.state = .charging
      $0.parked = Parked(reason: .chargeUnknown, detail: "", at: time)
    }
    let owing = try attempt {
      refunded(&$0)
      $0.compensation?.status = .owed
      $0.holds[0].status = .confirmed
      $0.state = .refunding(.cancelled)
      $0.parked = Parked(reason: .refundRefused, detail: "no", at: time)
    }
    return [
      event(.receiptPendingNotice, .receiptPending(waiting)), event(.parked, .parked(refused)),
      event(.parked, .parked(unknown)), event(.parked, .parked(owing), trace: nil),
    ]
  }

  private static func pending() throws -> [PipelineEvent] {
    let identity = try request().request.identity
    let types: [EventType] = [.receiptPending, .chargeUnknown, .reservePending, .compensationPending]
    let work = types.enumerated().map { index, type in
      event(
        type,
        .pendingWork(PendingWork(attempt: identity, notBefore: index.isMultiple(of: 2) ? time : nil, journalID: "j1")))
    }
    let words = [nil, ResolvedAs.completed, .failed, .cancelled].map { resolution in
      event(
        resolution == nil ? .parkedRetry : .parkedResolve,
        .personsWord(
          PersonsWord(
            attempt: identity, rowVersion: 7, journalID: "j1", resolution: resolution, who: "ana", note: "seen",
            refundedOutside: resolution == .failed ? "bank-17" : nil,
            receiptURL: resolution == .completed ? "https://receipts.example/17" : nil)))
    }
    return work + words
  }
}

extension InboundMessage {
  /// The message a consumer of `event` gets.
  init(_ event: EncodedEvent) {
    self.init(
      value: event.value[...],
      headers: event.headers.map { (Array($0.name.utf8)[...], Array($0.value.utf8)[...]) })
  }
}
