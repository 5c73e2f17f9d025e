// One worker's connection to the broker in memory.

package import WorkerEngine

/// What becomes of a commit job that runs when its worker is killed.
package enum PendingCommit: Hashable, Sendable {
  /// It never reaches the broker.
  case lost
  /// It is applied: the worker only did not hear of it.
  case applied
  /// Outputs are there, offsets are not: what at-least-once allows. Never happens in a transaction.
  case outputsOnly
}

/// A worker's consumer and producer. Unpleasant things are done to it by its methods below `Broker`'s.
package final class InMemoryBrokerEndpoint: Broker {
  private struct Held {
    let partition: TopicPartition
    var position: Int64
    let committed: Int64?
    var isPaused = false
    var isOutOfRange = false
  }

  private enum Connection {
    case new
    /// The producer takes its id over; the group is joined then.
    case preparing
    case open
    /// The clients broke down; new ones are made at this time.
    case rebuilding(until: Int64)
    /// Left or killed: nothing happens any more.
    case closed
  }

  /// What it subscribes to.
  package let topics: [String]
  /// Commit jobs end with these results instead, first one first; nothing is written then.
  package var scriptedResults: [CommitResult] = []
  /// True: commit jobs stay without an answer until this is false again.
  package var withholdsCommits = false
  /// True: nothing leaves ahead of its job, as when the client's queue is full.
  package var withholdsAhead = false
  /// Sizes and number of jobs, pauses and resumes asked for: for tests that look at behaviour.
  package private(set) var jobs: [CommitJob] = []
  /// Slots paused now.
  package private(set) var pausedNow: Set<Int> = []
  /// True once `close` was called.
  package private(set) var isClosed = false

  private unowned let broker: InMemoryBroker
  private unowned let group: InMemoryGroup
  private var connection = Connection.new
  private var events: [BrokerEvent] = []
  private var held: [Held] = []
  private var generation = 0
  private var isAssigned = false
  private var isConsuming = false
  private var pending: (job: CommitJob, due: Int64)?
  /// Batches whose job has not ended, oldest first: how many outputs they have, how many of those have left.
  private var ahead: [(batch: Int, known: Int, sent: Int)] = []
  private var cursor = 0
  /// Nil: each job is one step.
  private(set) var link: TransactionLink?
  /// The assignment whose jobs may commit; nil: none.
  private var openGeneration: Int?
  /// The assignment whose committed offsets are being read.
  private var lookingUp: [TopicPartition]?
  /// When a member that was put out hears of it.
  private var discoversAt: Int64?
  private var rebuilds = RebuildHistory()
  private var isSilent = false

  init(broker: InMemoryBroker, group: String, topics: [String], producer: ProducerIdentity?) {
    self.broker = broker
    self.group = broker.group(group)
    self.topics = topics
    link = producer.map { TransactionLink($0, broker: broker, endpoint: self) }
  }

  // MARK: Broker

  package func subscribe() throws(WorkerFailure) {
    for topic in topics where !broker.hasTopic(topic) {
      throw WorkerFailure(.environment, "topic \(topic) does not exist")
    }
    guard let link else {
      connection = .open
      return group.join(self)
    }
    connection = .preparing
    link.initialise()
  }

  package func poll(maxRecords: Int, waitNanoseconds: Int64) -> [BrokerEvent] {
    guard isListening else { return [] }
    group.checkTimeout()
    endCommitIfDue()
    let arrived = events
    events = []
    guard arrived.isEmpty, isConsuming, !broker.isDown else { return arrived }
    let records = fetch(maxRecords)
    return records.isEmpty ? [] : [.records(records, generation: generation)]
  }

  /// There is nothing to wake: nobody waits in virtual time.
  package var waker: @Sendable () -> Void { {} }

  package func start(generation: Int, oneBefore slots: [Int]) {
    guard generation == self.generation, isAssigned else { return }
    isConsuming = true
    for slot in slots where held.indices.contains(slot) { held[slot].position -= 1 }
  }

  /// The generation stays: it is the group's, and nothing of the assignment before is under way.
  package func startOver(generation: Int, slots: [Int], at place: LogPlace) {
    guard generation == self.generation, isAssigned else { return }
    let partitions = held.indices.map { slot in
      slots.contains(slot)
        ? AssignedPartition(partition: held[slot].partition, committed: nil, metadata: "")
        : group.assigned(held[slot].partition)
    }
    assign(partitions, generation: generation)
    for slot in slots where held.indices.contains(slot) {
      let range = broker.range(of: held[slot].partition)
      held[slot].position = place == .earliest ? range.lowerBound : range.upperBound
    }
  }

  package func release(generation: Int) {
    guard generation == self.generation, isAssigned else { return }
    dropAssignment()
    group.released(self)
  }

  private var isListening: Bool {
    switch connection {
    case .preparing, .open, .rebuilding: true
    case .new, .closed: false
    }
  }

  package func pause(_ slots: [Int]) {
    for slot in slots where held.indices.contains(slot) { held[slot].isPaused = true }
    pausedNow.formUnion(slots)
  }

  package func resume(_ slots: [Int]) {
    for slot in slots where held.indices.contains(slot) { held[slot].isPaused = false }
    pausedNow.subtract(slots)
  }

  package var sendsAhead: Bool { broker.settings.sendsAhead && link == nil }
  package func send(_ outputs: [Output], ofBatch batch: Int, generation: Int) {
    guard isAssigned, generation == self.generation else { return }
    if ahead.last?.batch != batch { ahead.append((batch, 0, 0)) }
    let last = ahead.count - 1
    ahead[last].known = outputs.count
    guard !withholdsAhead, ahead[..<last].allSatisfy({ $0.sent == $0.known }) else { return }
    for output in outputs[ahead[last].sent...] {
      guard refusal(of: output) == nil else { return }
      broker.append(output)
      ahead[last].sent += 1
    }
  }

  package func commit(_ job: CommitJob) {
    precondition(pending == nil, "one commit job at a time")
    if let link {
      if link.isIdle, case .open = connection { link.begin(job) }
      return
    }
    jobs.append(job)
    pending = (job, broker.now.boot + broker.settings.commitDelayNanoseconds)
  }

  package func close(limitNanoseconds: Int64) {
    isClosed = true
    dropAssignment()
    pending = nil
    link?.drop()
    connection = .closed
    group.remove(self)
  }
}

