// The reconciliation stage: what the facade could not end is worked off until it is done or a person is needed.

package import CheckoutCore
import CheckoutWire
package import WorkerEngine

/// Works off `checkout.pending` and sweeps for what nobody works on. Decisions are Core's, work is the desk's.
package struct ReconciliationStage: Stage {
  package typealias Event = AttemptEvent

  private let settings: AttemptStageSettings
  private var desk: AttemptDesk
  /// Items that are not due, by job.
  private var held: Set<Int> = []
  private var nextSweep: BootTime?

  /// A stage on these ports; `inbox` is the worker's.
  package init(
    settings: AttemptStageSettings, ports: AttemptPorts, identifiers: Identifiers, inbox: Inbox<AttemptEvent>
  ) {
    self.settings = settings
    desk = AttemptDesk(settings: settings, ports: ports, identifiers: identifiers, inbox: inbox)
  }

  /// Without the lease nothing may be started; nor while as many items are held as may be. Putting those beyond back at once
  /// instead would send them round the topic, a journal write each, as fast as it goes.
  package private(set) var wantsPause = true

  /// An item that waits must not hold up a later one of its checkout (a cancellation hands an attempt over anew): they
  /// start in order, and the journal decides which of them still counts.
  package func lane(of record: Record) -> LaneRule {
    LaneRule(key: record.key, interrupting: true)
  }

  package mutating func receive(_ deliveries: [Delivery], _ turn: inout Turn) {
    for delivery in deliveries { receive(delivery, &turn) }
    end(&turn)
  }

  private mutating func receive(_ delivery: Delivery, _ turn: inout Turn) {
    guard delivery.record.value != nil else { return turn.finish(delivery.ticket, []) }
    do throws(MalformedEvent) {
      let event = try EventDecoder.reconciliationInput(delivery.message)
      let question = try read(event)
      let identity: AttemptIdentity
      switch event.content {
      case .work(let work): identity = work.attempt
      case .word(let word): identity = word.attempt
      }
      let id = desk.admit(
        AttemptJob(
          ticket: delivery.ticket, position: delivery.position, origin: event.origin,
          subject: EventSubject(identity), trace: event.trace, offsetsWereLost: delivery.offsetsWereLost,
          question: question))
      holdOrAsk(id, &turn)
    } catch {
      turn.deadLetter(delivery.ticket, error)
    }
  }

  private func read(_ event: ReceivedEvent<ReconciliationInput>) throws(MalformedEvent) -> Question {
    let journal: String
    let question: Question
    switch event.content {
    case .work(let work): (journal, question) = (work.journalID, .pending(eventID: event.id, work))
    case .word(let word): (journal, question) = (word.journalID, .word(word))
    }
    guard journal == desk.ports.journal.id else { throw MalformedEvent("journal_id: of another journal") }
    return question
  }

  /// An item that is not due waits outside the in-flight budget, at most `hold_max`; then it is put back (`decide`).
  private mutating func holdOrAsk(_ id: Int, _ turn: inout Turn) {
    guard case .pending(_, let work)? = desk.jobs[id]?.question, let notBefore = work.notBefore else {
      return desk.ask(id, turn)
    }
    let now = desk.journalTime(turn)
    guard notBefore > now else { return desk.ask(id, turn) }
    held.insert(id)
    desk.wait(id, until: min(notBefore, now + settings.saga.holdMax), &turn)
  }

  package mutating func resume(_ events: [AttemptEvent], _ turn: inout Turn) {
    for event in events {
      switch event {
      case .journal(let replies):
        for reply in replies { answered(reply, &turn) }
      case .gateways(let replies):
        for reply in replies { desk.answered(reply, &turn) }
      }
    }
    end(&turn)
  }

  private mutating func answered(_ reply: JournalReply, _ turn: inout Turn) {
    guard let wait = desk.take(reply, turn) else { return }
    switch (wait, reply.result) {
    case (.sweepList, .listed(let views)):
      for view in views { sweep(view, &turn) }
    case (.sweepWrite(let row), .written):
      turn.emit(desk.outputs([desk.answers.swept(row, at: desk.journalTime(turn))]))
    case (.find, _), (.admission, _), (.saga, _), (.lease, _), (.sweepList, _), (.sweepWrite, _), (.nothing, _):
      desk.answered(wait, reply.result, &turn)
    }
  }

  private mutating func sweep(_ view: AttemptView, _ turn: inout Turn) {
    switch desk.who.sweep(view, now: desk.journalTime(turn)) {
    case .leave: break
    case .write(let write): desk.submit(.update(write), .sweepWrite(write.row))
    case .publish:
      turn.emit(desk.outputs([desk.answers.swept(view.attempt, at: desk.journalTime(turn))]))
    }
  }

  package mutating func tick(_ turn: inout Turn) {
    for id in desk.dueJobs(&turn) {
      held.remove(id)
      desk.goOn(id, &turn)
    }
    beginSweep(&turn)
    end(&turn)
  }

  private mutating func beginSweep(_ turn: inout Turn) {
    guard desk.lease.isHeld(at: turn.now.bootTime) else { return }
    if let nextSweep, turn.now.bootTime < nextSweep { return }
    nextSweep = turn.now.bootTime + settings.sweepInterval
    let now = desk.journalTime(turn)
    desk.submit(.sweep(olderThan: now - settings.saga.sweepAge, now: now, limit: 500), .sweepList)
  }

  /// A sweep in the middle of it does no harm: what it cannot publish the next one publishes again.
  package mutating func drain(_ turn: inout Turn) {
    end(&turn)
  }

  package mutating func forget(_ tickets: [Ticket], _ turn: inout Turn) {
    desk.forget(tickets, &turn)
    held = held.filter { desk.jobs[$0]?.ticket != nil }
    end(&turn)
  }

  private mutating func end(_ turn: inout Turn) {
    desk.renewLease(&turn)
    desk.wakeForTimers(&turn)
    let holdsLease = desk.lease.isHeld(at: turn.now.bootTime)
    wantsPause = !holdsLease || held.count >= settings.heldItemsMax
    if holdsLease { turn.wake(at: nextSweep?.nanoseconds ?? turn.now.boot) }
    desk.flush(turn)
  }
}
