// A small world around the decisions: messages, workers that crash, a journal, services, and virtual time. It feeds
// `WhoAnswers` and `Saga` exactly as a stage does, one event at a time.

import CheckoutCore

/// One message of `checkout.validated` or `checkout.pending`.
struct TestMessage {
  enum Content {
    case request(ValidatedRequest, Fingerprint)
    case refused(AttemptID, Fingerprint, [Refusal])
    case cancel(CheckoutKey)
    case pending(eventID: String, AttemptID, notBefore: Timestamp?)
    case word(PersonsWord)
  }

  let position: Position
  let origin: Origin
  let content: Content
  var offsetsWereLost = false
  var isCommitted = false

  /// The stage that consumes it.
  var stage: Custody {
    switch content {
    case .request, .refused, .cancel: .facade
    case .pending, .word: .reconciliation
    }
  }
}

/// One incarnation of a stage's worker.
struct TestWorker {
  let id: WorkerID
  let stage: Custody
  /// Its journal still works, its Kafka commits are fenced.
  var isZombie = false
  /// Nil: renewed as long as it lives.
  var leaseEnd: Timestamp?
}

/// A message in work, or (without `message`) a machine left alone with a call in flight.
struct TestJob {
  var message: Int?
  let worker: WorkerID
  var saga: Saga?
  var admission: Admission?
  var timer = 0
}

/// The world. Not for use by two threads.
final class TestWorld {
  enum Event {
    case deliver(Int)
    case journal(job: Int, JournalCommand)
    case journalReply(job: Int, JournalResult)
    case send(job: Int, SagaCall, notAfter: Timestamp)
    case reply(job: Int, SagaEvent)
    case due(job: Int, timer: Int)
    case commit(job: Int, [PipelineEvent])
    case sweep
    case run((TestWorld) -> Void)
  }

  private struct Scheduled {
    let at: Timestamp
    let order: Int
    let event: Event
  }

  var settings = SagaSettings()
  var traits = SagaSample.traits()
  var dice: Dice
  var now = SagaSample.noon
  var journal = TestJournal()
  var payments = TestPayments()
  var stock = TestStock()
  var receipts = TestReceipts()
  var messages: [TestMessage] = []
  var workers: [Custody: TestWorker] = [:]
  var zombies: [WorkerID: TestWorker] = [:]
  var jobs: [Int: TestJob] = [:]
  private var lastJob = 0
  private var incarnations = 0
  private var queue: [Scheduled] = []
  private var order = 0
  private(set) var steps = 0
  /// What was published, in order.
  private(set) var published: [PipelineEvent] = []
  /// All that was ever about to be published, by id.
  private(set) var attempted: [String: PipelineEvent] = [:]
  var violations: [String] = []
  /// Calls put on the wire, in order.
  private(set) var calls: [SagaCall] = []
  /// What becomes of the next calls of an operation; `lookUps` for look-ups. Without an entry: `good`, or by `fate`.
  var script: [Operation: [Fate]] = [:]
  var lookUps: [PaymentReply] = []
  var fate: (TestWorld, SagaCall) -> Fate = { _, _ in .good }
  /// How long a call waits before it goes on the wire, and the journal before it answers.
  var wireDelay: (TestWorld) -> TimeSpan = { .milliseconds(Int64($0.dice.below(3))) }
  var journalDelay: (TestWorld) -> TimeSpan = { _ in .milliseconds(1) }
  /// Run once when a call goes out, before it is answered; run once when a step is durable, before anybody knows.
  var onCall: [Operation: (TestWorld) -> Void] = [:]
  var onStep: [String: (TestWorld) -> Void] = [:]
  /// Run before each event; faults.
  var before: (TestWorld) -> Void = { _ in }

  init(seed: UInt64 = 1) {
    dice = Dice(seed: seed)
  }

  // MARK: Running

  func schedule(_ event: Event, after span: TimeSpan) {
    order += 1
    let new = Scheduled(at: now + span, order: order, event: event)
    var index = queue.count
    while index > 0,
      queue[index - 1].at < new.at || (queue[index - 1].at == new.at && queue[index - 1].order < new.order)
    {
      index -= 1
    }
    queue.insert(new, at: index)
  }

  /// Runs until nothing is left to do, or until `end`. False: still busy after `limit` events, a livelock.
  @discardableResult
  func run(until end: Timestamp? = nil, limit: Int = 20_000) -> Bool {
    let last = steps + limit
    while let next = queue.last {
      if let end, next.at > end { break }
      if steps >= last { return false }
      queue.removeLast()
      now = max(now, next.at)
      steps += 1
      before(self)
      handle(next.event)
    }
    if let end { now = max(now, end) }
    return true
  }

