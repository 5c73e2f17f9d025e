// Where attempts are worked on: carries messages from the question "who answers?" to their answer, feeding Core's machines
// and running what they want through journal and gateways, in batches. Facade and reconciliation each have one.
//
// One turn: messages and answers come in, machines move, and at the end everything they want goes out in one batch for
// each port (`flush`). Nothing here decides about money: WhoAnswers and Saga do.

import CheckoutCore
import CheckoutWire
import WorkerEngine

/// The desk of one worker. Called on the worker's thread only.
struct AttemptDesk {
  /// Waits from here on are spent outside the in-flight budget.
  private static let shortWait = TimeSpan.milliseconds(50)
  /// How long a job waits before it asks again after it lost an attempt.
  static let askAgain = TimeSpan.milliseconds(100)

  let settings: AttemptStageSettings
  let ports: AttemptPorts
  let context: SagaContext
  let who: WhoAnswers
  let answers: Answers
  private let encoder = EventEncoder()
  private let journalSink: JournalSink
  private let gatewaySink: GatewaySink

  private(set) var lease: WorkerLease
  private var clock = JournalClock()
  private var random: SplitMix64
  private var timers = TimerQueue()
  private var lastNumber: UInt64 = 0
  private var lastJob = 0

  var jobs: [Int: AttemptJob] = [:]
  /// Which job has the machine of an attempt.
  private var machines: [AttemptID: Int] = [:]
  private var byTicket: [Ticket: Int] = [:]
  /// What each request is for, and when it was sent (nil: it goes out with this turn).
  private var journalWaits: [UInt64: (wait: JournalWait, askedAt: BootTime?)] = [:]
  private var calls: [UInt64: Int] = [:]

  private var outgoing = Outgoing()
  private var shares: ServiceShares
  /// Services that were away and are back.
  var recoveries = Recoveries()
  /// Messages that wait outside the in-flight budget.
  private(set) var waitingCount = 0

  init(
    settings: AttemptStageSettings, ports: AttemptPorts, identifiers: Identifiers, inbox: Inbox<AttemptEvent>
  ) {
    self.settings = settings
    self.ports = ports
    context = SagaContext(
      settings: settings.saga, traits: ports.traits, identifiers: identifiers, worker: settings.worker)
    who = WhoAnswers(context: context)
    answers = Answers(identifiers: identifiers, journalID: ports.journal.id)
    lease = WorkerLease(duration: settings.saga.lease)
    random = SplitMix64(seed: settings.seed)
    shares = ServiceShares(
      callsMax: settings.serviceCallsMax, waitingMax: max(1, settings.heldItemsMax / 2))
    journalSink = { replies in inbox.put([.journal(replies)]) }
    gatewaySink = { replies in inbox.put([.gateways(replies)]) }
  }

  /// Messages in work, those taken away included.
  var count: Int { jobs.count }

  /// Journal time of the turn.
  func journalTime(_ turn: Turn) -> Timestamp {
    clock.now(boot: turn.now.bootTime, wall: turn.now.wallTime)
  }

  mutating func now(_ turn: Turn) -> SagaNow {
    SagaNow(time: journalTime(turn), jitter: UInt32(truncatingIfNeeded: random.next()))
  }

  // MARK: Jobs

  /// Takes a message in and asks the journal about its attempt.
  mutating func begin(_ job: AttemptJob, _ turn: inout Turn) {
    let id = admit(job)
    ask(id, turn)
  }

  /// Takes a message in, without asking yet.
  mutating func admit(_ job: AttemptJob) -> Int {
    lastJob += 1
    jobs[lastJob] = job
    if let ticket = job.ticket { byTicket[ticket] = lastJob }
    return lastJob
  }

  /// Lets a job wait until a journal time; `tick` gives it back by `dueJobs`.
  mutating func wait(_ id: Int, until time: Timestamp, _ turn: inout Turn) {
    let span = time - journalTime(turn)
    let at = turn.now.bootTime + max(span, .milliseconds(1))
    if span >= Self.shortWait { park(id, &turn) }
    timers.set(id, at: at.nanoseconds)
    turn.wake(at: at.nanoseconds)
  }

