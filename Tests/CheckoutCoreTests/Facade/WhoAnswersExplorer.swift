// All interleavings of one attempt's messages, breadth first, over the real rules: an attempt, a copy of it, the same
// request at another place, a sweep, hand-overs, crashes, a zombie. Bounded by the counts in `Bounds`.

import CheckoutCore

/// Explores; `run` gives the number of states and the first broken promise.
struct WhoAnswersExplorer {
  struct Bounds {
    var pendingMax: UInt8 = 3
    var crashesMax: UInt8 = 1
    var zombiesMax: UInt8 = 1
  }

  /// How the rules are broken on purpose, to see that the exploration notices.
  enum Mutation {
    case none
    /// Whoever meets the attempt thinks that the answer is its own.
    case alwaysMine
    /// A hand-over whose transaction was lost is not published again.
    case forgetsHandOver
  }

  struct Result {
    var states = 0
    var atRest = 0
    var violation: [String]?
  }

  /// What a worker is doing with a message.
  private enum Phase: UInt16 {
    case new, work, outcome, copy, silent, hand
  }

  /// One worker's work on one message, in 16 bits.
  private struct Process: Hashable {
    var message: Int
    var phase: Phase
    var isZombie = false
    /// `work`: the epoch; `outcome`, `copy`: the origins answered; `hand`: the event.
    var load = 0

    var bits: UInt16 {
      0x8000 | UInt16(message) << 12 | phase.rawValue << 9 | (isZombie ? 0x100 : 0) | UInt16(load)
    }

    init(_ message: Int, _ phase: Phase, load: Int = 0, isZombie: Bool = false) {
      (self.message, self.phase, self.load, self.isZombie) = (message, phase, load, isZombie)
    }

    init?(bits: UInt16) {
      guard bits & 0x8000 != 0, let phase = Phase(rawValue: bits >> 9 & 7) else { return nil }
      self.init(Int(bits >> 12 & 7), phase, load: Int(bits & 0xFF), isZombie: bits & 0x100 != 0)
    }
  }

  private struct Packed: Hashable {
    var core: UInt64
    var work: UInt128

    func hash(into hasher: inout Hasher) {
      hasher.combine(core ^ UInt64(truncatingIfNeeded: work) ^ UInt64(truncatingIfNeeded: work >> 64) &* 0x9e37_79b9)
    }
  }

  /// Where everything stands.
  private struct Moment {
    /// Number of the row; 0: none.
    var row = 0
    var isOwnerAlive = false
    /// Messages not committed, one bit each; 0 to 2 are requests, from 3 on pending events.
    var todo: UInt8 = 0
    /// Answers published for each of the two origins.
    var published: [UInt8] = [0, 0]
    /// Event carried by each pending message.
    var events: [UInt8] = [0, 0, 0]
    var pending: UInt8 = 0
    var crashes: UInt8 = 0
    var zombies: UInt8 = 0
    var work: [Process] = []

    var packed: Packed {
      var core = UInt64(row) << 40 | (isOwnerAlive ? 1 << 39 : 0) | UInt64(todo) << 32
      core |= UInt64(published[0] & 3) << 30 | UInt64(published[1] & 3) << 28
      core |= UInt64(pending) << 26 | UInt64(crashes) << 25 | UInt64(zombies) << 24
      for index in 0..<3 { core |= UInt64(events[index]) << (UInt64(index) * 8) }
      var all: UInt128 = 0
      for bits in work.map(\.bits).sorted() { all = all << 16 | UInt128(bits) }
      return Packed(core: core, work: all)
    }

    init() {}

    init(_ packed: Packed) {
      let core = packed.core
      row = Int(core >> 40)
      isOwnerAlive = core >> 39 & 1 == 1
      todo = UInt8(core >> 32 & 0x7F)
      published = [UInt8(core >> 30 & 3), UInt8(core >> 28 & 3)]
      (pending, crashes, zombies) = (UInt8(core >> 26 & 3), UInt8(core >> 25 & 1), UInt8(core >> 24 & 1))
      for index in 0..<3 { events[index] = UInt8(truncatingIfNeeded: core >> (UInt64(index) * 8)) }
      var rest = packed.work
      while let process = Process(bits: UInt16(truncatingIfNeeded: rest)) {
        work.append(process)
        rest >>= 16
      }
    }
  }