  private func handle(_ event: Event) {
    switch event {
    case .deliver(let index): deliver(index)
    case .journal(let job, let command):
      renewLeases()
      let result = journal.answer(command, at: now)
      if case .written = result, let write = command.write {
        for step in write.steps { onStep.removeValue(forKey: step.name)?(self) }
      }
      schedule(.journalReply(job: job, result), after: journalDelay(self))
    case .journalReply(let job, let result): journalReplied(job, result)
    case .send(let job, let call, let notAfter): send(job, call, notAfter)
    case .reply(let job, let event): feed(job, event)
    case .due(let job, let timer):
      guard let found = jobs[job], found.timer == timer else { return }
      if found.saga != nil { feed(job, .due) } else { ask(job) }
    case .commit(let job, let events): commit(job, events)
    case .sweep: sweep()
    case .run(let body): body(self)
    }
  }

  // MARK: Workers

  func worker(_ stage: Custody) -> TestWorker {
    if let worker = workers[stage] { return worker }
    incarnations += 1
    let worker = TestWorker(id: WorkerID("\(stage.rawValue)/\(incarnations)"), stage: stage)
    workers[stage] = worker
    return worker
  }

  /// Workers that live renew their lease long before it ends.
  private func renewLeases() {
    for worker in workers.values { journal.leases[worker.id] = now + settings.lease }
  }

  func context(_ worker: WorkerID) -> SagaContext {
    SagaContext(settings: settings, traits: traits, identifiers: SagaSample.identifiers, worker: worker)
  }

  /// The process is gone: its messages come again, to another one.
  func crash(_ stage: Custody) {
    guard let worker = workers.removeValue(forKey: stage) else { return }
    jobs = jobs.filter { $0.value.worker != worker.id }
    redeliver(stage)
  }

  /// The process is thought gone and lives on: its journal works until the lease ends, its commits are refused.
  func makeZombie(_ stage: Custody) {
    guard var worker = workers.removeValue(forKey: stage) else { return }
    renewLeases()
    worker.isZombie = true
    worker.leaseEnd = now + settings.lease
    journal.leases[worker.id] = worker.leaseEnd
    zombies[worker.id] = worker
    redeliver(stage)
  }

  /// The partition goes to another process in good order: attempts are given up, calls in flight are waited for.
  func revoke(_ stage: Custody) {
    guard var worker = workers.removeValue(forKey: stage) else { return }
    worker.isZombie = true
    worker.leaseEnd = now + settings.lease
    zombies[worker.id] = worker
    var attempts: [AttemptID] = []
    for id in jobs.keys.sorted() where jobs[id]?.worker == worker.id {
      jobs[id]?.message = nil
      if let row = jobs[id]?.saga?.row { attempts.append(row.identity.attemptID) }
      feed(id, .giveUp)
      if jobs[id]?.saga == nil { jobs[id] = nil }
    }
    _ = journal.answer(.giveUp(worker.id, attempts), at: now)
    redeliver(stage)
  }

  private func redeliver(_ stage: Custody) {
    for (index, message) in messages.enumerated() where message.stage == stage && !message.isCommitted {
      schedule(.deliver(index), after: .milliseconds(Int64(1 + dice.below(50))))
    }
  }

  // MARK: Messages

  /// Puts a message on its topic; returns its number.
  @discardableResult
  func put(_ content: TestMessage.Content, origin: Origin? = nil, after span: TimeSpan = .zero) -> Int {
    let index = messages.count
    let isPending =
      TestMessage(position: SagaSample.position("-", 0), origin: origin ?? Self.origin(0), content: content)
      .stage == .reconciliation
    let position = SagaSample.position(isPending ? "pending" : "validated", index)
    messages.append(TestMessage(position: position, origin: origin ?? Self.origin(index), content: content))
    schedule(.deliver(index), after: span)
    return index
  }

  static func origin(_ number: Int) -> Origin { Origin(SagaSample.position("requests", number)) }

  private func deliver(_ index: Int) {
    let message = messages[index]
    guard !message.isCommitted else { return }
    let worker = worker(message.stage)
    guard !jobs.values.contains(where: { $0.message == index && $0.worker == worker.id }) else { return }
    lastJob += 1
    jobs[lastJob] = TestJob(message: index, worker: worker.id)
    if case .pending(_, _, let notBefore?) = message.content, notBefore > now {
      return wait(lastJob, until: min(notBefore, now + settings.holdMax))
    }
    ask(lastJob)
  }