  /// Jobs whose time has come; they count as in flight again.
  mutating func dueJobs(_ turn: inout Turn) -> [Int] {
    var due: [Int] = []
    while let id = timers.popDue(at: turn.now.boot) {
      guard jobs[id] != nil else { continue }
      unpark(id, &turn)
      due.append(id)
    }
    return due
  }

  /// A job whose time has come: its machine goes on, or the journal is asked again.
  mutating func goOn(_ id: Int, _ turn: inout Turn) {
    if jobs[id]?.saga != nil { feed(id, .due, &turn) } else { ask(id, turn) }
  }

  /// Ends a job's wait: the journal is asked again.
  mutating func askAnew(_ id: Int, _ turn: inout Turn) {
    timers.clear(id)
    unpark(id, &turn)
    ask(id, turn)
  }

  /// Ends a job's wait with an event for its machine.
  mutating func interrupt(_ id: Int, _ event: SagaEvent, _ turn: inout Turn) {
    timers.clear(id)
    unpark(id, &turn)
    feed(id, event, &turn)
  }

  /// Asks for the turn in which the next timer is due.
  func wakeForTimers(_ turn: inout Turn) {
    if let first = timers.first { turn.wake(at: first) }
  }

  private mutating func park(_ id: Int, _ turn: inout Turn) {
    guard let ticket = jobs[id]?.ticket, jobs[id]?.isParked == false else { return }
    jobs[id]?.isParked = true
    waitingCount += 1
    turn.park(ticket)
  }

  private mutating func unpark(_ id: Int, _ turn: inout Turn) {
    guard let ticket = jobs[id]?.ticket, jobs[id]?.isParked == true else { return }
    jobs[id]?.isParked = false
    waitingCount -= 1
    turn.unpark(ticket)
  }

  /// The message is answered: publish and forget.
  mutating func finish(_ id: Int, _ events: [PipelineEvent], _ turn: inout Turn) {
    unpark(id, &turn)
    guard let job = jobs[id] else { return }
    if let ticket = job.ticket { turn.finish(ticket, outputs(events)) }
    drop(id)
  }

  mutating func deadLetter(_ id: Int, _ code: DeadLetterCode, _ detail: String, _ turn: inout Turn) {
    unpark(id, &turn)
    if let ticket = jobs[id]?.ticket {
      turn.deadLetter(ticket, DeadLetter(code: code.rawValue, detail: detail))
    }
    drop(id)
  }

  func outputs(_ events: [PipelineEvent]) -> [Output] {
    if let published = settings.published { events.forEach(published) }
    return events.map { encoder.encode($0).output(settings.topics) }
  }

  private mutating func drop(_ id: Int) {
    guard let job = jobs.removeValue(forKey: id) else { return }
    if job.isParked { waitingCount -= 1 }
    timers.clear(id)
    if let ticket = job.ticket { byTicket[ticket] = nil }
    if let call = job.call { calls[call.id] = nil }
    releaseMachine(of: job, id)
  }

  private mutating func releaseMachine(of job: AttemptJob, _ id: Int) {
    guard let attempt = job.saga?.row.identity.attemptID, machines[attempt] == id else { return }
    machines[attempt] = nil
  }

  // MARK: Journal

  /// Asks how the attempt is now; a new request is inserted at once, as if nobody knew it.
  mutating func ask(_ id: Int, _ turn: Turn) {
    guard let job = jobs[id] else { return }
    switch job.question {
    case .validated(let request, let fingerprint):
      perform(who.create(request, fingerprint: fingerprint, trace: job.trace, asking(job, turn)), id)
    case .cancel(let checkout, _):
      submit(.findCheckout(checkout, limit: WhoAnswers.attemptsLookedAt), .find(job: id))
    case .refused(let attempt, _, _): submit(.find(attempt), .find(job: id))
    case .pending(_, let work): submit(.find(work.attempt.attemptID), .find(job: id))
    case .word(_, let word): submit(.find(word.attempt.attemptID), .find(job: id))
    }
  }

  private func asking(_ job: AttemptJob, _ turn: Turn) -> Asking {
    Asking(
      message: job.position, origin: job.origin, now: journalTime(turn), offsetsWereLost: job.offsetsWereLost,
      number: lastNumber + 1)
  }

