// The partitions a worker has now, and every message of theirs that is not committed: intake, order, what may start.
// It knows no stage, no clock and no broker; the worker's loop asks and tells.

/// Limits of an assignment's buffers.
struct AssignmentLimits {
  let inFlightMax: Int
  let commitOutputsMax: Int
  let commitBytesMax: Int
  let laneHashSeed: UInt64
  let context: String
}

/// All state of one assignment. Dropped as a whole when the partitions go.
struct Assignment {
  let generation: Int
  let limits: AssignmentLimits
  var partitions: [PartitionState]
  var records = RecordSlab()
  var commits: CommitQueue
  /// The batch a commit job has taken, with the slots whose offsets are in it.
  var sent: (batch: CommitBatch, slots: [Int])?
  /// Messages with the stage, inside and outside the budget.
  private(set) var inFlight = 0
  private(set) var parked = 0
  /// Messages that may start, and those behind others of their lane.
  private(set) var ready = 0
  private(set) var waiting = 0
  /// Bytes of the records kept.
  var recordBytes = 0
  private(set) var counters = AssignmentCounters()
  /// Messages taken in since the last `settleIntake`.
  private var fresh: [(slot: Int, place: Int)] = []
  /// The partition served next.
  private var cursor = 0

  /// Messages one partition may start before the next one has its turn.
  private static let quantum = 16

  init(generation: Int, limits: AssignmentLimits, partitions: [PartitionState]) {
    self.generation = generation
    self.limits = limits
    self.partitions = partitions
    commits = CommitQueue(outputsMax: limits.commitOutputsMax, bytesMax: limits.commitBytesMax)
  }

  /// Bytes of records and of outputs not committed yet.
  var heldBytes: Int {
    recordBytes + commits.outputBytes + (sent?.batch.outputBytes ?? 0)
      + partitions.reduce(0) { sum, partition in sum + (partition.heldBack?.outputBytes ?? 0) }
  }

  /// Room in the in-flight budget.
  var room: Int { max(0, limits.inFlightMax - inFlight) }

  /// True if the ticket's message is with the stage.
  func isStarted(_ ticket: Ticket) -> Bool { startedPlace(of: ticket) != nil }

  /// Tickets of all messages that are with the stage, by partition and offset.
  func startedTickets() -> [Ticket] {
    var tickets: [Ticket] = []
    for (slot, partition) in partitions.enumerated() {
      for place in partition.window.first..<partition.window.end {
        let entry = partition.window[place]
        guard entry.phase == .running || entry.phase == .parked else { continue }
        tickets.append(Ticket(slot: slot, offset: entry.offset, generation: generation))
      }
    }
    return tickets
  }
}

// MARK: - Intake

extension Assignment {
  /// What became of a record at intake.
  enum Admission {
    /// It is new: give it to `accept`.
    case new
    /// It was seen already, or lies before the committed offset.
    case duplicate
    /// An earlier owner has finished it.
    case finishedBefore
    /// It names no partition of ours.
    case unknownPartition
  }

  /// Looks at a record before its lane is asked for.
  mutating func admit(_ record: Record) -> Admission {
    guard partitions.indices.contains(record.slot) else { return .unknownPartition }
    let slot = record.slot
    guard !partitions[slot].window.hasPassed(record.offset) else {
      counters.duplicates += 1
      return .duplicate
    }
    if partitions[slot].window.nextOffset == nil {
      // The group has no offset here: commit where we began, so that a later loss can be told from a first start.
      partitions[slot].changedIn = commits.openNumber
    }
    guard partitions[slot].wasFinishedBefore(record) else { return .new }
    _ = partitions[slot].window.append(
      WindowEntry(
        offset: record.offset, phase: .skipped, interrupting: false, lane: -1, record: -1,
        batch: WindowEntry.committedBefore, nextInLane: -1))
    partitions[slot].changedIn = commits.openNumber
    counters.skipped += 1
    return .finishedBefore
  }

  /// Takes a new record in. Precondition: `admit` said `new`.
  mutating func accept(_ record: Record, _ rule: LaneRule) {
    let slot = record.slot
    var lane: Int32 = -1
    if let key = rule.key { lane = partitions[slot].lanes.open(key, hash: key.hash(seed: limits.laneHashSeed)) }
    let mayStart = lane < 0 || partitions[slot].mayStart(in: lane, interrupting: rule.interrupting)
    let place = partitions[slot].window.append(
      WindowEntry(
        offset: record.offset, phase: mayStart ? .ready : .waiting, interrupting: rule.interrupting, lane: lane,
        record: records.insert(record), batch: WindowEntry.unfinished, nextInLane: -1))
    recordBytes += record.payloadBytes
    if mayStart {
      partitions[slot].ready.append(place)
      ready += 1
      if lane >= 0 { partitions[slot].lanes[lane].started += 1 }
    } else {
      partitions[slot].wait(place, in: lane)
      waiting += 1
    }
    counters.accepted += 1
    fresh.append((slot, place))
  }

