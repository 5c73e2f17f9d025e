// The facade stage: validated requests become paid, receipted orders; cancellations undo them.

package import CheckoutCore
import CheckoutWire
package import WorkerEngine

/// One operation with one outcome for its callers: reserve, charge, receipt. Decisions are Core's, work is the desk's.
package struct FacadeStage: Stage {
  package typealias Event = AttemptEvent

  private var desk: AttemptDesk

  /// A stage on these ports; `inbox` is the worker's.
  package init(
    settings: AttemptStageSettings, ports: AttemptPorts, identifiers: Identifiers, inbox: Inbox<AttemptEvent>
  ) {
    desk = AttemptDesk(settings: settings, ports: ports, identifiers: identifiers, inbox: inbox)
  }

  /// Without the lease nothing may be started.
  package private(set) var wantsPause = true

  /// A cancellation does not wait for the payment it is to stop.
  package func lane(of record: Record) -> LaneRule {
    LaneRule(
      key: record.key,
      interrupting: record.text(ofHeader: "ce_type") == EventType.cancelRequested.rawValue)
  }

  package mutating func receive(_ deliveries: [Delivery], _ turn: inout Turn) {
    for delivery in deliveries { receive(delivery, &turn) }
    end(&turn)
  }

  private mutating func receive(_ delivery: Delivery, _ turn: inout Turn) {
    guard delivery.record.value != nil else { return turn.finish(delivery.ticket, []) }
    do throws(MalformedEvent) {
      let event = try EventDecoder.facadeInput(delivery.message)
      let (subject, question) = try read(event.content)
      desk.begin(
        AttemptJob(
          ticket: delivery.ticket, position: delivery.position, origin: event.origin, subject: subject,
          trace: event.trace, offsetsWereLost: delivery.offsetsWereLost, question: question,
          admittedAt: turn.now.bootTime, toldAt: event.time, type: event.type), &turn)
    } catch {
      turn.deadLetter(delivery.ticket, error)
    }
  }

  private func read(_ input: FacadeInput) throws(MalformedEvent) -> (EventSubject, Question) {
    switch input {
    case .validated(let request, let fingerprint, _):
      guard let validated = ValidatedRequest(readmitting: request) else {
        throw MalformedEvent("request: does not hold what validation promises")
      }
      return (EventSubject(request.identity), .validated(validated, fingerprint))
    case .refused(let identity, let fingerprint, let failures, _):
      return (EventSubject(identity), .refused(identity.attemptID, fingerprint, failures))
    case .cancel(let cancel):
      let subject = EventSubject(
        merchantID: cancel.checkout.merchantID, checkoutID: cancel.checkout.checkoutID, idempotencyKey: nil)
      return (subject, .cancel(cancel.checkout, reason: cancel.reason))
    }
  }

  package mutating func resume(_ events: [AttemptEvent], _ turn: inout Turn) {
    for event in events {
      switch event {
      case .journal(let replies):
        for reply in replies {
          guard let wait = desk.take(reply, turn) else { continue }
          desk.answered(wait, reply.result, &turn)
        }
      case .gateways(let replies):
        for reply in replies { desk.answered(reply, &turn) }
      }
    }
    end(&turn)
  }

  package mutating func tick(_ turn: inout Turn) {
    for id in desk.dueJobs(&turn) {
      desk.goOn(id, &turn)
    }
    end(&turn)
  }

  package mutating func drain(_ turn: inout Turn) {
    end(&turn)
  }

  package mutating func forget(_ tickets: [Ticket], _ turn: inout Turn) {
    desk.forget(tickets, &turn)
    end(&turn)
  }

  private mutating func end(_ turn: inout Turn) {
    desk.renewLease(&turn)
    desk.wakeForTimers(&turn)
    wantsPause = !desk.lease.isHeld(at: turn.now.bootTime)
    desk.flush(turn)
  }
}
