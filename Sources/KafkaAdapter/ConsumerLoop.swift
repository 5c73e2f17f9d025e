// The loop's side of the broker: from librdkafka's rebalance protocol to the engine's events.

import WorkerEngine

// Phases, one line each: who moves it on, and to what.
//   idle        -> lookingUp (ASSIGN)
//   lookingUp   -> offered (committed offsets read) | idle (REVOKE: answered at once, the engine never heard of it)
//   offered     -> running (start) | revoking (REVOKE)
//   running     -> revoking (REVOKE) | lookingUp (startOver)
//   revoking    -> idle (release)
//   any         -> closed (close)

/// Everything one worker's loop knows of its consumer. Not shared.
struct ConsumerLoop: ~Copyable {
  private enum Phase {
    case idle
    case lookingUp
    case offered([AssignedPartition])
    case running([AssignedPartition], DataQueue)
    case revoking
    case closed
  }

  private let consumer: ConsumerHandle
  private let commits: CommitThread
  private let gate: CommitGate
  private let notes: Inbox<CommitNote>
  private let wake: WakeDescriptor
  private let group: KafkaGroupSettings
  private var phase = Phase.idle
  private var hold = IntakeHold(partitions: 0)
  /// Slots that were started one offset before the committed one.
  private var startedOneBefore: Set<Int> = []
  /// Partitions whose record before the committed offset is not in the log any more: not looked for again in this membership.
  private var startedAtCommitted: Set<TopicPartition> = []
  /// Where partitions begin that are to forget their committed offsets.
  private var restarts: [TopicPartition: LogPlace] = [:]
  /// The newest assignment; goes on counting when the clients are made anew.
  private(set) var generation: Int
  private var membership: GroupMembershipHandle?
  private var isPrepared: Bool
  private var wantsToSubscribe = false
  private var hasFailed = false
  /// Set once the clients are of no more use; the loop does nothing any more then.
  private(set) var breakdown: ClientBreakdown?
  /// A REVOKE was not answered before the loop ended.
  private(set) var owesRevoke = false

  /// Control events handled in one turn.
  private static let eventsPerTurnMax = 64

  init(_ clients: KafkaClients, wake: WakeDescriptor, group: KafkaGroupSettings, generation: Int) {
    consumer = clients.consumer
    commits = clients.commits
    gate = clients.gate
    notes = clients.notes
    self.wake = wake
    self.group = group
    self.generation = generation
    isPrepared = group.delivery == .atLeastOnce
  }

  // MARK: Taking what has arrived

  /// See `Broker.poll`.
  mutating func poll(maxRecords: Int, waitNanoseconds: Int64) -> [BrokerEvent] {
    let events = collect(maxRecords)
    guard events.isEmpty, waitNanoseconds > 0 else { return events }
    wake.wait(limitNanoseconds: waitNanoseconds)
    return collect(maxRecords)
  }

  private mutating func collect(_ maxRecords: Int) -> [BrokerEvent] {
    var events: [BrokerEvent] = []
    for note in notes.take() { handle(note, &events) }
    guard breakdown == nil else { return events }
    for _ in 0..<ConsumerLoop.eventsPerTurnMax {
      guard let event = consumer.nextEvent() else { break }
      handle(event, &events)
    }
    if case .running(_, let data) = phase, maxRecords > 0, !hold.isHolding { takeRecords(data, maxRecords, &events) }
    return events
  }

  private mutating func takeRecords(_ data: DataQueue, _ maxRecords: Int, _ events: inout [BrokerEvent]) {
    let batch = data.take(recordsMax: maxRecords)
    if !batch.records.isEmpty { events.append(.records(batch.records, generation: generation)) }
    let partitions = data.partitions
    var gone: [TopicPartition] = []
    for (slot, error) in batch.errors {
      if error.isOutOfRange, let slot {
        if startedOneBefore.contains(slot) {
          gone.append(partitions[slot])
          continue
        }
        events.append(.outOfRange(slot: slot, generation: generation, detail: error.message))
      } else {
        report(error, &events)
      }
    }
    // The record before the committed offset was deleted; the offset itself may be the log's first or next one. The library
    // can go on only by an assignment of its own (a seek is refused once a partition has failed).
    if !gone.isEmpty {
      startedAtCommitted.formUnion(gone)
      let before = generation
      startOver(generation: before, slots: [], at: .earliest)
      if case .idle = phase { events.append(.lost(generation: before)) }
    }
  }