// MARK: - What a test does to it

extension InMemoryBrokerEndpoint {
  /// The process is gone at once. Its group notices now (call it when the session would have timed out).
  package func kill(pendingCommit: PendingCommit = .lost) {
    if let (job, _) = pending {
      switch pendingCommit {
      case .lost: break
      case .applied: _ = apply(job, withOffsets: true)
      case .outputsOnly: _ = apply(job, withOffsets: false)
      }
    }
    pending = nil
    events = []
    connection = .closed
    if let link {
      // Its group notices when the session is over; until then it counts as one that has not given back.
      link.kill(pendingCommit)
      openGeneration = nil
      isConsuming = false
      return group.fallSilent(self)
    }
    dropAssignment()
    group.remove(self)
  }

  /// The group has put the member out (a missed session): its commits are dropped from now on. It hears of it when `told`.
  package func expel(told: Bool = true) {
    group.remove(self)
    if told { loseMembership() }
  }

  /// True while the member is not in its group although it is connected.
  package var isOut: Bool {
    guard case .open = connection else { return false }
    return !group.contains(self)
  }

  /// A member that was put out joins again, as its client library does by itself.
  package func rejoin() {
    guard isOut else { return }
    if isAssigned { loseMembership() }
    group.join(self)
  }

  /// The next records of a partition come again, `back` offsets earlier, as after a stale fetch position.
  package func redeliver(_ partition: TopicPartition, back: Int64) {
    for index in held.indices where held[index].partition == partition {
      held[index].position = max(0, held[index].position - back)
    }
  }

  /// Puts any event in front of the worker.
  package func deliver(_ event: BrokerEvent) {
    if case .revoked(let generation) = event {
      isConsuming = false
      if lookingUp != nil { return release(generation: generation) }
    }
    events.append(event)
  }

  /// True while a commit job runs.
  package var hasPendingCommit: Bool { pending != nil || link?.job != nil }

  /// When something will arrive without anybody's doing (boot clock): the end of a commit job. Nil: nothing is known to come.
  package var nextDue: Int64? {
    if !events.isEmpty { return broker.now.boot }
    return withholdsCommits ? nil : pending?.due
  }

  /// True if a poll now would bring something.
  package var hasArrivals: Bool {
    if !events.isEmpty { return true }
    guard isConsuming, !broker.isDown else { return false }
    for part in held where !part.isPaused && broker.hasRecord(part.partition, from: part.position) { return true }
    return false
  }
}

