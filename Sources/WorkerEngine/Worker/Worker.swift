// The worker's loop: one consumer, one producer, one stage, on one thread.
//
//   none ──assigned──► running ──revoked──► draining ──over──► none
//                        │  ▲                  (release answered while the revoke waits, commits before that)
//                        │  └──────assigned──────┐
//                        ├──commit dropped──► forgotten ──revoked, lost, silence──► none
//                        └──lost──► none
//   any ──stop──► draining ──over──► ended;   any ──fatal──► ended

/// What a turn ended with.
package enum WorkerStatus: Hashable, Sendable {
  case running
  /// Stopped as asked. `unfinished` messages had started and go to the next owner; `uncommitted` tells that some finished
  /// ones could not be committed in time and will be repeated.
  case stopped(unfinished: Int, uncommitted: Bool)
  /// Cannot go on.
  case failed(WorkerFailure)
}

/// One worker. Everything is called on one thread; other threads use `control`. It is deterministic: no clock and no
/// randomness but what it was given.
package final class Worker<S: Stage> {
  private enum Membership {
    case none
    case running
    case draining(Drain)
    /// The group has moved on without us: everything was dropped, the broker has not said so yet.
    case forgotten(generation: Int, since: Int64)
  }

  /// What other threads may use.
  package let control: WorkerControl

  private let broker: any Broker
  private let inbox: Inbox<S.Event>
  private let clock: any EngineClock
  private let settings: WorkerSettings
  private let limits: AssignmentLimits
  private let envelope: DeadLetterEnvelope
  private let notice: (WorkerNotice) -> Void

  private var stage: S
  private var turn = Turn(now: Moment(wall: 0, boot: 0))
  private var deliveries: [Delivery] = []
  private var membership = Membership.none
  private var assignment: Assignment?
  private var valve: IntakeValve
  private var status: WorkerStatus?
  private var subscribed = false
  /// When a stop has to be over (boot clock); nil: none was asked for.
  private var stopUntil: Int64?
  /// When the stage wants its next tick (boot clock); the first comes at once, so that it can take what it needs to begin.
  private var stageWakeAt: Int64? = 0
  /// The job that the broker has not ended, and since when.
  private var runningJob: (id: Int, since: Int64)?
  private var lastJob = 0
  private var lastJobStart = Int64.min / 2
  private var lastProgress: Int64 = 0
  private var lastCommit: Int64?
  private var counters = WorkerCounters()
  /// The partitions as they were when they were last looked at, and when that was.
  private var partitionList: (list: [PartitionHealth], at: Int64) = ([], .min / 2)

  /// A worker that has not begun; the first turn subscribes. `notice` is called on the loop's thread.
  package init(
    stage: consuming S, inbox: Inbox<S.Event>, broker: any Broker, clock: any EngineClock, settings: WorkerSettings,
    notice: @escaping (WorkerNotice) -> Void = { _ in }
  ) {
    self.stage = stage
    self.inbox = inbox
    self.broker = broker
    self.clock = clock
    self.settings = settings
    self.notice = notice
    limits = AssignmentLimits(
      inFlightMax: settings.inFlightMax, commitOutputsMax: settings.commitOutputsMax,
      commitBytesMax: settings.commitBytesMax, sendsAhead: broker.sendsAhead, laneHashSeed: settings.laneHashSeed,
      context: settings.context)
    envelope = DeadLetterEnvelope(settings: settings.deadLetters, group: settings.group, stage: settings.stage)
    valve = IntakeValve(partitions: 0, settings: settings)
    let waker = broker.waker
    control = WorkerControl(waker: waker)
    inbox.onArrival(waker)
  }

  /// One step of the loop: takes what has arrived, waiting for at most `waitNanoseconds` if there is nothing, and does what
  /// follows from it. Once it has returned another status than `running` it does nothing more.
  package func turn(waitNanoseconds: Int64) -> WorkerStatus {
    if let status { return status }
    subscribe()
    let events = status == nil ? poll(waitNanoseconds) : []
    let now = clock.now()
    beginStopIfAsked(now)
    for event in events where status == nil { take(event, now) }
    if status == nil {
      resumeStage(now)
      startMessages(now)
      assignment?.settleIntake()
      stepDrain(now)
    }
    if status == nil {
      commitIfDue(now)
      steerIntake()
    }
    publish(now)
    return status ?? .running
  }

  /// When the worker needs a turn at the latest although nothing arrives (boot clock); nil: no need. A simulator may jump there.
  package var nextDue: Int64? {
    guard status == nil else { return nil }
    guard subscribed else { return clock.now().boot }
    var due = [stageWakeAt, stopUntil].compactMap { time in time }
    if case .draining(let drain) = membership { due.append(drain.nextLook(after: clock.now().boot)) }
    if case .forgotten(_, let since) = membership { due.append(since + settings.silenceNanoseconds) }
    if runningJob == nil, let assignment, isCommitAllowed, assignment.hasSomethingToCommit {
      due.append(assignment.commits.hasFullBatch ? clock.now().boot : lastJobStart + commitInterval)
    }
    if mayStart, let assignment, assignment.ready > 0, assignment.room > 0 { due.append(clock.now().boot) }
    return due.min()
  }
}