  /// The writes of an admission; answers are given by `act`.
  private mutating func perform(_ admission: Admission, _ id: Int) {
    switch admission {
    case .create(let write): submit(.create(write), .admission(job: id, admission))
    case .takeOver(let write, _), .write(let write, _): submit(.update(write), .admission(job: id, admission))
    case .answer, .wait, .unknownAttempt: break
    }
  }

  /// Queues a request; it goes out with `flush`.
  mutating func submit(_ command: JournalCommand, _ wait: JournalWait) {
    lastNumber += 1
    journalWaits[lastNumber] = (wait, nil)
    outgoing.add(JournalRequest(id: lastNumber, command: command))
  }

  /// What an answer was for, and learns the journal's time from it.
  mutating func take(_ reply: JournalReply, _ turn: Turn) -> JournalWait? {
    guard let (wait, askedAt) = journalWaits.removeValue(forKey: reply.id) else { return nil }
    clock.learn(reply.at, askedAt: askedAt ?? turn.now.bootTime, at: turn.now.bootTime)
    return wait
  }

  /// Renews the lease when it is time.
  mutating func renewLease(_ turn: inout Turn) {
    if lease.ask(at: turn.now.bootTime) { submit(.lease(settings.worker, duration: settings.saga.lease), .lease) }
    if lease.nextRenewal != .never { turn.wake(at: lease.nextRenewal.nanoseconds) }
  }

  mutating func leaseGranted() { lease.granted() }

  /// A journal answer to a job, turned into what to do.
  mutating func answered(_ wait: JournalWait, _ result: JournalResult, _ turn: inout Turn) {
    switch wait {
    case .find(let id):
      switch result {
      case .found(let view): decide(id, view, &turn)
      case .listed(let views): decide(id, addressed(id, views), &turn)
      // The row does not decode (another version of the program wrote it): not answered as if it were not there.
      case .refused: self.wait(id, until: journalTime(turn) + Self.askAgain, &turn)
      case .written, .exists, .blocked, .conflict, .leased, .done: break
      }
    case .admission(let id, let admission): admitted(id, admission, result, &turn)
    case .saga(let id): sagaWritten(id, result, &turn)
    case .lease: leaseGranted()
    case .sweepList, .sweepWrite, .nothing: break
    }
  }

  /// Which of a checkout's attempts a job's message is about.
  private func addressed(_ id: Int, _ views: [AttemptView]) -> AttemptView? {
    jobs[id].flatMap { who.addressed(by: $0.origin, among: views) }
  }

  private mutating func decide(_ id: Int, _ view: AttemptView?, _ turn: inout Turn) {
    guard let job = jobs[id], job.ticket != nil else { return drop(id) }
    let asking = asking(job, turn)
    switch job.question {
    case .validated(let request, let fingerprint):
      if let view {
        act(id, who.met(view, fingerprint: fingerprint, asking), &turn)
      } else {
        act(id, who.create(request, fingerprint: fingerprint, trace: job.trace, asking), &turn)
      }
    case .refused(_, let fingerprint, let failures):
      act(id, who.refused(view, fingerprint: fingerprint, failures: failures, asking), &turn)
    case .cancel(_, let reason): act(id, who.cancel(view, reason: reason, asking), &turn)
    case .pending(let eventID, let work):
      if let notBefore = work.notBefore, notBefore > asking.now, !job.hurries {
        act(
          id,
          who.putBack(view, eventID: eventID, notBefore: notBefore, message: job.position, now: asking.now),
          &turn)
      } else {
        act(id, who.pending(view, eventID: eventID, message: job.position, now: asking.now), &turn)
      }
    case .word(let eventID, let word):
      act(id, who.personsWord(view, word, eventID: eventID, message: job.position, now: asking.now), &turn)
    }
  }

  private mutating func act(_ id: Int, _ admission: Admission, _ turn: inout Turn) {
    switch admission {
    case .create, .takeOver, .write: perform(admission, id)
    case .answer(let answer): publish(id, answer, &turn)
    case .wait(let until): wait(id, until: until, &turn)
    case .unknownAttempt: deadLetter(id, .unknownAttempt, "this journal knows no such attempt", &turn)
    }
  }

  private mutating func publish(_ id: Int, _ answer: Answer, _ turn: inout Turn) {
    guard let job = jobs[id] else { return }
    finish(
      id, answers.events(answer, origin: job.origin, subject: job.subject, trace: job.trace), &turn)
  }