// MARK: - What the group does to it

extension InMemoryBrokerEndpoint {
  var holdsAssignment: Bool { isAssigned }

  func assign(_ partitions: [AssignedPartition], generation: Int) {
    self.generation = generation
    isAssigned = true
    isConsuming = false
    pausedNow = []
    ahead = []
    if link != nil {
      // Read behind a job that still runs, and not while a transaction of a former owner is open.
      lookingUp = partitions.map(\.partition)
      openGeneration = nil
      return
    }
    offer(partitions)
  }

  private func offer(_ partitions: [AssignedPartition]) {
    held = partitions.map { assigned in
      Held(
        partition: assigned.partition,
        position: assigned.committed ?? broker.range(of: assigned.partition).lowerBound,
        committed: assigned.committed)
    }
    openGeneration = generation
    events.append(.assigned(partitions, generation: generation))
  }

  func loseMembership() {
    guard isAssigned else { return }
    isConsuming = false
    isAssigned = false
    openGeneration = nil
    if lookingUp != nil {
      lookingUp = nil
      return
    }
    events.append(.lost(generation: generation))
  }
}

// MARK: - Transactions

extension InMemoryBrokerEndpoint {
  /// True while the assignment owns its partitions.
  func admits(_ generation: Int) -> Bool { openGeneration == generation }

  func addOffsets(
    _ job: CommitJob, by producer: InMemoryTransactions.Producer, serial: Int
  ) -> TransactionError? {
    broker.transactions.addOffsets(
      job.offsets, of: self, in: group, generation: job.generation, by: producer, serial: serial)
  }

  /// The producer may be used: join.
  func producerReady() {
    guard case .preparing = connection else { return }
    connection = .open
    group.join(self)
  }

  /// A job ended, or the producer could not be made ready (no job).
  func jobEnded(_ job: CommitJob?, _ outcome: CommitOutcome) {
    switch outcome {
    case .ended(let result):
      if let job { events.append(.commitEnded(job: job.id, result)) }
    case .failed(let failure): events.append(.fatal(failure))
    case .abandoned: break
    case .broken(let wasFenced, let detail): breakDown(job, wasFenced, detail)
    }
  }

  /// As the real adapter does it: everything of these clients is dropped, what was under way is found out by the next ones.
  private func breakDown(_ job: CommitJob?, _ wasFenced: Bool, _ detail: String) {
    loseMembership()
    dropAssignment()
    if let job { events.append(.commitEnded(job: job.id, .dropped(detail: detail))) }
    group.remove(self)
    link?.drop()
    let now = broker.now.boot
    switch rebuilds.next(now: now, wasFenced: wasFenced) {
    case .fencedTooOften(let times):
      events.append(.fatal(WorkerFailure(.fenced, "two live workers under one id, fenced \(times) times")))
    case .rebuild(let pause): connection = .rebuilding(until: now + pause + 50_000_000)
    }
  }

  /// The process stands still, or goes on. Silent members are put out when their session is over.
  func suspend(_ isSuspended: Bool) {
    guard link != nil, isSilent != isSuspended else { return }
    isSilent = isSuspended
    if isSuspended { return group.fallSilent(self) }
    group.speak(self)
    guard isOut, let link else { return }
    discoversAt = broker.now.boot + link.identity.faults.amount(.discovery, link.identity.actor, below: 3_000_000_000)
  }

  /// When something happens that is not the worker's loop's (boot clock).
  func linkDue(isSuspended: Bool) -> Int64? {
    guard let link else { return nil }
    var due = link.nextDue(isSuspended: isSuspended)
    guard !isSuspended else { return due }
    if let discoversAt { due = min(due ?? discoversAt, discoversAt) }
    if case .rebuilding(let until) = connection { due = min(due ?? until, until) }
    if canRead { due = broker.now.boot }
    return due
  }

  /// True once the committed offsets of a new assignment can be read.
  private var canRead: Bool {
    guard let lookingUp, link?.isIdle == true, !broker.isDown else { return false }
    return !broker.transactions.holdsOffsets(of: group, lookingUp)
  }