// MARK: - What arrives

extension Worker {
  private func subscribe() {
    guard !subscribed else { return }
    subscribed = true
    do throws(WorkerFailure) {
      try broker.subscribe()
    } catch {
      fail(error, clock.now())
    }
  }

  private func poll(_ waitNanoseconds: Int64) -> [BrokerEvent] {
    var wait = max(0, waitNanoseconds)
    if let due = nextDue {
      let now = clock.now().boot
      wait = due <= now ? 0 : min(wait, due - now)
    }
    return broker.poll(maxRecords: settings.pollRecordsMax, waitNanoseconds: wait)
  }

  private func take(_ event: BrokerEvent, _ now: Moment) {
    switch event {
    case .records(let records, let generation): takeIn(records, generation, now)
    case .assigned(let partitions, let generation): begin(partitions, generation, now)
    case .revoked(let generation): beginRevoke(generation, now)
    case .lost(let generation):
      counters.losses += 1
      letGo(generation, lost: true, now)
    case .commitEnded(let job, let result): commitEnded(job, result, now)
    case .outOfRange(let slot, let generation, let detail):
      guard assignment?.generation == generation else { return }
      positionLost([slot], "the committed offset lies outside the log (\(detail))", now)
    case .fatal(let failure): fail(failure, now)
    }
  }

  private func takeIn(_ records: [Record], _ generation: Int, _ now: Moment) {
    guard case .running = membership, stopUntil == nil, assignment?.generation == generation else {
      counters.ignored += records.count
      return
    }
    let otherLogs = assignment?.take(records) { [stage] record in stage.lane(of: record) } ?? []
    guard !otherLogs.isEmpty else { return }
    positionLost(otherLogs, "the record where the last commit left off has another time: the topic was made again", now)
  }

  /// Some partitions cannot be gone on with from their committed offsets: what the settings say is done, never silently.
  private func positionLost(_ slots: [Int], _ reason: String, _ now: Moment) {
    guard let assignment else { return }
    let known = slots.filter { slot in assignment.partitions.indices.contains(slot) }
    let names = known.map { slot in assignment.partitions[slot].partition }
    counters.startsOver += known.count
    switch settings.outOfRange {
    case .fail:
      let list = names.map { name in "\(name.topic)/\(name.partition)" }.joined(separator: ", ")
      fail(
        WorkerFailure(
          .environment,
          "\(list): \(reason); messages may be missing: look at the topic, then set worker.out_of_range to earliest (from the "
            + "first message there is) or latest (leave out what is there), or reset the group's offsets, and start again"
        ),
        now)
    case .earliest: startOver(known, names, at: .earliest, reason, now)
    case .latest: startOver(known, names, at: .latest, reason, now)
    }
  }

  private func startOver(
    _ slots: [Int], _ names: [TopicPartition], at place: LogPlace, _ reason: String, _ now: Moment
  ) {
    guard let generation = assignment?.generation else { return }
    for name in names { notice(.startedOver(name, place, reason: reason)) }
    // All partitions pause for a moment, for one code path with a rebalance; what had started is resumable.
    forgetAll(now, lost: true)
    broker.startOver(generation: generation, slots: slots, at: place)
  }