  /// What the rules say to a message that meets a row.
  private struct Decision {
    var row: Int
    var isOwnerAlive: Bool
    var process: Process
  }

  private struct Question: Hashable {
    let row: Int
    let isOwnerAlive: Bool
    let message: Int
    let event: UInt8
  }

  private let bounds: Bounds
  private let mutation: Mutation
  private let template: Attempt
  private let who: WhoAnswers
  private var rows: [Attempt?] = [nil]
  private var rowNumbers: [Attempt: Int] = [:]
  private var eventIDs: [String] = [""]
  private var answers: [Question: Decision?] = [:]
  private var ends: [Int: Int] = [:]
  private var swept: [Int: (Int, UInt8)?] = [:]

  private static let noon = SagaSample.noon
  private static let origins = [0, 1, 0]

  init(bounds: Bounds = Bounds(), mutation: Mutation = .none) throws {
    self.bounds = bounds
    self.mutation = mutation
    let asker = SagaContext(
      settings: SagaSettings(), traits: SagaSample.traits(), identifiers: SagaSample.identifiers,
      worker: WorkerID("asker"))
    who = WhoAnswers(context: asker)
    template = Attempt(
      request: try SagaSample.request(), origin: TestWorld.origin(0), fingerprint: Fingerprint("1:a"), trace: nil,
      message: Self.position(0), owner: WorkerID("owner"), at: Self.noon)
  }

  private static func position(_ message: Int) -> Position {
    SagaSample.position(message < 3 ? "validated" : "pending", message)
  }

  // MARK: Numbers for rows and events

  /// Versions are left out: each step here is one journal write.
  private mutating func number(of row: Attempt) -> Int {
    var row = row
    row.version = 1
    row.updatedAt = Self.noon
    if row.owner != nil { row.owner = WorkerID("owner") }
    if let known = rowNumbers[row] { return known }
    rows.append(row)
    rowNumbers[row] = rows.count - 1
    return rows.count - 1
  }

  private mutating func number(ofEvent id: String) -> UInt8 {
    if let known = eventIDs.firstIndex(of: id) { return UInt8(known) }
    eventIDs.append(id)
    return UInt8(eventIDs.count - 1)
  }

  // MARK: Rules

  private mutating func decide(_ question: Question) -> Decision? {
    if let known = answers[question] { return known }
    let decision = ask(question)
    answers[question] = .some(decision)
    return decision
  }

  private mutating func ask(_ question: Question) -> Decision? {
    let position = Self.position(question.message)
    guard var row = rows[question.row] else {
      var row = template
      row.owedBy = .message(position)
      let created = Attempt(
        request: row.request, origin: origin(of: question.message), fingerprint: row.fingerprint, trace: nil,
        message: position, owner: WorkerID("owner"), at: Self.noon)
      return Decision(row: number(of: created), isOwnerAlive: true, process: Process(question.message, .work, load: 1))
    }
    if mutation == .alwaysMine { row.owedBy = .message(position) }
    if mutation == .forgetsHandOver, row.handOver?.eventID == event(from: position, row) { row.handOver = nil }
    let view = AttemptView(
      attempt: row, ownedUntil: question.isOwnerAlive && row.owner != nil ? Self.noon + .seconds(10) : nil)
    let asking = Asking(message: position, origin: origin(of: question.message), now: Self.noon, offsetsWereLost: false)
    let admission =
      question.message < 3
      ? who.met(view, fingerprint: row.fingerprint, asking)
      : who.pending(view, eventID: eventIDs[Int(question.event)], message: position, now: Self.noon)
    switch admission {
    case .wait, .create, .unknownAttempt: return nil
    case .takeOver(let write, _):
      return Decision(
        row: number(of: write.row), isOwnerAlive: true,
        process: Process(question.message, .work, load: Int(write.row.epoch)))
    case .answer(let answer):
      return Decision(
        row: question.row, isOwnerAlive: question.isOwnerAlive, process: process(question.message, answer))
    case .write(let write, let answer):
      return Decision(
        row: number(of: write.row), isOwnerAlive: question.isOwnerAlive, process: process(question.message, answer))
    }
  }

