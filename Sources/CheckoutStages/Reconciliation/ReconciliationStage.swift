// The reconciliation stage: what the facade could not end is worked off until it is done or a person is needed.

package import CheckoutCore
import CheckoutWire
package import WorkerEngine

/// Works off `checkout.pending` and sweeps for what nobody works on. Decisions are Core's, work is the desk's.
package struct ReconciliationStage: Stage {
  package typealias Event = AttemptEvent

  private let settings: AttemptStageSettings
  private var desk: AttemptDesk
  private var nextSweep: BootTime?
  private var nextRelief: BootTime?
  private var nextReport: BootTime?

  /// How long an item waits here at least before it makes room for others.
  private static let rest = TimeSpan.seconds(15)
  /// How often, and for how many items at most, room is made.
  private static let reliefInterval = TimeSpan.seconds(1)
  private static let reliefMax = 1_000
  /// How often the backlog is told.
  private static let reportInterval = TimeSpan.seconds(2)

  /// A stage on these ports; `inbox` is the worker's.
  package init(
    settings: AttemptStageSettings, ports: AttemptPorts, identifiers: Identifiers, inbox: Inbox<AttemptEvent>
  ) {
    self.settings = settings
    desk = AttemptDesk(settings: settings, ports: ports, identifiers: identifiers, inbox: inbox)
  }

  /// Without the lease nothing may be started; nor while as many items wait here as may. Those that have rested a while then
  /// make room (`makeRoom`); putting back at once whatever comes too many would send it round the topic as fast as it goes.
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
          question: question, admittedAt: turn.now.bootTime, toldAt: event.time,
          type: event.type))
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
    case .word(let word): (journal, question) = (word.journalID, .word(eventID: event.id, word))
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
    if let job = desk.jobs[id], desk.waited(job, for: .receipt) {
      desk.jobs[id]?.hurries = true
      return desk.ask(id, turn)
    }
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
    for id in desk.dueJobs(&turn) { desk.goOn(id, &turn) }
    makeRoom(&turn)
    report(turn)
    beginSweep(&turn)
    end(&turn)
  }

  /// As many wait as may (their service is away, or they are not due): the ones here longest go back to the topic's end, so that
  /// what comes behind them, and may need another service, is not held up.
  private mutating func makeRoom(_ turn: inout Turn) {
    // While a service that is back works its backlog off, room is made that way; what went round the topic would miss it.
    guard desk.waitingCount >= settings.heldItemsMax, !desk.recoveries.isAnyUnderWay else { return }
    if let nextRelief, turn.now.bootTime < nextRelief { return }
    nextRelief = turn.now.bootTime + Self.reliefInterval
    desk.relieve(atMost: Self.reliefMax, restedFor: Self.rest, &turn)
  }

  private mutating func report(_ turn: Turn) {
    guard let told = settings.backlog else { return }
    if let nextReport, turn.now.bootTime < nextReport { return }
    nextReport = turn.now.bootTime + Self.reportInterval
    told(Backlog(desk.jobs.values, at: desk.journalTime(turn)))
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
    end(&turn)
  }

  private mutating func end(_ turn: inout Turn) {
    desk.renewLease(&turn)
    desk.wakeForTimers(&turn)
    let holdsLease = desk.lease.isHeld(at: turn.now.bootTime)
    let isFull = desk.waitingCount >= settings.heldItemsMax
    wantsPause = !holdsLease || isFull
    if settings.backlog != nil { turn.wake(at: (nextReport ?? turn.now.bootTime).nanoseconds) }
    if isFull { turn.wake(at: (nextRelief ?? turn.now.bootTime).nanoseconds) }
    if holdsLease { turn.wake(at: nextSweep?.nanoseconds ?? turn.now.boot) }
    desk.flush(turn)
  }
}