  private func resumeStage(_ now: Moment) {
    let events = inbox.take()
    if !events.isEmpty { callStage(now) { stage, turn in stage.resume(events, &turn) } }
    if let due = stageWakeAt, due <= now.boot {
      stageWakeAt = nil
      callStage(now) { stage, turn in stage.tick(&turn) }
    }
  }

  /// Calls the stage once and does what it asked for.
  private func callStage(_ now: Moment, _ call: (inout S, inout Turn) -> Void) {
    turn.restart(now: now, outputs: assignment?.commits.lend() ?? [])
    call(&stage, &turn)
    let finishedBefore = assignment?.counters.finished
    assignment?.apply(&turn, envelope)
    assignment?.sendAhead(through: broker)
    if assignment?.counters.finished != finishedBefore { lastProgress = now.boot }
    for code in assignment?.takeBuried() ?? [] { notice(.deadLettered(code: code)) }
    if let wakeAt = turn.wakeAt { stageWakeAt = min(stageWakeAt ?? wakeAt, wakeAt) }
  }
}

// MARK: - Starting messages

extension Worker {
  private var mayStart: Bool {
    guard case .running = membership, stopUntil == nil else { return false }
    return !stage.wantsPause
  }

  private func startMessages(_ now: Moment) {
    var left = settings.startsPerTurnMax
    while left > 0, mayStart {
      deliveries.removeAll(keepingCapacity: true)
      assignment?.start(atMost: left, into: &deliveries)
      guard !deliveries.isEmpty else { break }
      left -= deliveries.count
      callStage(now) { [deliveries] stage, turn in stage.receive(deliveries, &turn) }
    }
    // What was handed over must not keep a batch in memory until the next turn.
    deliveries.removeAll(keepingCapacity: true)
  }

  private func steerIntake() {
    guard let assignment else { return }
    var closeAll = stage.wantsPause || stopUntil != nil
    if case .draining = membership { closeAll = true }
    let (pause, resume) = valve.steer(assignment, closeAll: closeAll)
    if !pause.isEmpty { broker.pause(pause) }
    if !resume.isEmpty { broker.resume(resume) }
  }
}

// MARK: - Assignments

extension Worker {
  private func begin(_ assigned: [AssignedPartition], _ generation: Int, _ now: Moment) {
    // "Replaces any earlier assignment": without a revoke it was lost.
    forgetAll(now, lost: true)
    guard stopUntil == nil else { return }
    var partitions: [PartitionState] = []
    for partition in assigned {
      switch readSet(of: partition) {
      case .success(let finished): partitions.append(PartitionState(partition, finished: finished))
      case .failure(let failure): return fail(failure, now)
      }
    }
    assignment = Assignment(generation: generation, limits: limits, partitions: partitions)
    valve = IntakeValve(partitions: partitions.count, settings: settings)
    membership = .running
    counters.assignments += 1
    lastProgress = now.boot
    let oneBefore = partitions.indices.filter { slot in partitions[slot].startsOneBefore }
    broker.start(generation: generation, oneBefore: oneBefore)
    notice(.assigned(generation: generation, partitions: assigned.map(\.partition)))
    let missing = assigned.filter { partition in partition.committed == nil }
    if !missing.isEmpty { notice(.offsetsMissing(missing.map(\.partition))) }
  }

  private func readSet(of assigned: AssignedPartition) -> Result<FinishedSet?, WorkerFailure> {
    guard let offset = assigned.committed else { return .success(nil) }
    do throws(FinishedSetUnreadable) {
      guard let set = try FinishedSet.decode(assigned.metadata, frontier: offset) else { return .success(nil) }
      guard set.context != settings.context, !set.context.isEmpty, !settings.context.isEmpty else {
        return .success(set)
      }
      guard settings.adoptsOtherContext else {
        return .failure(
          WorkerFailure(
            .fenced,
            "\(assigned.partition.topic)/\(assigned.partition.partition) was worked on with journal \(set.context), this "
              + "is journal \(settings.context): use the right journal, or adopt this one deliberately"))
      }
      notice(.contextAdopted(assigned.partition, from: set.context))
      return .success(set)
    } catch {
      let reason =
        switch error {
        case .foreign: "not written by this engine"
        case .damaged(let detail): "damaged: \(detail)"
        }
      notice(.finishedSetIgnored(assigned.partition, reason: reason))
      return .success(nil)
    }
  }

