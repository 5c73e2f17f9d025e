// The saga's machine: one attempt, owned by one worker. Event in, one action out; no I/O, no clock, no randomness.
//
// The table (saga: "States"); each durable state has a file with its rules:
//   reserving                    Saga+Reserving.swift
//   charging                     Saga+Charging.swift, Saga+Unknown.swift
//   receipting, receiptPending   Saga+Receipting.swift
//   releasing, refunding         Saga+Undoing.swift
//   ended, watched               Saga+Watching.swift
//   late answers                 Saga+Late.swift
// Retry, hand-over and parking are alike everywhere: Saga+Trouble.swift.
//
// The next step always follows from the row alone (`next`), so that a worker that takes over goes on as the one before
// would have. What the machine remembers besides (`Memory`) only saves work: which calls it made itself, and how often.

/// A machine that carries one owned attempt on until it ends, is handed over, is parked or is lost.
package struct Saga: Sendable {
  /// What this machine knows beyond the row; lost with the worker without harm.
  struct Memory: Hashable, Sendable {
    /// False only while no reserve of the latest generation can have been sent.
    var reserveMayBeSent = true
    /// The latest moment at which a reserve that nobody answered can have gone out; nil: each was answered.
    var reserveUnanswered: Timestamp?
    /// The charge intent was journaled by this machine and the call has not been made yet.
    var chargeIsFresh = false
    /// The last send of the charge was certainly not applied: it may be sent again without a look-up.
    var chargeNotApplied = false
    /// A look-up after `settle_after` answered `notFound`.
    var settledNotFound = false
    /// A send got no definite answer.
    var chargeEverUnknown = false
    /// When the latest send of the charge, of the void or refund, came back: it went out before.
    var chargeCameBack: Timestamp?
    /// See `chargeCameBack`.
    var compensationCameBack: Timestamp?
    /// The compensation's intent was journaled by this machine and the call has not been made yet.
    var compensationIsFresh = false
    /// As `chargeNotApplied` and `settledNotFound`, for the void or refund.
    var compensationMayBeSentAgain = false
    /// The last send of the void or refund was certainly not applied.
    var compensationNotApplied = false
    /// A void was refused because money was taken: look the charge up.
    var voidWasRefused = false
    /// The latest hold was confirmed.
    var confirmed = false
    /// A receipt may have been sent before.
    var receiptMayBeSent = true
    /// Generations whose hold was given back.
    var released: [Int] = []
    /// The present row of failures: since when, how many, and what the service said.
    var troubleSince: Timestamp?
    var tries = 0
    var trouble: String?
    /// The service refuses us for reasons of its own: no budget is spent.
    var misconfigured = false
    /// The service is back: the next try need not wait for its time.
    var triesAtOnce = false
  }

  /// A row about to be written, and what follows once it is durable.
  struct Draft: Hashable, Sendable {
    var row: Attempt
    var steps: [Step]
    /// Nil: go on with `next`.
    var end: SagaEnd?
    var chargeIsFresh = false
    var compensationIsFresh = false
    /// Stock is about to be reserved again, under a key of its own.
    var isNewGeneration = false
    /// True if the attempt has moved on: the row of failures is over.
    var isProgress = true
  }

  /// What the rules decide.
  enum Move: Hashable, Sendable {
    case write(Draft)
    case call(SagaCall)
    case wait(until: Timestamp)
    case finish(SagaEnd)
  }

  /// An answer to the call in flight.
  enum Reply: Hashable, Sendable {
    case inventory(InventoryReply)
    case payment(PaymentReply)
    case receipt(ReceiptReply)
  }

  /// Why a draft was made, to make it anew when the row has changed meanwhile.
  private enum Cause: Hashable, Sendable {
    case rules
    case reply(Reply, SagaCall)
    /// A late answer, stored onto this row; `then` is told once it is durable (nil: it was told already).
    case late(Reply, SagaCall, onto: Attempt, then: SagaEnd?)
  }

  /// Valid transitions: idle → writing | calling | waiting | finished, and back to idle with each event; calling →
  /// abandoned (given up with a call in flight); abandoned → writing (a late definite answer) → finished.
  private enum Phase: Hashable, Sendable {
    case idle
    case writing(Draft, Cause)
    case calling(SagaCall)
    case waiting
    /// Given up; the answer to this call is still stored if it is definite.
    case abandoned(SagaCall)
    case finished
  }

  /// The row as last acknowledged by the journal.
  package internal(set) var row: Attempt
  /// What it works for.
  package let role: SagaRole
  /// The message in whose name it works.
  package let message: Position
  let context: SagaContext
  var memory = Memory()
  private var phase = Phase.idle

  /// A machine for `row`, which `context.worker` owns.
  package init(row: Attempt, role: SagaRole, message: Position, context: SagaContext) {
    self.row = row
    self.role = role
    self.message = message
    self.context = context
  }

  /// True once there is nothing more to expect from this machine, not even a late answer to store.
  package var isFinished: Bool { phase == .finished }

  /// True while a call of this machine is on its way.
  package var hasCallInFlight: Bool {
    switch phase {
    case .calling, .abandoned: true
    case .idle, .writing, .waiting, .finished: false
    }
  }

  /// Takes an event and says what to do next. Events that do not fit the phase (a second answer, a late timer) do nothing.
  package mutating func handle(_ event: SagaEvent, _ now: SagaNow) -> SagaAction {
    switch event {
    case .created:
      memory.reserveMayBeSent = false
      memory.receiptMayBeSent = false
      return perform(next(now), .rules)
    case .tookOver:
      memory.chargeNotApplied = row.charge.isNotApplied
      memory.chargeEverUnknown = row.charge.status == .sent && !row.charge.isNotApplied
      memory.receiptMayBeSent = row.receipt.firstSentAt != nil
      memory.reserveUnanswered = now.time
      return perform(next(now), .rules)
    case .written: return written(now)
    case .conflicted(let current): return conflicted(current, now)
    case .journalRefused(let detail): return journalRefused(detail, now)
    case .inventory(let reply): return replied(.inventory(reply), now)
    case .payment(let reply): return replied(.payment(reply), now)
    case .receipt(let reply): return replied(.receipt(reply), now)
    case .due:
      guard phase == .waiting else { return .nothing }
      return perform(next(now), .rules)
    case .serviceIsBack:
      guard phase == .waiting else { return .nothing }
      memory.triesAtOnce = true
      return perform(next(now), .rules)
    case .putBack:
      guard phase == .waiting, role == .reconciliation, let retry = row.retry else { return .nothing }
      return perform(handOver(notBefore: retry.nextAt, schedule: retry, now), .rules)
    case .changed(let current):
      return changed(current, now)
    case .giveUp: return giveUp()
    }
  }

  // MARK: Phases

  private mutating func perform(_ move: Move, _ cause: Cause) -> SagaAction {
    switch move {
    case .write(let draft):
      phase = .writing(draft, cause)
      return .write(write(draft, epoch: row.epoch))
    case .call(let call):
      phase = .calling(call)
      return .call(call)
    case .wait(let until):
      phase = .waiting
      return .wait(until: until)
    case .finish(let end):
      phase = .finished
      return .finish(end)
    }
  }

  private func write(_ draft: Draft, epoch: Int64?) -> AttemptWrite {
    let name = draft.steps.first?.name ?? "write"
    // The epoch is part of the id: an earlier machine of this worker may have written the same version by the same name.
    let author = "\(context.worker.text)/\(epoch.map { "\($0)" } ?? "late")"
    return AttemptWrite(
      row: draft.row, expectedEpoch: epoch, writeID: "\(author)/\(draft.row.version)/\(name)",
      steps: draft.steps)
  }

  private mutating func written(_ now: SagaNow) -> SagaAction {
    guard case .writing(let draft, let cause) = phase else { return .nothing }
    row = draft.row
    if case .late(_, _, _, let end) = cause { return ended(end) }
    memory.chargeIsFresh = draft.chargeIsFresh
    if draft.isNewGeneration {
      memory.reserveMayBeSent = false
      memory.reserveUnanswered = nil
    }
    memory.compensationIsFresh = draft.compensationIsFresh
    if draft.chargeIsFresh {
      memory.chargeNotApplied = false
      memory.settledNotFound = false
      memory.chargeCameBack = nil
    }
    if draft.compensationIsFresh {
      memory.compensationMayBeSentAgain = false
      memory.compensationNotApplied = false
      memory.compensationCameBack = nil
    }
    if draft.isProgress { endTrouble() }
    if let end = draft.end { return perform(.finish(end), .rules) }
    return perform(next(now), .rules)
  }

  /// The row is another than thought. Still ours (a cancellation or a copy was recorded): the same event is applied to
  /// the row as it is. Not ours any more: a definite answer is stored all the same, then this machine stops.
  private mutating func conflicted(_ current: Attempt?, _ now: SagaNow) -> SagaAction {
    guard case .writing(_, let cause) = phase else { return .nothing }
    guard let current else {
      phase = .finished
      return .finish(.lost)
    }
    if case .late(let reply, let call, _, let end) = cause {
      return storeLate(reply, call, onto: current, then: end, now) ?? ended(end)
    }
    guard current.epoch == row.epoch, current.owner == context.worker else {
      if case .reply(let reply, let call) = cause,
        let action = storeLate(reply, call, onto: current, then: .lost, now)
      {
        return action
      }
      return ended(.lost)
    }
    row = current
    switch cause {
    case .rules, .late: return perform(next(now), .rules)
    case .reply(let reply, let call): return perform(answer(reply, to: call, now), cause)
    }
  }

  private mutating func ended(_ end: SagaEnd?) -> SagaAction {
    phase = .finished
    return end.map(SagaAction.finish) ?? .nothing
  }

  /// The journal cannot store this row: a person must look. If even the mark cannot be stored the machine stops.
  private mutating func journalRefused(_ detail: String, _ now: SagaNow) -> SagaAction {
    guard case .writing(let draft, let cause) = phase else { return .nothing }
    guard case .late(_, let call, let current, let end) = cause else {
      if draft.row.parked?.reason == .journalRefused { return ended(.lost) }
      return perform(park(.journalRefused, detail: detail, now), .rules)
    }
    // What came late cannot be stored in a row that is not ours: at least a person must see that it came.
    if draft.row.parked?.reason == .journalRefused { return ended(end) }
    row = current
    let late = "a late answer to \(call.operation.rawValue) could not be stored: \(detail)"
    return perform(park(.journalRefused, detail: late, now), cause)
  }

  private mutating func replied(_ reply: Reply, _ now: SagaNow) -> SagaAction {
    switch phase {
    case .calling(let call):
      if reply.isNotSent { return notSent(reply, call, now) }
      return perform(answer(reply, to: call, now), .reply(reply, call))
    case .abandoned(let call):
      phase = .idle
      return storeLate(reply, call, onto: row, then: nil, now) ?? ended(nil)
    case .idle, .writing, .waiting, .finished:
      return .nothing
    }
  }

  /// The lease or the key window is over: nothing went out, and nothing more may go out in our name.
  private mutating func notSent(_ reply: Reply, _ call: SagaCall, _ now: SagaNow) -> SagaAction {
    guard var draft = lateDraft(reply, to: call, in: row, now) else { return ended(.gaveUp) }
    draft.end = .gaveUp
    return perform(.write(draft), .rules)
  }

  /// Another write of this worker changed the row. While waiting, the machine looks at once what it means; a copy that
  /// was only listed means nothing, and must not use up tries.
  private mutating func changed(_ current: Attempt, _ now: SagaNow) -> SagaAction {
    guard current.version > row.version, current.epoch == row.epoch else { return .nothing }
    switch phase {
    case .waiting:
      let isNews = current.cancel != row.cancel || current.charge != row.charge || current.state != row.state
      row = current
      return isNews ? perform(next(now), .rules) : .nothing
    case .calling, .idle:
      row = current
      return .nothing
    case .writing, .abandoned, .finished:
      return .nothing
    }
  }

  private mutating func giveUp() -> SagaAction {
    switch phase {
    case .calling(let call):
      phase = .abandoned(call)
      return .finish(.gaveUp)
    case .idle, .waiting, .writing:
      phase = .finished
      return .finish(.gaveUp)
    case .abandoned, .finished:
      return .nothing
    }
  }

  /// Stores a definite answer in a row that is not ours (any more), without looking at its epoch.
  private mutating func storeLate(
    _ reply: Reply, _ call: SagaCall, onto current: Attempt, then end: SagaEnd?, _ now: SagaNow
  ) -> SagaAction? {
    guard let draft = lateDraft(reply, to: call, in: current, now) else { return nil }
    phase = .writing(draft, .late(reply, call, onto: current, then: end))
    return .write(write(draft, epoch: nil))
  }

  // MARK: Rules

  /// What follows from the row.
  mutating func next(_ now: SagaNow) -> Move {
    if role == .watching { return nextWatching(now) }
    if row.hasEnded { return .finish(.ended) }
    if row.parked != nil { return .finish(.parked) }
    if role == .reconciliation, let retry = row.retry, retry.nextAt > now.time, !memory.triesAtOnce {
      return .wait(until: retry.nextAt)
    }
    switch row.state {
    case .reserving: return nextReserving(now)
    case .charging: return nextCharging(now)
    case .receipting, .receiptPending: return nextReceipting(now)
    case .releasing(let reason): return nextReleasing(reason, now)
    case .refunding(let reason): return nextRefunding(reason, now)
    case .completed, .failed, .cancelled: return .finish(.ended)
    }
  }

  /// What follows from an answer.
  private mutating func answer(_ reply: Reply, to call: SagaCall, _ now: SagaNow) -> Move {
    if !call.isLookUp { cameBack(call.operation, now) }
    return switch (call.operation, reply) {
    case (.reserve, .inventory(let reply)): answerReserve(reply, now)
    case (.confirm, .inventory(let reply)): answerConfirm(reply, now)
    case (.release, .inventory(let reply)): answerRelease(reply, to: call, now)
    case (.charge, .payment(let reply)): answerCharge(reply, isLookUp: call.isLookUp, now)
    case (.void, .payment(let reply)): answerVoid(reply, isLookUp: call.isLookUp, now)
    case (.refund, .payment(let reply)): answerRefund(reply, isLookUp: call.isLookUp, now)
    case (.receipt, .receipt(let reply)): answerReceipt(reply, now)
    case (.reserve, _), (.confirm, _), (.release, _), (.charge, _), (.void, _), (.refund, _), (.receipt, _):
      // An answer of another service's kind: the gateway is broken, and what became of the call is not known.
      again(.of(call.operation, isLookUp: call.isLookUp), "answer of another kind", now)
    }
  }

  /// A call came back, however it went: it went on the wire before now.
  private mutating func cameBack(_ operation: Operation, _ now: SagaNow) {
    switch operation {
    case .charge: memory.chargeCameBack = now.time
    case .void, .refund: memory.compensationCameBack = now.time
    case .reserve, .confirm, .release, .receipt: break
    }
  }

  /// The present row, changed, as the next version: what the machine remembers of finished calls goes in with it.
  func draft(
    _ name: String, _ detail: [Step.Detail] = [], _ now: SagaNow, _ change: (inout Attempt) -> Void
  )
    -> Draft
  {
    var row = row
    row.version += 1
    row.updatedAt = now.time
    row.retry = nil
    row.lastTrouble = memory.trouble ?? row.lastTrouble
    if memory.chargeEverUnknown { row.charge.everUnknown = true }
    row.rememberSends(memory)
    for index in row.holds.indices where memory.released.contains(row.holds[index].generation) {
      row.holds[index].status = .released
    }
    if memory.confirmed, row.hold.status == .held { row.holds[row.holds.count - 1].status = .confirmed }
    change(&row)
    return Draft(row: row, steps: [Step(name, detail)])
  }

  mutating func endTrouble() {
    memory.troubleSince = nil
    memory.tries = 0
    memory.trouble = nil
    memory.misconfigured = false
  }

  /// The provider key of one of this attempt's calls.
  func key(_ operation: Operation, generation: Int = 1) -> ProviderKey {
    context.identifiers.providerKey(row.identity.attemptID, operation, generation: generation)
  }
}

