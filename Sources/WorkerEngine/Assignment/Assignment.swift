// The partitions a worker has now, and every message of theirs that is not committed: intake, order, what may start.
// It knows no stage, no clock and no broker; the worker's loop asks and tells.

/// Limits of an assignment's buffers.
struct AssignmentLimits {
  let inFlightMax: Int
  let commitOutputsMax: Int
  let commitBytesMax: Int
  /// Outputs leave before their job: what has been in a batch stays in it.
  let sendsAhead: Bool
  let laneHashSeed: UInt64
  let context: String
}

/// All state of one assignment. Dropped as a whole when the partitions go.
struct Assignment {
  let generation: Int
  let limits: AssignmentLimits
  var partitions: [PartitionState]
  var records = RecordSlab()
  private(set) var lanes = LaneTable()
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
  /// Codes of the dead letters since they were last asked for.
  private var buried: [String] = []
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
      + partitions.indices.reduce(0) { sum, slot in sum + (partitions[slot].heldBack?.outputBytes ?? 0) }
  }

  /// Room in the in-flight budget.
  var room: Int { max(0, limits.inFlightMax - inFlight) }

  /// Takes the codes of the dead letters made since the last call.
  mutating func takeBuried() -> [String] {
    guard !buried.isEmpty else { return [] }
    defer { buried = [] }
    return buried
  }

  /// True if the ticket's message is with the stage.
  func isStarted(_ ticket: Ticket) -> Bool { startedPlace(of: ticket) != nil }

  /// Tickets of all messages that are with the stage, by partition and offset.
  func startedTickets() -> [Ticket] {
    var tickets: [Ticket] = []
    for slot in partitions.indices {
      for place in partitions[slot].window.first..<partitions[slot].window.end {
        let entry = partitions[slot].window[place]
        guard entry.phase == .running || entry.phase == .parked else { continue }
        tickets.append(Ticket(slot: slot, offset: entry.offset, generation: generation))
      }
    }
    return tickets
  }
}

// MARK: - Intake

extension Assignment {
  /// Takes in what has arrived, in order. `lane` says where a new record goes. Returns the slots whose log is another one than
  /// that of their committed offset: nothing of theirs was taken.
  mutating func take(_ arrived: [Record], lane: (Record) -> LaneRule) -> [Int] {
    var otherLogs: [Int] = []
    for index in arrived.indices {
      let slot = arrived[index].slot
      guard partitions.indices.contains(slot) else {
        counters.ignored += 1
        continue
      }
      switch partitions[slot].admit(
        arrived[index].offset, timestamp: arrived[index].timestamp, batch: commits.openNumber)
      {
      case .new: break
      case .otherLog:
        counters.ignored += 1
        if !otherLogs.contains(slot) { otherLogs.append(slot) }
        continue
      case .duplicate:
        counters.duplicates += 1
        continue
      case .finishedBefore:
        counters.skipped += 1
        continue
      }
      accept(arrived[index], lane(arrived[index]))
    }
    return otherLogs
  }

  private mutating func accept(_ record: Record, _ rule: LaneRule) {
    var lane = WindowEntry.noLane
    if let key = rule.key {
      // Never `noLane`; equal keys of two partitions are two lanes.
      let seed = limits.laneHashSeed &+ UInt64(truncatingIfNeeded: record.slot) &* 0x9E37_79B9_7F4A_7C15
      lane = key.hash(seed: seed) | 1
    }
    let mayStart = partitions[record.slot].enter(
      record.offset, lane: lane, of: &lanes, interrupting: rule.interrupting, record: records.insert(record))
    recordBytes += record.payloadBytes
    counters.accepted += 1
    if mayStart { ready += 1 } else { waiting += 1 }
  }