  private func commit(_ id: Int, _ events: [PipelineEvent]) {
    guard let job = jobs[id], let index = job.message else { return }
    guard zombies[job.worker] == nil, !messages[index].isCommitted else {
      jobs[id] = nil
      return
    }
    messages[index].isCommitted = true
    jobs[id] = nil
    publish(events)
  }

  private func publish(_ events: [PipelineEvent]) {
    for event in events {
      published.append(event)
      guard case .pendingWork(let work) = event.body else { continue }
      put(
        .pending(eventID: event.id, work.attempt.attemptID, notBefore: work.notBefore), origin: event.origin,
        after: .milliseconds(2))
    }
  }

  /// One round of the sweep, as reconciliation does it.
  func sweep() {
    let worker = worker(.reconciliation)
    renewLeases()
    guard case .listed(let views) = journal.answer(.sweep(olderThan: now, now: now, limit: 100), at: now) else {
      return
    }
    let who = WhoAnswers(context: context(worker.id))
    let answers = Answers(identifiers: SagaSample.identifiers, journalID: "journal-1")
    for view in views {
      switch who.sweep(view, now: now) {
      case .leave: break
      case .publish: publish(note([answers.swept(view.attempt, at: now)]))
      case .write(let write):
        if case .written = journal.answer(.update(write), at: now) {
          publish(note([answers.swept(write.row, at: now)]))
        }
      }
    }
  }

  // MARK: Jobs

  private func asking(_ job: TestJob) -> Asking? {
    job.message.map { messages[$0] }.map {
      Asking(message: $0.position, origin: $0.origin, now: now, offsetsWereLost: $0.offsetsWereLost)
    }
  }

  private func ask(_ id: Int) {
    guard let job = jobs[id], let index = job.message, let asking = asking(job) else { return }
    switch messages[index].content {
    case .request(let request, let fingerprint):
      let who = WhoAnswers(context: context(job.worker))
      act(id, who.create(request, fingerprint: fingerprint, trace: nil, asking))
    case .refused(let attempt, _, _), .pending(_, let attempt, _): submit(id, .find(attempt))
    case .cancel(let checkout): submit(id, .findCheckout(checkout, limit: WhoAnswers.attemptsLookedAt))
    case .word(let word): submit(id, .find(word.attempt.attemptID))
    }
  }

  private func submit(_ id: Int, _ command: JournalCommand) {
    schedule(.journal(job: id, command), after: .milliseconds(Int64(1 + dice.below(3))))
  }

  private func act(_ id: Int, _ admission: Admission) {
    jobs[id]?.admission = admission
    switch admission {
    case .create(let write): submit(id, .create(write))
    case .takeOver(let write, _), .write(let write, _): submit(id, .update(write))
    case .answer(let answer): answerNow(id, answer)
    case .wait(let until): wait(id, until: until)
    case .unknownAttempt: violations.append("pending work for an attempt nobody knows")
    }
  }

  private func answerNow(_ id: Int, _ answer: Answer) {
    guard let job = jobs[id], let index = job.message else { return }
    let message = messages[index]
    let events = Answers(identifiers: SagaSample.identifiers, journalID: "journal-1").events(
      answer, origin: message.origin,
      subject: EventSubject(merchantID: "shop-eu", checkoutID: "chk_000001", idempotencyKey: nil), trace: nil)
    finish(id, events)
  }

  private func finish(_ id: Int, _ events: [PipelineEvent]) {
    schedule(.commit(job: id, note(events)), after: .milliseconds(Int64(1 + dice.below(20))))
  }

  /// The same id always has the same content.
  private func note(_ events: [PipelineEvent]) -> [PipelineEvent] {
    for event in events {
      if case .rejected = event.body { continue }
      if let earlier = attempted[event.id], earlier.content != event.content {
        violations.append("\(event.type.rawValue) \(event.id) was published with two contents")
      }
      attempted[event.id] = event
    }
    return events
  }

  private func wait(_ id: Int, until time: Timestamp) {
    jobs[id]?.timer += 1
    guard let timer = jobs[id]?.timer else { return }
    schedule(.due(job: id, timer: timer), after: max(time - now, .milliseconds(1)))
  }