  private mutating func admitted(
    _ id: Int, _ admission: Admission, _ result: JournalResult, _ turn: inout Turn
  ) {
    guard jobs[id]?.ticket != nil else { return drop(id) }
    switch (result, admission) {
    case (.written, .create(let write)):
      start(id, write.row, .facade, .created, &turn)
    case (.written, .takeOver(let write, let role)):
      start(id, write.row, role, .tookOver, &turn)
    case (.written, .write(let write, let answer)):
      rowChanged(write.row, &turn)
      publish(id, answer, &turn)
    case (.exists(let view), _): decide(id, view, &turn)
    case (.blocked(let view), _): act(id, who.blocked(by: view.attempt), &turn)
    case (.conflict(let view), _): decide(id, view, &turn)
    case (.refused(let detail), .create):
      deadLetter(id, .malformedEvent, "the journal cannot store it: \(detail)", &turn)
    case (.refused, _), (.written, _), (.found, _), (.leased, _), (.done, _), (.listed, _):
      // The row cannot take this message's mark: it is asked for again, later, rather than lost.
      wait(id, until: journalTime(turn) + Self.askAgain, &turn)
    }
  }

  // MARK: Machines

  private mutating func start(
    _ id: Int, _ row: Attempt, _ role: SagaRole, _ event: SagaEvent, _ turn: inout Turn
  ) {
    guard let job = jobs[id] else { return }
    let attempt = row.identity.attemptID
    if let other = machines[attempt], other != id { giveUp(other, &turn) }
    machines[attempt] = id
    jobs[id]?.saga = Saga(row: row, role: role, message: job.position, context: context)
    feed(id, event, &turn)
    guard jobs[id]?.hurries == true else { return }
    jobs[id]?.hurries = false
    interrupt(id, .serviceIsBack, &turn)
  }

  /// Another message of this worker has the attempt now.
  private mutating func giveUp(_ id: Int, _ turn: inout Turn) {
    feed(id, .giveUp, &turn)
  }

  /// Gives a machine an event and does what it wants.
  mutating func feed(_ id: Int, _ event: SagaEvent, _ turn: inout Turn) {
    let now = now(turn)
    guard let action = jobs[id]?.saga?.handle(event, now) else { return }
    switch action {
    case .nothing: break
    case .write(let write): submit(.update(write), .saga(job: id))
    case .call(let call): dispatch(id, call, &turn)
    case .wait(let until): wait(id, until: until, &turn)
    case .finish(let end): ended(id, end, &turn)
    }
    if jobs[id]?.ticket == nil, jobs[id]?.saga?.isFinished == true { drop(id) }
  }

  private mutating func ended(_ id: Int, _ end: SagaEnd, _ turn: inout Turn) {
    guard let job = jobs[id], let saga = job.saga else { return }
    switch end {
    case .ended, .handedOver, .parked, .obligationsDone:
      finish(id, answers.events(end, saga.row), &turn)
    case .lost, .gaveUp:
      guard job.ticket != nil else { return }
      if saga.hasCallInFlight { leaveOrphan(of: job, id, &turn) }
      releaseMachine(of: job, id)
      jobs[id]?.saga = nil
      jobs[id]?.call = nil
      wait(id, until: journalTime(turn) + Self.askAgain, &turn)
    }
  }

  /// The machine stays behind alone, to store the late answer of its call; the message starts anew.
  private mutating func leaveOrphan(of job: AttemptJob, _ id: Int, _ turn: inout Turn) {
    var orphan = job
    orphan.ticket = nil
    orphan.isParked = false
    lastJob += 1
    jobs[lastJob] = orphan
    guard let call = job.call else { return }
    calls[call.id] = lastJob
    takeBack(call, &turn)
  }

  private mutating func sagaWritten(_ id: Int, _ result: JournalResult, _ turn: inout Turn) {
    switch result {
    case .written: feed(id, .written, &turn)
    case .conflict(let view): feed(id, .conflicted(view?.attempt), &turn)
    case .refused(let detail): feed(id, .journalRefused(detail: detail), &turn)
    case .exists, .blocked, .found, .leased, .done, .listed: break
    }
  }