  private func event(from position: Position, _ row: Attempt) -> String {
    SagaSample.identifiers.pendingEvent(row.pendingType, from: position)
  }

  private func origin(of message: Int) -> Origin {
    TestWorld.origin(message < 3 ? Self.origins[message] : 0)
  }

  private mutating func process(_ message: Int, _ answer: Answer) -> Process {
    switch answer {
    case .nothing, .refuse, .parked: return Process(message, .silent)
    case .outcome(let row), .replayedOutcome(let row): return Process(message, .outcome, load: Self.answered(row))
    case .copy(_, let origin): return Process(message, .copy, load: Self.bit(origin))
    case .handOver(let row):
      return Process(message, .hand, load: Int(number(ofEvent: row.handOver?.eventID ?? "")))
    }
  }

  private static func bit(_ origin: Origin) -> Int { origin == TestWorld.origin(0) ? 1 : 2 }

  /// The origins that an outcome and its copies answer.
  private static func answered(_ row: Attempt) -> Int {
    var load = bit(row.origin)
    // An origin that is answered twice in one transaction shows as bit 2.
    for waiter in row.waiting where !waiter.afterEnd {
      load = load & bit(waiter.origin) != 0 ? load | 4 : load | bit(waiter.origin)
    }
    return load
  }

  // MARK: Exploring

  /// Explores everything that can happen to these requests (0: the request, 1: a copy, 2: the same, validated again).
  mutating func run(_ messages: [Int]) -> Result {
    var start = Moment()
    for message in messages { start.todo |= 1 << UInt8(message) }
    var parents: [Packed: Packed] = [start.packed: start.packed]
    var frontier = [start.packed]
    var result = Result()
    let wanted: [UInt8] = [0, 1].map { origin in messages.contains { Self.origins[$0] == origin } ? 1 : 0 }
    while !frontier.isEmpty {
      var next: [Packed] = []
      for packed in frontier {
        let moment = Moment(packed)
        if isBroken(moment, wanted, &result) {
          result.states = parents.count
          result.violation = path(to: packed, parents)
          return result
        }
        for successor in successors(of: moment) {
          let key = successor.packed
          if parents[key] == nil {
            parents[key] = packed
            next.append(key)
          }
        }
      }
      frontier = next
    }
    result.states = parents.count
    return result
  }

  private func isBroken(_ moment: Moment, _ wanted: [UInt8], _ result: inout Result) -> Bool {
    if moment.published.contains(where: { $0 > 1 }) { return true }
    guard moment.todo == 0, moment.work.allSatisfy(\.isZombie), let row = rows[moment.row], !isSwept(row) else {
      return false
    }
    result.atRest += 1
    return moment.pending < bounds.pendingMax && moment.published != wanted
  }

  private func isSwept(_ row: Attempt) -> Bool {
    row.owedBy == .event(SagaSample.identifiers.sweepEvent(row.identity.attemptID, epoch: row.epoch))
  }

  private mutating func successors(of moment: Moment) -> [Moment] {
    var all: [Moment] = []
    for message in 0..<6 where moment.todo >> UInt8(message) & 1 == 1 {
      if moment.work.contains(where: { $0.message == message && !$0.isZombie }) { continue }
      var next = moment
      next.work.append(Process(message, .new))
      all.append(next)
    }
    if moment.isOwnerAlive {
      var next = moment
      next.isOwnerAlive = false
      all.append(next)
    }
    sweep(moment, &all)
    for index in moment.work.indices { step(moment, index, &all) }
    return all
  }

  /// The sweep takes an attempt nobody owns, or publishes the event that it waits for.
  private mutating func sweep(_ moment: Moment, _ all: inout [Moment]) {
    guard let row = rows[moment.row], !moment.isOwnerAlive, moment.pending < bounds.pendingMax, !row.hasEnded else {
      return
    }
    var next = moment
    switch who.sweep(AttemptView(attempt: row, ownedUntil: nil), now: Self.noon + .hours(1)) {
    case .leave: return
    case .write(let write): next.row = number(of: write.row)
    case .publish:
      guard let id = row.handOver?.eventID else { return }
      publish(number(ofEvent: id), &next)
    }
    all.append(next)
  }