extension Attempt {
  /// What a machine knows of the sends whose fate is open, for whoever goes on.
  fileprivate mutating func rememberSends(_ memory: Saga.Memory) {
    if let time = memory.chargeCameBack, charge.status == .sent {
      charge.settleSend(from: time)
      charge.isNotApplied = memory.chargeNotApplied && !memory.misconfigured
    }
    if let time = memory.compensationCameBack {
      compensation?.rememberSend(cameBackAt: time, isNotApplied: memory.compensationNotApplied)
      watch?.owed?.rememberSend(cameBackAt: time, isNotApplied: memory.compensationNotApplied)
    }
    if isReceipting, !memory.receiptMayBeSent { receipt.firstSentAt = nil }
  }
}

extension Compensation {
  fileprivate mutating func rememberSend(cameBackAt time: Timestamp, isNotApplied: Bool) {
    guard status == .sent else { return }
    settleSend(from: time)
    if isNotApplied { takeBackSend() }
  }
}

extension SagaCall {
  /// True for a question about an earlier call.
  var isLookUp: Bool {
    if case .payment(.lookUp) = command { true } else { false }
  }
}

extension Saga.Reply {
  /// True if the call was never put on the wire.
  var isNotSent: Bool {
    switch self {
    case .inventory(.trouble(.notSent)), .payment(.trouble(.notSent)), .receipt(.trouble(.notSent)): true
    case .inventory, .payment, .receipt: false
    }
  }
}
