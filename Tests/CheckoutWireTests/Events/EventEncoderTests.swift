// Headers, topics and bodies of what the stages publish, byte for byte.
import CheckoutCore
import CheckoutWire
import Testing

private func text(_ event: PipelineEvent) -> String {
  String(decoding: EventEncoder().encode(event).value, as: UTF8.self)
}

struct EventEncoderTests {
  @Test func `headers are CloudEvents in binary mode`() throws {
    let encoded = EventEncoder(source: "/shop").encode(
      SampleEvents.event(.rejected, .rejected(SampleEvents.refusals, SampleEvents.decision)))
    #expect(encoded.topic == .rejections)
    #expect(encoded.key == Array("chk_1".utf8))
    #expect(
      encoded.headers == [
        .init("ce_specversion", "1.0"), .init("ce_id", "id-checkout.rejected"), .init("ce_source", "/shop"),
        .init("ce_type", "checkout.rejected"), .init("ce_time", "2026-11-30T12:00:00Z"),
        .init("ce_origin", "checkout.requests/3/42/1796040000000"), .init("content-type", "application/json"),
        .init("traceparent", SampleEvents.trace.parent), .init("tracestate", "a=b"),
      ])
  }

  @Test func `the type decides the topic`() throws {
    var topics: [EventType: TopicRole] = [:]
    for event in try SampleEvents.all() { topics[event.type] = EventEncoder().encode(event).topic }
    #expect(topics.count == EventType.allCases.count - 1)
    #expect(topics[.rejected] == .rejections)
    for type in [EventType.completed, .failed, .cancelled, .receiptPendingNotice, .parked] {
      #expect(topics[type] == .outcomes)
    }
    for type in [EventType.validated, .refused, .cancelRequested] { #expect(topics[type] == .validated) }
    for type in [EventType.receiptPending, .chargeUnknown, .reservePending, .compensationPending, .parkedRetry] {
      #expect(topics[type] == .pending)
    }
  }

  @Test func `a rejection lists its failures with their evidence`() {
    #expect(
      text(SampleEvents.event(.rejected, .rejected(SampleEvents.refusals, nil), key: nil))
        == #"{"schema_version":1,"checkout_id":"chk_1","merchant_id":"shop-eu","failures":["#
        + #"{"code":"price_changed","path":"/items/0/unit_price_minor","message":"The price is another one.","#
        + #""expected":1999,"actual":1},{"code":"unknown_account","path":"/account_id","message":"No such account.","#
        + #""actual":"acct \"x\"\n"}],"replayed":false}"#)
  }

  @Test func `a completion tells amounts and ids`() throws {
    let attempt = try SampleEvents.attempt(SampleEvents.paid)
    #expect(
      text(SampleEvents.event(.completed, .outcome(attempt, replayed: false)))
        == #"{"schema_version":1,"checkout_id":"chk_1","merchant_id":"shop-eu","#
        + #""idempotency_key":"key-0123456789abcdef","amount_minor":4478,"currency":"EUR","#
        + #""payment_status":"captured","captured_minor":4478,"charge_id":"ch_1","reservation_id":"res_1","#
        + #""receipt_url":"https://receipts.example/r/1","completed_at":"2026-11-30T12:00:00Z","replayed":false}"#)
  }

  @Test func `a validated request carries the request as it came`() throws {
    let request = try SampleEvents.request()
    let event = SampleEvents.event(
      .validated, .validated(requestJSON: request.requestJSON, fingerprint: request.fingerprint, SampleEvents.decision))
    #expect(text(event).hasSuffix(#","request":"# + RequestText.right + "}"))
  }

  @Test func `a repeat is byte-equal`() throws {
    let first = try SampleEvents.all().map { EventEncoder().encode($0) }
    let second = try SampleEvents.all().map { EventEncoder().encode($0) }
    #expect(first == second)
  }
}