  private func journalReplied(_ id: Int, _ result: JournalResult) {
    guard let job = jobs[id] else { return }
    if job.saga != nil {
      switch result {
      case .written: feed(id, .written)
      case .conflict(let view): feed(id, .conflicted(view?.attempt))
      case .refused(let detail): feed(id, .journalRefused(detail: detail))
      case .exists, .blocked, .found, .leased, .done, .listed: violations.append("the journal answered \(result)")
      }
      return
    }
    guard job.message != nil else {
      jobs[id] = nil
      return
    }
    switch (result, job.admission) {
    case (.written, .create(let write)): start(id, write.row, .facade, .created)
    case (.written, .takeOver(let write, let role)): start(id, write.row, role, .tookOver)
    case (.written, .write(let write, let answer)):
      changed(write.row, by: job.worker)
      answerNow(id, answer)
    case (.exists(let view), _): decide(id, view)
    case (.blocked(let view), _): act(id, WhoAnswers(context: context(job.worker)).blocked(by: view.attempt))
    case (.conflict(let view), _), (.found(let view), _): decide(id, view)
    case (.listed(let views), _):
      guard let origin = job.message.map({ messages[$0].origin }) else { return }
      decide(id, WhoAnswers(context: context(job.worker)).addressed(by: origin, among: views))
    case (.refused, _), (.written, _), (.leased, _), (.done, _): wait(id, until: now + .seconds(1))
    }
  }

  private func decide(_ id: Int, _ view: AttemptView?) {
    guard let job = jobs[id], let index = job.message, let asking = asking(job) else { return }
    let who = WhoAnswers(context: context(job.worker))
    let message = messages[index]
    switch message.content {
    case .request(let request, let fingerprint):
      act(
        id,
        view.map { who.met($0, fingerprint: fingerprint, asking) }
          ?? who.create(request, fingerprint: fingerprint, trace: nil, asking))
    case .refused(_, let fingerprint, let failures):
      act(id, who.refused(view, fingerprint: fingerprint, failures: failures, asking))
    case .cancel: act(id, who.cancel(view, reason: "changed my mind", asking))
    case .pending(let eventID, _, let notBefore):
      if let notBefore, notBefore > now {
        act(
          id, who.putBack(view, eventID: eventID, notBefore: notBefore, message: message.position, now: now))
      } else {
        act(id, who.pending(view, eventID: eventID, message: message.position, now: now))
      }
    case .word(let word): act(id, who.personsWord(view, word, message: message.position, now: now))
    }
  }

  // MARK: Machines

  private func start(_ id: Int, _ row: Attempt, _ role: SagaRole, _ event: SagaEvent) {
    guard let job = jobs[id], let index = job.message else { return }
    for other in jobs.keys.sorted() where other != id && jobs[other]?.worker == job.worker {
      if jobs[other]?.saga?.row.identity == row.identity { feed(other, .giveUp) }
    }
    jobs[id]?.saga = Saga(
      row: row, role: role, message: messages[index].position, context: context(job.worker))
    feed(id, event)
  }

  private func changed(_ row: Attempt, by worker: WorkerID) {
    for id in jobs.keys.sorted() where jobs[id]?.worker == worker {
      if jobs[id]?.saga?.row.identity == row.identity { feed(id, .changed(row)) }
    }
  }

  func feed(_ id: Int, _ event: SagaEvent) {
    let present = SagaNow(time: now, jitter: UInt32(truncatingIfNeeded: dice.next()))
    guard let earlier = jobs[id]?.saga, let action = jobs[id]?.saga?.handle(event, present) else { return }
    switch action {
    case .nothing: noticeSilence(id, event, earlier)
    case .write(let write): submit(id, .update(write))
    case .call(let call): schedule(.send(job: id, call, notAfter: notAfter(id, call)), after: wireDelay(self))
    case .wait(let until): wait(id, until: until)
    case .finish(let end): finished(id, end)
    }
    if jobs[id]?.message == nil, jobs[id]?.saga?.isFinished == true { jobs[id] = nil }
  }

  /// An answer that a message waits for must lead on.
  private func noticeSilence(_ id: Int, _ event: SagaEvent, _ earlier: Saga) {
    guard let job = jobs[id], job.message != nil, let saga = job.saga, !earlier.isFinished else { return }
    if saga.isFinished { violations.append("the machine stopped without a word after \(event)") }
    switch event {
    case .inventory, .payment, .receipt:
      if earlier.hasCallInFlight { violations.append("an answer was met with silence: \(event)") }
    case .serviceIsBack, .putBack, .created, .tookOver, .written, .conflicted, .journalRefused, .due, .changed, .giveUp:
      break
    }
  }