  /// To be called at the end of a turn: records that stay get storage of their own.
  mutating func settleIntake() {
    for (slot, place) in fresh where place >= partitions[slot].window.first {
      let entry = partitions[slot].window[place]
      guard entry.record >= 0, entry.phase != .finished else { continue }
      records[entry.record] = records[entry.record].detached()
      if entry.lane >= 0 { partitions[slot].lanes.detachKey(of: entry.lane) }
    }
    fresh.removeAll(keepingCapacity: true)
  }
}

// MARK: - Start

extension Assignment {
  /// Moves messages that may start to the stage, as far as there is room; each partition in turn.
  mutating func start(atMost limit: Int, into deliveries: inout [Delivery]) {
    var left = min(limit, room, ready)
    while left > 0 {
      let slot = cursor
      cursor = cursor + 1 < partitions.count ? cursor + 1 : 0
      var taken = 0
      while taken < min(left, Assignment.quantum), let place = partitions[slot].ready.popFirst() {
        deliveries.append(hand(place, of: slot))
        taken += 1
      }
      left -= taken
      ready -= taken
      inFlight += taken
      counters.started += taken
    }
  }

  private mutating func hand(_ place: Int, of slot: Int) -> Delivery {
    var entry = partitions[slot].window[place]
    entry.phase = .running
    partitions[slot].window[place] = entry
    return Delivery(
      ticket: Ticket(slot: slot, offset: entry.offset, generation: generation),
      partition: partitions[slot].partition, record: records[entry.record],
      offsetsWereLost: partitions[slot].offsetsWereLost)
  }
}

// MARK: - What the stage asks

extension Assignment {
  /// Does what a stage asked for. A request about a message that is finished or gone is counted and does nothing.
  mutating func apply(_ turn: borrowing Turn, _ envelope: DeadLetterEnvelope) {
    var next = 0
    for entry in turn.entries {
      switch entry.kind {
      case .finish:
        finish(entry.ticket, turn.outputs[next..<next + entry.count])
        next += entry.count
      case .emit:
        let mark = CommitMark(slot: -1, outputs: Int32(entry.count), place: -1)
        commits.add(mark, turn.outputs[next..<next + entry.count])
        next += entry.count
      case .deadLetter: bury(entry.ticket, turn.letters[entry.count], envelope, turn.now)
      case .park: park(entry.ticket)
      case .unpark: unpark(entry.ticket)
      }
    }
  }

  private mutating func bury(
    _ ticket: Ticket, _ letter: DeadLetter, _ envelope: DeadLetterEnvelope, _ now: Moment
  ) {
    guard let place = startedPlace(of: ticket) else {
      counters.staleRequests += 1
      return
    }
    let partition = partitions[ticket.slot]
    let source = DeadLetterSource(records[partition.window[place].record], of: partition.partition)
    counters.deadLetters += 1
    finish(ticket, [envelope.output(of: source, letter, now: now)])
  }

  private mutating func finish(_ ticket: Ticket, _ outputs: ArraySlice<Output>) {
    guard let place = startedPlace(of: ticket) else {
      counters.staleRequests += 1
      return
    }
    let slot = ticket.slot
    var entry = partitions[slot].window[place]
    if entry.phase == .parked { parked -= 1 } else { inFlight -= 1 }
    entry.phase = .finished
    entry.batch = commits.openNumber
    partitions[slot].window[place] = entry
    partitions[slot].changedIn = entry.batch
    counters.finished += 1
    commits.add(CommitMark(slot: Int32(slot), outputs: Int32(outputs.count), place: place), outputs)
    guard entry.lane >= 0 else { return }
    let released = partitions[slot].leave(entry.lane)
    ready += released
    waiting -= released
  }

  private mutating func park(_ ticket: Ticket) {
    guard let place = startedPlace(of: ticket), partitions[ticket.slot].window[place].phase == .running else {
      counters.staleRequests += 1
      return
    }
    partitions[ticket.slot].window[place].phase = .parked
    inFlight -= 1
    parked += 1
  }

  private mutating func unpark(_ ticket: Ticket) {
    guard let place = startedPlace(of: ticket), partitions[ticket.slot].window[place].phase == .parked else {
      counters.staleRequests += 1
      return
    }
    partitions[ticket.slot].window[place].phase = .running
    inFlight += 1
    parked -= 1
  }

  private func startedPlace(of ticket: Ticket) -> Int? {
    guard ticket.generation == generation, partitions.indices.contains(ticket.slot),
      let place = partitions[ticket.slot].window.place(of: ticket.offset)
    else { return nil }
    switch partitions[ticket.slot].window[place].phase {
    case .running, .parked: return place
    case .waiting, .ready, .finished, .skipped: return nil
    }
  }
}
