// One run: carries a schedule out in a world, lets everything come to its end, and asks the checks.

import CheckoutCore
import CheckoutSandbox
import CheckoutStages
import CheckoutWire
import WorkerEngine

/// What a run is made of beside its seed.
package struct RunOptions: Sendable {
  /// Acts that are left out, by number.
  package var leftOut: Set<Int> = []
  /// Faults that do not happen.
  package var takenBack: Set<FaultDecision> = []
  /// How often things go wrong by themselves; nil: drawn from the seed.
  package var rates: FaultRates?
  /// True: the run writes its timeline down.
  package var traces = false

  package init() {}
}

/// What came of a run.
package struct RunReport: Sendable {
  /// Its seed.
  package let seed: UInt64
  /// Steps of workers, journal and brokers.
  package internal(set) var events = 0
  /// Processes killed or broken.
  package internal(set) var crashes = 0
  /// Checkouts asked for.
  package internal(set) var checkouts = 0
  /// Broken promises.
  package internal(set) var violations: [Violation] = []
  /// Acts that were done, by number.
  package internal(set) var acts: [Int] = []
  /// Faults that happened by themselves.
  package internal(set) var faults: [FaultDecision] = []
  /// The timeline, if it was asked for.
  package internal(set) var trace: [String] = []
}

/// Carries out one run. Not thread-safe; runs of other seeds may go on beside it.
package final class SimulationRun {
  /// Until when everything must have ended once the faults have stopped.
  private static let endLimit = TimeSpan.hours(2)
  /// So long a charge of which nobody knows may be found out late.
  private static let watchLimit = TimeSpan.hours(26)
  private static let restartAfter = TimeSpan.seconds(3)

  private let schedule: Schedule
  private let options: RunOptions
  private let world: InMemoryPipeline
  private var recorder: TraceRecorder?
  private var report: RunReport
  private var sent: [SentMessage] = []
  private var peaks = MemoryPeaks()
  private var restarts: [(at: Int64, place: WorkerPlace)] = []
  private var isCalm = false
  /// When the faults stopped, and how many events there had been.
  private var calmSince: (boot: Int64, events: Int) = (0, 0)

  private init(seed: UInt64, options: RunOptions) {
    schedule = Schedule(seed: seed)
    self.options = options
    world = InMemoryPipeline(schedule.settings(takenBack: options.takenBack, rates: options.rates))
    report = RunReport(seed: seed)
    report.checkouts = schedule.checkouts
    if options.traces { recorder = TraceRecorder(world) }
  }

  /// The whole run of a seed.
  package static func run(seed: UInt64, options: RunOptions = RunOptions()) -> RunReport {
    let run = SimulationRun(seed: seed, options: options)
    run.carryOut()
    run.comeToAnEnd()
    run.report.faults = run.world.faults.happened
    if let recorder = run.recorder {
      recorder.close()
      run.report.trace = recorder.lines
    }
    return run.report
  }
}

// MARK: - Time

extension SimulationRun {
  private var now: Int64 { world.clock.now().boot }

  private func run(for span: TimeSpan, until isOver: () -> Bool = { false }) {
    let end = (BootTime(nanoseconds: now) + span).nanoseconds
    while !world.isStuck, !isTurning {
      if world.step() {
        observe()
        continue
      }
      if isOver() { return }
      let due = [world.nextDue, restarts.map(\.at).min()].compactMap { $0 }.min()
      guard let due, due <= end else { return world.clock.advance(toBoot: end) }
      world.clock.advance(toBoot: max(due, now + 1))
      restartWhatIsDue()
    }
  }

  /// Far more happens than waiting and renewing leases explains: somebody asks again and again.
  private var isTurning: Bool {
    guard isCalm else { return false }
    let seconds = Int((now - calmSince.boot) / 1_000_000_000)
    return report.events - calmSince.events > 20_000 + 100 * seconds
  }

  private func observe() {
    report.events += 1
    recorder?.look()
    guard let worker = world.latest else { return }
    sample(worker)
    switch worker.status {
    case .running: return
    case .stopped:
      recorder?.note(worker.name, "has stopped")
      world.remove(worker)
    case .failed(let failure):
      report.crashes += 1
      recorder?.note(worker.name, "failed: \(failure.message)")
      if isCalm { add("progress", "\(worker.name) failed without a cause: \(failure.message)") }
      world.remove(worker)
    }
    if let place = place(of: worker) {
      restarts.append(((BootTime(nanoseconds: now) + Self.restartAfter).nanoseconds, place))
    }
  }

  private func sample(_ worker: SimulatedWorker) {
    let health = worker.health
    peaks.inFlight = max(peaks.inFlight, health.inFlight)
    peaks.parked = max(peaks.parked, health.parked)
    peaks.windowDepth = max(peaks.windowDepth, health.windowDepth)
    peaks.heldBytes = max(peaks.heldBytes, health.heldBytes)
    peaks.lanes = max(peaks.lanes, health.lanes)
  }

  private func restartWhatIsDue() {
    let due = restarts.filter { $0.at <= now }
    restarts.removeAll { $0.at <= now }
    for restart in due { start(restart.place) }
  }

  private func add(_ promise: String, _ detail: String) {
    report.violations.append(Violation(promise: promise, detail: detail))
  }
}

// MARK: - Acts

extension SimulationRun {
  private func carryOut() {
    for place in schedule.places { start(place) }
    run(for: .seconds(1))
    let begin = now
    for scheduled in schedule.acts where !options.leftOut.contains(scheduled.number) {
      let at = (BootTime(nanoseconds: begin) + scheduled.at).nanoseconds
      if at > now { run(for: TimeSpan(nanoseconds: at - now)) }
      report.acts.append(scheduled.number)
      recorder?.act(scheduled)
      perform(scheduled.act)
    }
  }