  private func finished(_ id: Int, _ end: SagaEnd) {
    guard let job = jobs[id], let saga = job.saga else { return }
    switch end {
    case .ended, .handedOver, .parked, .obligationsDone:
      finish(id, Answers(identifiers: SagaSample.identifiers, journalID: "journal-1").events(end, saga.row))
    case .lost, .gaveUp:
      guard job.message != nil else { return }
      var orphan = job
      orphan.message = nil
      lastJob += 1
      jobs[lastJob] = TestJob(message: job.message, worker: job.worker)
      jobs[id] = saga.hasCallInFlight ? orphan : nil
      wait(lastJob, until: now + .milliseconds(50))
    }
  }

  // MARK: Calls

  /// As a stage counts it when it hands the call over.
  private func notAfter(_ id: Int, _ call: SagaCall) -> Timestamp {
    let leaseEnd = (jobs[id].flatMap { zombies[$0.worker] }?.leaseEnd) ?? (now + settings.lease)
    return min(leaseEnd, call.notAfter ?? .distantFuture) - settings.notAfterMargin
  }

  private func send(_ id: Int, _ call: SagaCall, _ notAfter: Timestamp) {
    guard let job = jobs[id] else { return }
    let isWithdrawn = job.message == nil && dice.chance(50)
    if now > notAfter || isWithdrawn || job.saga?.hasCallInFlight != true {
      return schedule(.reply(job: id, call.answered(.notSent)), after: .milliseconds(1))
    }
    calls.append(call)
    onCall.removeValue(forKey: call.operation)?(self)
    let (reply, latency) = carry(call)
    schedule(.reply(job: id, reply), after: latency)
  }

  private func carry(_ call: SagaCall) -> (SagaEvent, TimeSpan) {
    if !call.hasEffect, !lookUps.isEmpty { return (.payment(lookUps.removeFirst()), .milliseconds(40)) }
    var fate = Fate.good
    if var scripted = script[call.operation], call.hasEffect, !scripted.isEmpty {
      fate = scripted.removeFirst()
      script[call.operation] = scripted
    } else {
      fate = self.fate(self, call)
    }
    let latency = TimeSpan.milliseconds(Int64(5 + dice.below(200)))
    switch fate {
    case .good: return (carryOut(call, delay: .zero), latency)
    case .lostReply:
      _ = carryOut(call, delay: .zero)
      return (call.answered(.unknown(detail: "connection lost")), latency)
    case .lostRequest: return (call.answered(.unknown(detail: "timed out")), settings.callTotalTimeout)
    case .slow(let delay):
      if case .inventory = call.command {
        schedule(.run { _ = $0.carryOut(call, delay: .zero) }, after: delay)
      } else {
        _ = carryOut(call, delay: delay)
      }
      return (call.answered(.unknown(detail: "timed out")), min(delay, settings.callTotalTimeout))
    case .trouble(let trouble): return (call.answered(trouble), latency)
    }
  }

  private func carryOut(_ call: SagaCall, delay: TimeSpan) -> SagaEvent {
    switch call.command {
    case .inventory(let command): .inventory(stock.answer(command, key: call.key, at: now))
    case .payment(let command):
      .payment(payments.answer(command, key: call.key, at: now, delay: delay, traits: traits.payment))
    case .receipt: .receipt(receipts.answer(key: call.key, at: now, window: traits.receiptKeyWindow))
    }
  }
}

extension JournalCommand {
  /// The write of a create or update.
  var write: AttemptWrite? {
    switch self {
    case .create(let write), .update(let write): write
    case .find, .findCheckout, .lease, .giveUp, .endLease, .sweep: nil
    }
  }
}

extension SagaCall {
  /// The event in which the call's service tells of trouble.
  func answered(_ trouble: CallTrouble) -> SagaEvent {
    switch command {
    case .inventory: .inventory(.trouble(trouble))
    case .payment: .payment(.trouble(trouble))
    case .receipt: .receipt(.trouble(trouble))
    }
  }
}

extension PipelineEvent {
  /// What goes on the wire, without the row's bookkeeping.
  var content: PipelineEvent {
    func bare(_ row: Attempt) -> Attempt {
      var row = row
      row.version = 0
      row.epoch = 0
      row.owner = nil
      row.owedBy = .event("")
      row.handOver = nil
      row.custody = .facade
      row.waiting = []
      row.updatedAt = row.createdAt
      row.watch = nil
      return row
    }
    let body: Body =
      switch self.body {
      case .outcome(let row, let replayed): .outcome(bare(row), replayed: replayed)
      case .parked(let row): .parked(bare(row))
      case .receiptPending(let row): .receiptPending(bare(row))
      case .validated, .refused, .cancelRequested, .rejected, .pendingWork, .personsWord: self.body
      }
    return PipelineEvent(
      id: id, type: type, origin: origin, time: time, subject: subject, trace: trace, body: body)
  }
}