  private func beginRevoke(_ generation: Int, _ now: Moment) {
    counters.revocations += 1
    guard assignment?.generation == generation else { return letGo(generation, lost: false, now) }
    let workUntil = now.boot + settings.drainNanoseconds
    let commitUntil = workUntil + settings.lastCommitNanoseconds
    switch membership {
    case .running:
      membership = .draining(
        limitedByStop(Drain(workUntil: workUntil, commitUntil: commitUntil, isRevoked: true)))
      callStage(now) { stage, turn in stage.drain(&turn) }
    case .draining(let drain):
      membership = .draining(drain.limited(workUntil: workUntil, commitUntil: commitUntil, isRevoked: true))
    case .none, .forgotten: letGo(generation, lost: false, now)
    }
  }

  /// Drops everything and answers the broker.
  private func letGo(_ generation: Int, lost: Bool, _ now: Moment) {
    forgetAll(now, lost: lost)
    broker.release(generation: generation)
  }

  /// Drops the assignment; what had started is taken from the stage.
  private func forgetAll(_ now: Moment, lost: Bool) {
    defer {
      membership = .none
      partitionList = ([], .min / 2)
    }
    guard let dropped = assignment else { return }
    let tickets = dropped.startedTickets()
    counters.add(dropped.counters)
    counters.forgotten += tickets.count
    // First out of the way: nothing that the stage now asks for may be committed any more.
    assignment = nil
    if !tickets.isEmpty { callStage(now) { stage, turn in stage.forget(tickets, &turn) } }
    notice(.released(generation: dropped.generation, unfinished: tickets.count, lost: lost))
  }
}

// MARK: - Commits

extension Worker {
  private var isCommitAllowed: Bool {
    switch membership {
    case .running, .draining: true
    case .none, .forgotten: false
    }
  }

  private func commitIfDue(_ now: Moment) {
    let isDue = now.boot >= lastJobStart + commitInterval || assignment?.commits.hasFullBatch == true
    guard runningJob == nil, isCommitAllowed, isDue, let job = assignment?.nextJob(id: lastJob + 1) else { return }
    lastJob = job.id
    lastJobStart = now.boot
    runningJob = (job.id, now.boot)
    broker.commit(job)
  }

  private var commitInterval: Int64 {
    if case .draining = membership { 0 } else { settings.commitIntervalNanoseconds }
  }

  private func commitEnded(_ id: Int, _ result: CommitResult, _ now: Moment) {
    guard let job = runningJob, job.id == id else { return }
    runningJob = nil
    // A job of an assignment that is gone: its offsets are the next owner's to read.
    guard assignment?.sent != nil else { return }
    switch result {
    case .committed:
      counters.commits += 1
      let outputs = assignment?.jobCommitted() ?? 0
      counters.outputsCommitted += outputs
      notice(.committed(outputs: outputs, nanoseconds: now.boot - job.since))
      lastProgress = now.boot
      lastCommit = now.boot
    case .dropped(let detail):
      counters.commitsDropped += 1
      notice(.commitDropped(detail: detail))
      if case .draining(let drain) = membership, drain.isRevoked, let generation = assignment?.generation {
        // The revoke has come already and waits for our answer: nothing else will ask for it again.
        return letGo(generation, lost: true, now)
      }
      let generation = assignment?.generation ?? 0
      forgetAll(now, lost: true)
      membership = .forgotten(generation: generation, since: now.boot)
    case .refused(let output, let detail):
      refused([RefusedOutput(output: output, detail: detail)], othersDelivered: false, now)
    case .deliveredExcept(let outputs): refused(outputs, othersDelivered: true, now)
    }
  }