  private func publish(_ event: UInt8, _ moment: inout Moment) {
    moment.events[Int(moment.pending)] = event
    moment.todo |= 1 << (3 + moment.pending)
    moment.pending += 1
  }

  private mutating func step(_ moment: Moment, _ index: Int, _ all: inout [Moment]) {
    let process = moment.work[index]
    var rest = moment
    rest.work.remove(at: index)
    if !process.isZombie {
      if moment.crashes < bounds.crashesMax {
        var next = rest
        next.crashes += 1
        all.append(next)
      }
      if moment.zombies < bounds.zombiesMax {
        var next = moment
        next.zombies += 1
        next.work[index].isZombie = true
        all.append(next)
      }
    }
    switch process.phase {
    case .new: meet(process, rest, &all)
    case .work: work(process, rest, &all)
    case .outcome, .copy, .silent, .hand: commit(process, rest, &all)
    }
  }

  private mutating func meet(_ process: Process, _ rest: Moment, _ all: inout [Moment]) {
    let event = process.message < 3 ? 0 : rest.events[process.message - 3]
    let question = Question(
      row: rest.row, isOwnerAlive: rest.isOwnerAlive, message: process.message, event: event)
    guard var decision = decide(question) else { return }
    decision.process.isZombie = process.isZombie
    var next = rest
    next.row = decision.row
    next.isOwnerAlive = decision.isOwnerAlive
    next.work.append(decision.process)
    all.append(next)
  }

  /// The owner ends the attempt or hands it over; an older epoch finds out that it is not the owner any more.
  private mutating func work(_ process: Process, _ rest: Moment, _ all: inout [Moment]) {
    guard let row = rows[rest.row], Int(row.epoch) == process.load, !row.hasEnded else {
      var next = rest
      if !process.isZombie { next.work.append(Process(process.message, .new)) }
      all.append(next)
      return
    }
    var ended = row
    ended.state = .completed
    ended.endedAt = Self.noon
    ended.owner = nil
    var next = rest
    next.row = number(of: ended)
    next.isOwnerAlive = false
    next.work.append(
      Process(process.message, .outcome, load: Self.answered(ended), isZombie: process.isZombie))
    all.append(next)
    guard rest.pending < bounds.pendingMax else { return }
    var handed = row
    handed.handOver(from: Self.position(process.message), notBefore: nil, at: Self.noon, SagaSample.identifiers)
    next = rest
    next.row = number(of: handed)
    next.isOwnerAlive = false
    let event = number(ofEvent: handed.handOver?.eventID ?? "")
    next.work.append(Process(process.message, .hand, load: Int(event), isZombie: process.isZombie))
    all.append(next)
  }

  /// The transaction; a zombie's is fenced.
  private func commit(_ process: Process, _ rest: Moment, _ all: inout [Moment]) {
    if process.isZombie { return all.append(rest) }
    let bit = UInt8(1) << UInt8(process.message)
    guard rest.todo & bit != 0 else { return }
    var next = rest
    next.todo &= ~bit
    switch process.phase {
    case .outcome, .copy:
      if process.load & 1 != 0 { next.published[0] += 1 }
      if process.load & 2 != 0 { next.published[1] += 1 }
      if process.load & 4 != 0 { next.published[0] = 2 }
    case .hand:
      guard rest.pending < bounds.pendingMax else { return }
      publish(UInt8(process.load), &next)
    case .silent, .new, .work: break
    }
    all.append(next)
  }

  private func path(to end: Packed, _ parents: [Packed: Packed]) -> [String] {
    var story: [String] = []
    var at = end
    while let before = parents[at], before != at {
      let moment = Moment(at)
      let work = moment.work.map { "\($0.message) \($0.phase)\($0.isZombie ? " (zombie)" : "")" }
      let owed = rows[moment.row].map { "\($0.owedBy)" } ?? "-"
      story.append("published \(moment.published), owed by \(owed), \(work)")
      at = before
    }
    return story.reversed()
  }
}