  private mutating func handle(_ note: CommitNote, _ events: inout [BrokerEvent]) {
    switch note {
    case .ended(let job, let result):
      events.append(.commitEnded(job: job, result))
    case .lookedUp(let lookedUp, let partitions):
      guard lookedUp == generation, case .lookingUp = phase else { return }
      let offered = partitions.map { state in
        restarts[state.partition] == nil
          ? state : AssignedPartition(partition: state.partition, committed: nil, metadata: "")
      }
      phase = .offered(offered)
      gate.open(generation: generation, membership: membership)
      events.append(.assigned(offered, generation: generation))
    case .failed(let failure):
      fail(failure, &events)
    case .prepared:
      isPrepared = true
      if let failure = subscribeIfDue() { fail(failure, &events) }
    case .broken(let breakdown):
      breakDown(breakdown, &events)
    }
  }

  /// Everything of these clients is dropped: what was under way is found out from the committed offsets by the next.
  private mutating func breakDown(_ breakdown: ClientBreakdown, _ events: inout [BrokerEvent]) {
    gate.shut()
    commits.cancelLookUp()
    switch phase {
    case .offered, .running, .revoking: events.append(.lost(generation: generation))
    case .idle, .lookingUp, .closed: break
    }
    if case .revoking = phase { owesRevoke = true }
    if let job = breakdown.job { events.append(.commitEnded(job: job, .dropped(detail: breakdown.detail))) }
    phase = .closed
    self.breakdown = breakdown
  }

  private mutating func handle(_ event: ConsumerEvent, _ events: inout [BrokerEvent]) {
    switch event {
    case .assign(let partitions):
      generation += 1
      restarts = [:]
      startedAtCommitted = []
      guard readMembership() else { return }
      phase = .lookingUp
      let order = partitions.sorted { ($0.topic, $0.partition) < ($1.topic, $1.partition) }
      commits.lookUp(order, generation: generation)
    case .revoke(let isLost):
      revoke(isLost: isLost, &events)
    case .trouble(let error):
      report(error, &events)
    }
  }

  /// Transactions prove with it whose offsets they carry. Generation -1 belongs to no member: Kafka would take offsets
  /// under it from anybody, so none are sent.
  private mutating func readMembership() -> Bool {
    guard group.delivery == .exactlyOnce else { return true }
    membership = consumer.membership()
    if let generation = membership?.generation, generation >= 0 { return true }
    consumer.log(level: 4, facility: "ASSIGN", "the assignment has no membership in the group any more: given back")
    membership = nil
    phase = .idle
    consumer.unassign()
    return false
  }

  private mutating func revoke(isLost: Bool, _ events: inout [BrokerEvent]) {
    switch phase {
    case .idle, .lookingUp, .closed:
      commits.cancelLookUp()
      gate.shut()
      consumer.unassign()
      phase = .idle
    case .offered, .running:
      if isLost { gate.shut() }
      phase = .revoking
      events.append(isLost ? .lost(generation: generation) : .revoked(generation: generation))
    case .revoking:
      gate.shut()
      events.append(.lost(generation: generation))
    }
  }

  private mutating func report(_ error: KafkaError, _ events: inout [BrokerEvent]) {
    // A topic that is missing now may be made later; readiness and the log say so meanwhile.
    let mayPass = error.code == "UNKNOWN_TOPIC_OR_PART" || error.code == "_UNKNOWN_TOPIC"
    guard !mayPass, let failure = error.workerFailure(during: "consuming") else {
      consumer.log(level: 4, facility: "CONSUME", error.message)
      return
    }
    fail(failure, &events)
  }

  private mutating func fail(_ failure: WorkerFailure, _ events: inout [BrokerEvent]) {
    guard !hasFailed else { return }
    hasFailed = true
    events.append(.fatal(failure))
  }

  // MARK: The engine's answers