  /// To be called at the end of a turn: records that stay get storage of their own.
  mutating func settleIntake() {
    // Usually a turn finishes all that it has taken in.
    let somethingStays = inFlight + parked + ready + waiting > 0
    for slot in partitions.indices {
      let news = partitions[slot].takeNews()
      guard somethingStays else { continue }
      for place in news {
        let entry = partitions[slot].window[place]
        guard entry.record >= 0, entry.phase != .finished else { continue }
        records[entry.record] = records[entry.record].detached()
      }
    }
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
      while taken < min(left, Assignment.quantum), let entry = partitions[slot].startNext() {
        deliveries.append(
          Delivery(
            generation: generation, partition: partitions[slot].partition, record: records[entry.record],
            offsetsWereLost: partitions[slot].offsetsWereLost))
        taken += 1
      }
      left -= taken
      ready -= taken
      inFlight += taken
      counters.started += taken
    }
  }
}

// MARK: - What the stage asks

extension Assignment {
  /// Does what a stage asked for. A request about a message that is finished or gone is counted and does nothing.
  mutating func apply(_ turn: inout Turn, _ envelope: DeadLetterEnvelope) {
    commits.takeBack(turn.takeOutputs())
    for entry in turn.entries {
      switch entry.kind {
      case .finish: finish(entry.ticket, outputs: entry.count)
      case .emit: commits.claim(CommitMark(slot: -1, outputs: Int32(entry.count), place: -1))
      case .deadLetter: bury(entry.ticket, turn.letters[entry.count], envelope, turn.now)
      case .park: park(entry.ticket)
      case .unpark: unpark(entry.ticket)
      }
    }
    commits.settle()
  }

  private mutating func bury(
    _ ticket: Ticket, _ letter: DeadLetter, _ envelope: DeadLetterEnvelope, _ now: Moment
  ) {
    guard let place = startedPlace(of: ticket) else {
      counters.staleRequests += 1
      return
    }
    let record = records[partitions[ticket.slot].window[place].record]
    let source = DeadLetterSource(record, of: partitions[ticket.slot].partition)
    guard depart(ticket) != nil else { return }
    counters.deadLetters += 1
    buried.append(letter.code)
    commits.insert(
      CommitMark(slot: Int32(ticket.slot), outputs: 1, place: place), envelope.output(of: source, letter, now: now))
  }

  private mutating func finish(_ ticket: Ticket, outputs: Int) {
    guard let place = depart(ticket) else { return commits.discard(outputs) }
    commits.claim(CommitMark(slot: Int32(ticket.slot), outputs: Int32(outputs), place: place))
  }

  /// The message is done; returns its place, nil if it is not with the stage.
  private mutating func depart(_ ticket: Ticket) -> Int? {
    guard ticket.generation == generation, partitions.indices.contains(ticket.slot),
      let departure = partitions[ticket.slot].finish(ticket.offset, batch: commits.openNumber, lanes: &lanes)
    else {
      counters.staleRequests += 1
      return nil
    }
    if departure.wasParked { parked -= 1 } else { inFlight -= 1 }
    counters.finished += 1
    ready += departure.released
    waiting -= departure.released
    return departure.place
  }

  private mutating func park(_ ticket: Ticket) {
    guard let place = startedPlace(of: ticket), partitions[ticket.slot].window[place].phase == .running else {
      counters.staleRequests += 1
      return
    }
    partitions[ticket.slot].window.setPhase(of: place, to: .parked)
    inFlight -= 1
    parked += 1
  }

  private mutating func unpark(_ ticket: Ticket) {
    guard let place = startedPlace(of: ticket), partitions[ticket.slot].window[place].phase == .parked else {
      counters.staleRequests += 1
      return
    }
    partitions[ticket.slot].window.setPhase(of: place, to: .running)
    inFlight += 1
    parked -= 1
  }

  private func startedPlace(of ticket: Ticket) -> Int? {
    guard ticket.generation == generation, partitions.indices.contains(ticket.slot) else { return nil }
    return partitions[ticket.slot].startedPlace(of: ticket.offset)
  }
}
