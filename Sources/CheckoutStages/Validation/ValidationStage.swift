// The validation stage: bytes from `checkout.requests` become exactly one answer or one message for the facade.
// It keeps nothing and waits for nothing but reference data.

package import CheckoutCore
import CheckoutWire
package import WorkerEngine

/// Settings of the validation stage.
package struct ValidationStageSettings: Sendable {
  /// The chain and its mode.
  package let policy: ValidationPolicy
  /// Where events go.
  package let topics: TopicNames
  /// Largest accepted value, in bytes.
  package let payloadBytesMax: Int
  /// How long a message waits before reference data that was missing is looked at again.
  package let referenceRetry: TimeSpan
  /// Told of each event when it is handed to the engine; called on the worker's thread, must not block. Nil: nobody.
  package var published: (@Sendable (PipelineEvent) -> Void)?

  /// Settings of their four parts; `referenceRetry` default 200 ms.
  package init(
    policy: ValidationPolicy, topics: TopicNames, payloadBytesMax: Int = 512 * 1024,
    referenceRetry: TimeSpan = .milliseconds(200)
  ) {
    self.policy = policy
    self.topics = topics
    self.payloadBytesMax = payloadBytesMax
    self.referenceRetry = referenceRetry
  }
}

/// Decodes, runs the chain, publishes.
package struct ValidationStage: Stage {
  /// Nothing comes back from outside.
  package typealias Event = Never

  private let settings: ValidationStageSettings
  private let chain: ValidationChain
  private let decoder: InboundDecoder
  private let encoder = EventEncoder()
  private let identifiers: Identifiers
  /// The present accounts and prices; asked once a turn.
  private let reference: @Sendable () -> ReferenceData
  /// Messages that lack reference data, in the order they came.
  private var waiting: [Delivery] = []
  private var draining = false

  /// A stage that decides with what `reference` returns; the policy may be refused.
  package init(
    settings: ValidationStageSettings, identifiers: Identifiers, reference: @escaping @Sendable () -> ReferenceData
  ) throws(ValidationPolicyFault) {
    self.settings = settings
    chain = try ValidationChain(policy: settings.policy)
    decoder = InboundDecoder(payloadBytesMax: settings.payloadBytesMax)
    self.identifiers = identifiers
    self.reference = reference
  }

  package var wantsPause: Bool { !waiting.isEmpty }

  package func lane(of record: Record) -> LaneRule {
    LaneRule(key: record.key, interrupting: false)
  }

  package mutating func receive(_ deliveries: [Delivery], _ turn: inout Turn) {
    draining = false
    let data = reference()
    for delivery in deliveries { handle(delivery, data, &turn) }
  }

  package mutating func resume(_ events: [Never], _ turn: inout Turn) {}

  package mutating func tick(_ turn: inout Turn) {
    guard !waiting.isEmpty, !draining else { return }
    let data = reference()
    let again = waiting
    waiting = []
    for delivery in again { handle(delivery, data, &turn) }
  }

  package mutating func drain(_ turn: inout Turn) {
    draining = true
  }

  package mutating func forget(_ tickets: [Ticket], _ turn: inout Turn) {
    let gone = Set(tickets)
    waiting.removeAll { gone.contains($0.ticket) }
  }

  private mutating func handle(_ delivery: Delivery, _ data: ReferenceData, _ turn: inout Turn) {
    switch decoder.decode(delivery.message) {
    case .tombstone: turn.finish(delivery.ticket, [])
    case .deadLetter(let code, let detail, let redacted):
      turn.deadLetter(
        delivery.ticket,
        DeadLetter(code: code.rawValue, detail: detail, redactedValue: redacted.map { Bytes($0) }))
    case .refused(let refusal):
      let failures = settings.policy.mode == .failFast ? Array(refusal.refusals.prefix(1)) : refusal.refusals
      publish(.rejected, delivery, refusal.subject, refusal.trace, .rejected(failures, nil), &turn)
    case .cancel(let inbound): cancel(inbound, delivery, &turn)
    case .request(let inbound): validate(inbound, delivery, data, &turn)
    }
  }

  private func cancel(_ inbound: InboundCancel, _ delivery: Delivery, _ turn: inout Turn) {
    let checkout = inbound.cancel.checkout
    let subject = EventSubject(
      merchantID: checkout.merchantID, checkoutID: checkout.checkoutID, idempotencyKey: nil)
    guard inbound.cancel.livemode == settings.policy.livemode else {
      let failure = Refusal(
        .livemodeMismatch, path: "/livemode", message: "This deployment does not take this kind of traffic.")
      return publish(.rejected, delivery, subject, inbound.trace, .rejected([failure], nil), &turn)
    }
    publish(.cancelRequested, delivery, subject, inbound.trace, .cancelRequested(inbound.cancel), &turn)
  }

  private mutating func validate(
    _ inbound: InboundRequest, _ delivery: Delivery, _ data: ReferenceData, _ turn: inout Turn
  ) {
    let now = turn.now.wallTime
    let decision = Decision(at: now, referenceVersion: data.version)
    let subject = EventSubject(inbound.request.identity)
    switch chain.run(inbound.request, in: CheckContext(now: now, reference: data)) {
    case .accepted:
      publish(
        .validated, delivery, subject, inbound.trace,
        .validated(requestJSON: inbound.requestJSON, fingerprint: inbound.fingerprint, decision), &turn)
    case .rejected(let findings):
      publish(.rejected, delivery, subject, inbound.trace, .rejected(findings.map(\.refusal), decision), &turn)
    case .refusable(let findings):
      publish(
        .refused, delivery, subject, inbound.trace,
        .refused(fingerprint: inbound.fingerprint, findings.map(\.refusal), decision), &turn)
    case .waiting:
      waiting.append(delivery)
      turn.wake(at: turn.now.boot + settings.referenceRetry.nanoseconds)
    }
  }

  private func publish(
    _ type: EventType, _ delivery: Delivery, _ subject: EventSubject, _ trace: TraceContext?,
    _ body: PipelineEvent.Body, _ turn: inout Turn
  ) {
    let origin = Origin(delivery.position)
    let event = PipelineEvent(
      id: identifiers.event(type, of: origin), type: type, origin: origin,
      time: Timestamp(milliseconds: delivery.record.timestamp), subject: subject, trace: trace, body: body)
    settings.published?(event)
    turn.finish(delivery.ticket, encoder.encode(event).output(settings.topics))
  }
}