  private func refused(_ outputs: [RefusedOutput], othersDelivered: Bool, _ now: Moment) {
    counters.outputsRefused += outputs.count
    let detail = outputs.first?.detail ?? ""
    for repair in assignment?.jobRefused(outputs, othersDelivered: othersDelivered, envelope, now: now) ?? [] {
      switch repair {
      case .repeatWithout(let partition):
        counters.deadLetters += 1
        notice(.outputRefused(partition, detail: detail))
      case .impossible:
        let what = "the broker refuses dead letters for \(settings.deadLetters.topic) too: \(detail)"
        fail(WorkerFailure(.environment, what), now)
      }
    }
  }
}

// MARK: - Draining and the end

extension Worker {
  private func beginStopIfAsked(_ now: Moment) {
    guard stopUntil == nil, control.isStopRequested else { return }
    let until = now.boot + settings.shutdownGraceNanoseconds
    stopUntil = until
    notice(.stopping)
    switch membership {
    case .running:
      membership = .draining(limitedByStop(Drain(workUntil: until, commitUntil: until, isRevoked: false)))
      callStage(now) { stage, turn in stage.drain(&turn) }
    case .draining(let drain): membership = .draining(limitedByStop(drain))
    case .none, .forgotten: break
    }
  }

  /// Within a stop, time is kept for the last commits and for leaving the group.
  private func limitedByStop(_ drain: Drain) -> Drain {
    guard let stopUntil else { return drain }
    let commitUntil = stopUntil - min(settings.closeNanoseconds, settings.shutdownGraceNanoseconds / 2)
    let workUntil = commitUntil - min(settings.lastCommitNanoseconds, settings.shutdownGraceNanoseconds / 4)
    return drain.limited(workUntil: workUntil, commitUntil: commitUntil, isRevoked: drain.isRevoked)
  }

  private func stepDrain(_ now: Moment) {
    if case .draining(let drain) = membership, let assignment {
      let uncommitted = runningJob != nil || assignment.hasSomethingToCommit
      guard drain.isOver(at: now.boot, inFlight: assignment.inFlight, uncommitted: uncommitted) else { return }
      if drain.isRevoked { return letGo(assignment.generation, lost: false, now) }
    }
    if stopUntil != nil { return end(now) }
    if case .forgotten(let generation, let since) = membership, now.boot >= since + settings.silenceNanoseconds {
      // Nobody says that the partitions are gone, so they are ours, and only this one commit was refused.
      membership = .none
      broker.startOver(generation: generation, slots: [], at: .earliest)
    }
  }

  /// Leaves for good.
  private func end(_ now: Moment) {
    let unfinished = assignment.map { assignment in assignment.inFlight + assignment.parked } ?? 0
    let uncommitted =
      assignment.map { assignment in assignment.sent != nil || assignment.hasSomethingToCommit } ?? false
    status = .stopped(unfinished: unfinished, uncommitted: uncommitted)
    forgetAll(now, lost: false)
    broker.close(limitNanoseconds: max(0, (stopUntil ?? now.boot) - now.boot))
  }

  private func fail(_ failure: WorkerFailure, _ now: Moment) {
    guard status == nil else { return }
    status = .failed(failure)
    forgetAll(now, lost: true)
    broker.close(limitNanoseconds: settings.closeNanoseconds)
  }
}

// MARK: - Health

extension Worker {
  private func publish(_ now: Moment) {
    var health = WorkerHealth()
    health.counters = counters
    health.lastTurn = now.boot
    health.lastCommit = lastCommit
    health.commitRunningSince = runningJob?.since
    health.stageWantsPause = stage.wantsPause
    if case .draining = membership { health.draining = true }
    if let assignment {
      health.describe(assignment, paused: valve.paused)
      if now.boot >= partitionList.at + Self.lookNanoseconds {
        partitionList = (assignment.partitionHealth(paused: valve.paused), now.boot)
      }
      health.partitionList = partitionList.list
    } else {
      partitionList = ([], .min / 2)
    }
    if health.inFlight == 0 && health.ready == 0 && !health.uncommitted { lastProgress = now.boot }
    health.lastProgress = lastProgress
    control.publish(health)
  }

  /// How often each single partition is looked at.
  private static var lookNanoseconds: Int64 { 1_000_000_000 }
}