  private func perform(_ act: Act) {
    switch act {
    case .send(let kind, let key, let partition): send(kind, key, partition)
    case .kill(let place, let commit, let requests):
      guard let worker = worker(at: place) else { return }
      report.crashes += 1
      world.kill(worker, pendingCommit: commit, pendingRequests: requests)
    case .start(let place): start(place)
    case .stop(let place): worker(at: place)?.requestStop()
    case .suspend(let place): worker(at: place)?.isSuspended = true
    case .resume(let place): worker(at: place)?.isSuspended = false
    case .slowJournal(let place, let request, let reply):
      worker(at: place)?.journal?.setDelays(request: request, reply: reply)
    case .brokerDown(let span): world.broker.isDownUntil = (BootTime(nanoseconds: now) + span).nanoseconds
    case .services(let mode): world.services.set(mode)
    case .prices(let raised): world.reference.replace(SimulatedShop.reference(raised: raised))
    case .setClock(let place, let offset): worker(at: place)?.clock.setWall(offset: offset.nanoseconds)
    case .setJournalClock(let offset): world.journalClock.setWall(offset: offset.nanoseconds)
    case .gap(let role, let partition, let count): gap(role, partition, count)
    case .retention: deleteWhatIsDone()
    }
  }

  private func send(_ kind: MessageKind, _ key: String, _ partition: Int32) {
    let text: String? =
      switch kind {
      case .request(let order): order.json
      case .cancellation(let checkout): SimulatedOrder.cancellation(of: checkout)
      case .poison(let text): text
      case .tombstone: nil
      }
    let place = TopicPartition(
      topic: world.topics.name(.requests), partition: partition % Int32(world.settings.partitions))
    let offset = world.broker.append(
      place, key: Bytes(key), value: text.map { Bytes($0) }, headers: [Header("content-type", "application/json")])
    guard let record = world.broker.read(place, from: offset, count: 1).first else { return }
    let origin = Position(
      topic: place.topic, partition: place.partition, offset: offset, timestampMilliseconds: record.timestamp)
    sent.append(SentMessage(kind: kind, key: key, origin: origin.text, record: record))
  }

  private func worker(at place: WorkerPlace) -> SimulatedWorker? {
    world.workers.first { $0.stage == place.stage && $0.isInstance(place.instance) }
  }

  private func place(of worker: SimulatedWorker) -> WorkerPlace? {
    (1...3).first { worker.isInstance($0) }.map { WorkerPlace(stage: worker.stage, instance: $0) }
  }

  private func start(_ place: WorkerPlace) {
    guard worker(at: place) == nil else { return }
    // Each host was started at another time.
    let boot = Int64(place.instance) * 7_777_000_000_000
    guard (try? world.start(place.stage, instance: place.instance, bootOffset: boot)) != nil else {
      return add("progress", "the validation policy is refused")
    }
  }

  private func gap(_ role: TopicRole, _ partition: Int32, _ count: Int) {
    world.broker.skipOffsets(
      TopicPartition(topic: world.topics.name(role), partition: partition % Int32(world.settings.partitions)),
      count: Int64(count))
  }

  private func deleteWhatIsDone() {
    for stage in [PipelineStage.validation, .reconciliation] {
      for partition in world.broker.partitions(of: [world.input(stage)]) {
        guard let committed = world.broker.committed(InMemoryPipeline.group(stage), partition) else { continue }
        world.broker.deleteRecords(partition, before: committed.offset)
      }
    }
  }
}

// MARK: - The end

extension SimulationRun {
  /// All trouble is over; everything has to end by itself.
  private func comeToAnEnd() {
    recorder?.note("world", "the faults stop")
    world.faults.stop()
    world.services.set(.working)
    world.broker.isDownUntil = .min
    world.reference.replace(SimulatedShop.reference(raised: false))
    for worker in world.workers {
      worker.isSuspended = false
      worker.journal?.setDelays(request: .zero, reply: .zero)
    }
    for stage in PipelineStage.allCases where world.workers(of: stage).isEmpty {
      start(WorkerPlace(stage: stage, instance: 1))
    }
    // Whoever was told to stop, or breaks down of what has happened before, does so now.
    run(for: .seconds(40))
    isCalm = true
    calmSince = (now, report.events)
    settle()
    let evidence = settledEvidence()
    if world.isStuck { add("livelock", "the same instant goes on for ever") }
    if isTurning { add("livelock", "\(report.events - calmSince.events) events since the faults have stopped") }
    if !world.isQuiet, !isTurning {
      add("progress", "messages are unfinished or uncommitted hours after the faults have stopped")
    }
    report.violations += Checks.violations(evidence)
  }

  private func settle() {
    for _ in 0..<2 {
      run(for: Self.endLimit) { world.isQuiet }
      if world.isStuck || isTurning || evidence.unanswered.isEmpty { return }
      // What lies there without a message is the sweep's.
      run(for: .seconds(300))
    }
  }

  private var evidence: Evidence {
    Evidence(world: world, sent: sent, isAtLeastOnce: schedule.isAtLeastOnce, peaks: peaks)
  }

  /// A charge that turned up late is given back within its watch; only who holds money then has a fault.
  private func settledEvidence() -> Evidence {
    let evidence = evidence
    // Nobody works on a message that lies there: waiting would not help.
    guard !Checks.money(evidence).isEmpty, !world.isStuck, !isTurning, world.isQuiet else { return evidence }
    run(for: Self.watchLimit)
    run(for: Self.endLimit) { world.isQuiet }
    return self.evidence
  }
}