  /// Does one thing that is due; false: nothing is.
  func advanceLink(isSuspended: Bool) -> Bool {
    guard let link else { return false }
    if link.advance(isSuspended: isSuspended) { return true }
    guard !isSuspended else { return false }
    let now = broker.now.boot
    if let at = discoversAt, at <= now {
      discoversAt = nil
      if isOut {
        loseMembership()
        dropAssignment()
        group.join(self)
      }
      return true
    }
    if case .rebuilding(let until) = connection, until <= now {
      connection = .preparing
      link.initialise()
      return true
    }
    guard canRead, let partitions = lookingUp else { return false }
    lookingUp = nil
    offer(
      partitions.map { partition in
        let committed = group.offsets[partition]
        return AssignedPartition(
          partition: partition, committed: committed?.offset, metadata: committed?.metadata ?? "")
      })
    return true
  }
}

// MARK: - Inside

extension InMemoryBrokerEndpoint {
  private func dropAssignment() {
    isAssigned = false
    openGeneration = nil
    lookingUp = nil
    isConsuming = false
    held = []
    pausedNow = []
    ahead = []
  }

  private func fetch(_ maxRecords: Int) -> [Record] {
    var records: [Record] = []
    for _ in held.indices {
      let slot = cursor % held.count
      cursor = (cursor + 1) % held.count
      guard !held[slot].isPaused, records.count < maxRecords, isInRange(slot) else { continue }
      if let link, held[slot].position > 0, link.identity.faults.strikes(.redelivered, link.identity.actor) {
        // A stale fetch position, as after a resume.
        held[slot].position = max(broker.range(of: held[slot].partition).lowerBound, held[slot].position - 3)
      }
      for stored in broker.read(held[slot].partition, from: held[slot].position, count: maxRecords - records.count) {
        records.append(
          Record(
            slot: slot, offset: stored.offset, timestamp: stored.timestamp, key: stored.key, value: stored.value,
            headers: stored.headers))
        held[slot].position = stored.offset + 1
      }
    }
    return records
  }

  private func isInRange(_ slot: Int) -> Bool {
    let range = broker.range(of: held[slot].partition)
    // Started one before the committed offset, and that one is gone: nothing is lost by it.
    if held[slot].position + 1 == held[slot].committed, held[slot].position < range.lowerBound {
      held[slot].position += 1
    }
    if !range.contains(held[slot].position), !held[slot].isOutOfRange {
      held[slot].isOutOfRange = true
      events.append(
        .outOfRange(
          slot: slot, generation: generation,
          detail: "offset \(held[slot].position), the log has \(range.lowerBound) to \(range.upperBound)"))
    }
    return range.contains(held[slot].position)
  }

  private func endCommitIfDue() {
    guard let (job, due) = pending, broker.now.boot >= due, !withholdsCommits else { return }
    pending = nil
    let result = scriptedResults.isEmpty ? apply(job, withOffsets: true) : scriptedResults.removeFirst()
    events.append(.commitEnded(job: job.id, result))
  }

  /// All or nothing, as a transaction; but for what was sent ahead.
  private func apply(_ job: CommitJob, withOffsets: Bool) -> CommitResult {
    guard group.accepts(self, generation: job.generation) else {
      return .dropped(detail: "illegal generation \(job.generation)")
    }
    if let long = job.offsets.first(where: { $0.metadata.utf8.count > broker.settings.metadataCharactersMax }) {
      return .dropped(detail: "metadata of \(long.partition) is too large")
    }
    let sent = ahead.first { $0.batch == job.batch }?.sent ?? 0
    let refused = job.outputs.indices.compactMap { index in
      refusal(of: job.outputs[index]).map { detail in RefusedOutput(output: index, detail: detail) }
    }
    if !sendsAhead, let first = refused.first { return .refused(output: first.output, detail: first.detail) }
    for index in job.outputs.indices.dropFirst(sent) where !refused.contains(where: { $0.output == index }) {
      broker.append(job.outputs[index])
    }
    ahead.removeAll { $0.batch <= job.batch }
    guard refused.isEmpty else { return .deliveredExcept(refused) }
    guard withOffsets else { return .committed }
    for commit in job.offsets {
      group.offsets[commit.partition] = CommittedOffset(offset: commit.offset, metadata: commit.metadata)
    }
    return .committed
  }
  private func refusal(of output: Output) -> String? {
    if !broker.hasTopic(output.topic) { return "unknown topic" }
    return output.payloadBytes > broker.settings.recordBytesMax ? "message size too large" : nil
  }
}