  /// A machine of this worker must not go on with an older row.
  private mutating func rowChanged(_ row: Attempt, _ turn: inout Turn) {
    guard let id = machines[row.identity.attemptID] else { return }
    feed(id, .changed(row), &turn)
  }

  // MARK: Gateways

  /// Sends a call, or lets it wait for room at its service.
  private mutating func dispatch(_ id: Int, _ call: SagaCall, _ turn: inout Turn) {
    guard let merchant = jobs[id]?.saga?.row.identity.merchantID else { return }
    lastNumber += 1
    jobs[id]?.call = (lastNumber, call.operation)
    calls[lastNumber] = id
    switch shares.offer(lastNumber, call, merchantID: merchant) {
    case .sent: outgoing.add(call, id: lastNumber, notAfter: notAfter(call, turn), merchantID: merchant)
    case .waits: park(id, &turn)
    case .refused:
      calls[lastNumber] = nil
      jobs[id]?.call = nil
      feed(id, call.crowded, &turn)
    }
  }

  /// After which time a call must not go on the wire: the lease's end, or the end of the provider's key window.
  private func notAfter(_ call: SagaCall, _ turn: Turn) -> BootTime {
    var last = lease.end
    if let end = call.notAfter { last = min(last, turn.now.bootTime + (end - journalTime(turn))) }
    return last + (.zero - settings.saga.notAfterMargin)
  }

  /// A service has answered.
  mutating func answered(_ reply: GatewayReply, _ turn: inout Turn) {
    let (callID, service, event, isTrouble) = reply.summary
    for next in shares.ended(callID) {
      outgoing.add(next.call, id: next.id, notAfter: notAfter(next.call, turn), merchantID: next.merchantID)
      if let id = calls[next.id] { unpark(id, &turn) }
    }
    let isBack = shares.heard(service, isTrouble: isTrouble)
    if let id = calls.removeValue(forKey: callID) {
      jobs[id]?.call = nil
      jobs[id]?.troubledBy = isTrouble ? service : nil
      feed(id, event, &turn)
    }
    if isBack { recoveries.begin(service, at: journalTime(turn)) }
    if isTrouble {
      recoveries.end(service)
      for (shed, call) in shares.shed(service) { answerUnsent(shed, call.crowded, &turn) }
    }
    if recoveries.isUnderWay(service), !shares.isCrowded { hurry(service, &turn) }
  }

  /// A call that still waits for room is answered "never sent"; one that has gone to its port is taken back there.
  private mutating func takeBack(_ call: (id: UInt64, operation: Operation), _ turn: inout Turn) {
    guard let waiting = shares.takeBack(call.id) else { return outgoing.withdraw(call) }
    answerUnsent(call.id, waiting.notSent, &turn)
  }

  private mutating func answerUnsent(_ callID: UInt64, _ event: SagaEvent, _ turn: inout Turn) {
    guard let id = calls.removeValue(forKey: callID) else { return }
    jobs[id]?.call = nil
    unpark(id, &turn)
    feed(id, event, &turn)
  }

  /// Sends everything that was queued in this turn: one batch for each port.
  mutating func flush(_ turn: Turn) {
    for request in outgoing.journal { journalWaits[request.id]?.askedAt = turn.now.bootTime }
    outgoing.send(to: ports, journalSink, gatewaySink)
  }

  // MARK: Taken away

  /// These messages belong to another worker now: what was not sent is withdrawn, what is on its way is waited for
  /// (a definite answer is still stored), and the attempts are given up in one write.
  mutating func forget(_ tickets: [Ticket], _ turn: inout Turn) {
    var attempts: [AttemptID] = []
    for ticket in tickets {
      guard let id = byTicket.removeValue(forKey: ticket) else { continue }
      if let attempt = jobs[id]?.question.attemptID { attempts.append(attempt) }
      if jobs[id]?.isParked == true { waitingCount -= 1 }
      jobs[id]?.isParked = false
      jobs[id]?.ticket = nil
      timers.clear(id)
      let call = jobs[id]?.call
      // Without a machine there is no late answer to store; what the journal still answers finds nobody.
      if jobs[id]?.saga == nil { drop(id) } else { feed(id, .giveUp, &turn) }
      if let call { takeBack(call, &turn) }
    }
    if !attempts.isEmpty { submit(.giveUp(settings.worker, attempts), .nothing) }
  }
}
