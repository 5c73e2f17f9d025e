// Our own events read back as what was written, and anything else is an error, never a guess.
import CheckoutCore
import CheckoutWire
import Testing

private func message(_ event: PipelineEvent) -> InboundMessage {
  InboundMessage(EventEncoder().encode(event))
}

struct EventDecoderTests {
  @Test func `every event reads back with its attributes`() throws {
    for event in try SampleEvents.all() {
      switch event.body {
      case .validated(_, let fingerprint, let decision):
        let read = try EventDecoder.facadeInput(message(event))
        #expect(read.content == .validated(try SampleEvents.request().request, fingerprint, decision))
        #expect(read.origin == event.origin)
        #expect(read.time == event.time)
        #expect(read.id == event.id)
      case .refused(let fingerprint, let refusals, let decision):
        let read = try EventDecoder.facadeInput(message(event))
        let identity = try SampleEvents.request().request.identity
        #expect(read.content == .refused(identity, fingerprint, refusals, decision))
        #expect(read.trace == nil)
      case .cancelRequested(let cancel):
        #expect(try EventDecoder.facadeInput(message(event)).content == .cancel(cancel))
      case .pendingWork(let work):
        let read = try EventDecoder.reconciliationInput(message(event))
        #expect(read.content == .work(work))
        #expect(read.type == event.type)
        #expect(read.trace == event.trace)
      case .personsWord(let word):
        #expect(try EventDecoder.reconciliationInput(message(event)).content == .word(word))
      case .rejected(let refusals, _):
        let read = try EventDecoder.outcome(message(event))
        #expect(read.content.failures == refusals)
        #expect(read.content.subject == event.subject)
      case .outcome(_, let replayed):
        let read = try EventDecoder.outcome(message(event))
        #expect(read.content.replayed == replayed)
        #expect(read.content.amountMinor == 4478)
      case .receiptPending, .parked:
        #expect(try EventDecoder.outcome(message(event)).content.replayed == false)
      }
    }
  }

  @Test func `an outcome shows what a tool needs`() throws {
    let views = try SampleEvents.all().filter { $0.type.isOutcome || $0.type == .parked }.map {
      try EventDecoder.outcome(message($0)).content
    }
    #expect(views.contains { $0.codes == ["price_changed", "unknown_account"] })
    #expect(views.contains { $0.codes == ["payment_declined"] && $0.declineCode == "insufficient_funds" })
    #expect(views.contains { $0.codes == ["out_of_stock"] && $0.outOfStockLines == ["1"] && $0.charged == false })
    #expect(views.contains { $0.paymentStatus == "authorised" && $0.capturedMinor == 0 && $0.replayed })
    #expect(views.contains { $0.paymentStatus == "not_required" && $0.codes == [] })
    #expect(views.contains { $0.refundedMinor == 4478 && $0.receiptURL == "https://receipts.example/r/1" })
    #expect(views.contains { $0.voided == true && $0.refundedMinor == 0 })
    #expect(views.contains { $0.codes == ["receipt_refused"] && $0.rowVersion == 7 })
  }

  @Test func `a request 64 levels deep survives being passed on`() throws {
    let deep = String(repeating: "[", count: 62) + String(repeating: "]", count: 62)
    let text = try RequestText.replacing(#""livemode":false"#, with: #""livemode":false,"metadata":{"d":\#(deep)}"#)
    let request = try #require(InboundDecoder().decode(InboundMessage(text)).request)
    let event = SampleEvents.event(
      .validated, .validated(requestJSON: request.requestJSON, fingerprint: request.fingerprint, SampleEvents.decision))
    #expect(try EventDecoder.facadeInput(message(event)).origin == SampleEvents.origin)
  }

  @Test func `headers have to be right`() throws {
    let event = EventEncoder().encode(try SampleEvents.all()[0])
    for missing in ["ce_type", "ce_id", "ce_origin", "ce_time"] {
      let kept = EncodedEvent(
        topic: event.topic, key: event.key, value: event.value, headers: event.headers.filter { $0.name != missing })
      let error = #expect(throws: MalformedEvent.self) { try EventDecoder.facadeInput(InboundMessage(kept)) }
      #expect(error?.detail.hasPrefix(missing) == true)
    }
    #expect(throws: MalformedEvent.self) { try EventDecoder.reconciliationInput(InboundMessage(event)) }
    #expect(throws: MalformedEvent.self) { try EventDecoder.outcome(InboundMessage(event)) }
    #expect(throws: MalformedEvent("no value")) {
      try EventDecoder.facadeInput(InboundMessage(value: nil, headers: []))
    }
  }

  @Test(arguments: [
    ("fingerprint", "fingerprint"), ("decided_at", "decided_at"), ("reference_version", "reference_version"),
    ("request", "request"), ("schema_version", "schema_version"), ("idempotency_key", "idempotency_key"),
  ])
  func `a validated event lacking a member is malformed`(member: String, detail: String) throws {
    let event = EventEncoder().encode(try SampleEvents.all()[0])
    let body = String(decoding: event.value, as: UTF8.self).replacing(
      "\"\(member)\":", with: "\"x_\(member)\":", maxReplacements: 1)
    let damaged = EncodedEvent(topic: event.topic, key: event.key, value: Array(body.utf8), headers: event.headers)
    let error = #expect(throws: MalformedEvent.self) { try EventDecoder.facadeInput(InboundMessage(damaged)) }
    #expect(error?.detail.hasPrefix(detail) == true)
  }

  @Test func `a validated event about another attempt than its request is malformed`() throws {
    let event = EventEncoder().encode(try SampleEvents.all()[0])
    let body = String(decoding: event.value, as: UTF8.self)
    for (part, other) in [("chk_1", "chk_2"), ("shop-eu", "shop-us"), ("key-0123456789abcdef", "key-0123456789abcdeX")]
    {
      let damaged = EncodedEvent(
        topic: event.topic, key: event.key, value: Array(body.replacing(part, with: other, maxReplacements: 1).utf8),
        headers: event.headers)
      let error = #expect(throws: MalformedEvent.self) { try EventDecoder.facadeInput(InboundMessage(damaged)) }
      #expect(error?.detail == "request: about another attempt than the event")
    }
  }
}