  /// See `Broker.subscribe`.
  mutating func subscribe() -> WorkerFailure? {
    wantsToSubscribe = true
    return subscribeIfDue()
  }

  /// The group is joined once jobs may come: a member that cannot commit would only hold partitions up.
  private mutating func subscribeIfDue() -> WorkerFailure? {
    guard isPrepared, wantsToSubscribe else { return nil }
    wantsToSubscribe = false
    guard let error = consumer.subscribe(group.topics) else { return nil }
    return WorkerFailure(.environment, "subscribing to \(group.topics.joined(separator: ", ")): \(error.message)")
  }

  /// See `Broker.start`.
  mutating func start(generation: Int, oneBefore slots: [Int]) {
    guard generation == self.generation, case .offered(let partitions) = phase else { return }
    startedOneBefore = Set(slots.filter { slot in !startedAtCommitted.contains(partitions[slot].partition) })
    let states = partitions.indices.map { slot in
      PartitionState(partition: partitions[slot].partition, offset: firstOffset(of: partitions[slot], slot))
    }
    switch consumer.assign(states, wake: wake) {
    case .success(let data):
      phase = .running(partitions, data)
      hold = IntakeHold(partitions: partitions.count)
    case .failure(let error):
      // The membership changed under our hands: REVOKE or another ASSIGN follows.
      consumer.log(level: 4, facility: "ASSIGN", error.message)
    }
  }

  private func firstOffset(of partition: AssignedPartition, _ slot: Int) -> Int64 {
    if let committed = partition.committed { return startedOneBefore.contains(slot) ? committed - 1 : committed }
    switch restarts[partition.partition] ?? group.reset {
    case .earliest: return PartitionState.beginning
    case .latest: return PartitionState.end
    }
  }

  /// See `Broker.startOver`.
  mutating func startOver(generation: Int, slots: [Int], at place: LogPlace) {
    guard generation == self.generation, case .running(let partitions, _) = phase else { return }
    gate.shut()
    consumer.unassign()
    for slot in slots where partitions.indices.contains(slot) { restarts[partitions[slot].partition] = place }
    self.generation += 1
    guard readMembership() else { return }
    phase = .lookingUp
    commits.lookUp(partitions.map(\.partition), generation: self.generation)
  }

  /// See `Broker.release`.
  mutating func release(generation: Int) {
    guard generation == self.generation, case .revoking = phase else { return }
    gate.shut()
    consumer.unassign()
    phase = .idle
  }

  /// See `Broker.pause`.
  mutating func pause(_ slots: [Int]) { steer(slots, paused: true) }

  /// See `Broker.resume`.
  mutating func resume(_ slots: [Int]) { steer(slots, paused: false) }

  private mutating func steer(_ slots: [Int], paused: Bool) {
    guard case .running(let partitions, _) = phase else { return }
    let change = hold.set(slots, paused: paused)
    if !change.pause.isEmpty { consumer.pause(change.pause.map { partitions[$0].partition }) }
    if !change.resume.isEmpty { consumer.resume(change.resume.map { partitions[$0].partition }) }
  }

  // MARK: The end

  /// Leaves the group, answering what is asked on the way; true if it was left before the deadline.
  mutating func leave(deadline: Int64) -> Bool {
    gate.shut()
    commits.cancelLookUp()
    if case .revoking = phase { owesRevoke = true }
    phase = .closed
    return consumer.leave(owesRevoke: owesRevoke, deadline: deadline)
  }
}

extension ConsumerHandle {
  /// Leaves the group, answering what is asked on the way; true if it was left before the deadline (monotonic clock).
  /// `owesRevoke`: a REVOKE has not been answered yet.
  func leave(owesRevoke: Bool, deadline: Int64) -> Bool {
    beginClose()
    if owesRevoke { unassign() }
    while !isClosed {
      let left = deadline - monotonicNanoseconds()
      guard left > 0 else { return false }
      guard let event = nextEvent(waitMilliseconds: Int32(min(left / 1_000_000 + 1, 20))) else { continue }
      switch event {
      case .assign, .revoke: unassign()
      case .trouble: break
      }
    }
    return true
  }
}
