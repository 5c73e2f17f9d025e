// Every legal row against every event: a defined action, never a trap, never silence where a call was in flight.

import CheckoutCore
import Testing

@Suite struct StateEventTests {
  @Test("every kind of answer and event has samples, and each sample is of its kind")
  func samplesOfKinds() throws {
    let row = try #require(try SagaRows.all().first)
    for kind in PaymentKind.allCases { #expect(try kind.samples().map(PaymentKind.init).allSatisfy { $0 == kind }) }
    for kind in InventoryKind.allCases { #expect(kind.samples().map(InventoryKind.init).allSatisfy { $0 == kind }) }
    for kind in ReceiptKind.allCases { #expect(kind.samples().map(ReceiptKind.init).allSatisfy { $0 == kind }) }
    for kind in TroubleKind.allCases { #expect(TroubleKind(kind.sample) == kind) }
    let events = try SagaEventKind.all(row)
    #expect(Set(events.map { SagaEventKind($0) }) == Set(SagaEventKind.allCases))
    #expect(events.count >= 50)
  }

  @Test("the rows show every state, charge, hold and compensation there is")
  func rowsOfKinds() throws {
    let rows = try SagaRows.all()
    #expect(Set(rows.map { StateKind($0.state) }) == Set(StateKind.allCases))
    #expect(Set(rows.map { ChargeKind($0.charge.status) }) == Set(ChargeKind.allCases))
    #expect(Set(rows.flatMap { $0.holds.map(\.status) }) == Set(Hold.Status.allCases))
    let compensations = rows.flatMap { [$0.compensation, $0.watch?.owed].compactMap { $0 } }
    #expect(Set(compensations.map(\.kind)) == Set(Compensation.Kind.allCases))
  }

  @Test("every state, every reply to the call that follows from it, and every answer to the write after")
  func repliesToCalls() throws {
    var count = 0
    for row in try SagaRows.all() {
      for role in SagaRows.roles(of: row) {
        for start in [SagaEvent.created, .tookOver] {
          guard let calling = reachCall(row, role, start) else { continue }
          for reply in try SagaEventKind.replies(row) {
            count += 1
            var saga = calling
            let action = saga.handle(reply, SagaRows.now)
            try expectDefined(action, saga, "\(row.state) \(row.charge.status) \(role): \(reply)")
            try followWrite(action, saga, row)
          }
        }
      }
    }
    #expect(count > 10_000)
  }

  @Test("an answer given after the attempt was given up, or lost, is stored if it is definite, and ends the machine")
  func lateReplies() throws {
    for row in try SagaRows.all() {
      guard let calling = SagaRows.roles(of: row).first.flatMap({ reachCall(row, $0, .tookOver) }) else { continue }
      for reply in try SagaEventKind.replies(row) {
        var givenUp = calling
        #expect(givenUp.handle(.giveUp, SagaRows.now) == .finish(.gaveUp))
        let action = givenUp.handle(reply, SagaRows.now)
        if case .write(let write) = action {
          #expect(write.expectedEpoch == nil)
          #expect(givenUp.handle(.written, SagaRows.now) == .nothing)
        } else {
          #expect(action == .nothing)
        }
        #expect(givenUp.isFinished)
      }
    }
  }

  @Test("a definite late answer of an old owner meets every state: money is never forgotten, ends stay")
  func oldOwner() throws {
    let rows = try SagaRows.all()
    for row in rows where row.state == .charging && row.charge.status == .sent && row.parked == nil {
      for reply in try SagaEventKind.replies(row) {
        guard let calling = reachCall(row, .facade, .tookOver) else { continue }
        var abandoned = calling
        _ = abandoned.handle(.giveUp, SagaRows.now)
        guard case .write = abandoned.handle(reply, SagaRows.now) else { continue }
        for present in rows {
          var current = present
          current.epoch += 1
          current.version += 5
          var saga = abandoned
          guard case .write(let write) = saga.handle(.conflicted(current), SagaRows.now) else { continue }
          if present.hasEnded { #expect(write.row.state == present.state) }
          if case .captured = present.charge.status { #expect(write.row.charge.status == present.charge.status) }
          #expect(write.row.version == current.version + 1)
          #expect(write.row.epoch == current.epoch)
        }
      }
    }
  }

  @Test("events that do not fit do nothing")
  func misfits() throws {
    for row in try SagaRows.all() {
      guard let role = SagaRows.roles(of: row).first else { continue }
      var saga = Saga(row: row, role: role, message: SagaRows.message, context: SagaRows.context)
      for event in try SagaEventKind.replies(row) + [.written, .journalRefused(detail: "x"), .due, .conflicted(row)] {
        #expect(saga.handle(event, SagaRows.now) == .nothing)
      }
    }
  }

  @Test("every event in every phase of every row: what was known of money and of the end stays known")
  func everyPhase() throws {
    var count = 0
    for row in try SagaRows.all() {
      for role in SagaRows.roles(of: row) {
        for saga in phases(row, role) {
          for event in try SagaEventKind.all(saga.row) {
            count += 1
            var next = saga
            guard case .write(let write) = next.handle(event, SagaRows.now) else { continue }
            try expectForward(from: next.row, event, to: write)
          }
        }
      }
    }
    #expect(count > 100_000)
  }

  /// The machine as it can stand: not begun, with a call in flight, writing its answer down, waiting, given up, done.
  private func phases(_ row: Attempt, _ role: SagaRole) -> [Saga] {
    var phases = [Saga(row: row, role: role, message: SagaRows.message, context: SagaRows.context)]
    for start in [SagaEvent.created, .tookOver] {
      guard let calling = reachCall(row, role, start) else { continue }
      var abandoned = calling
      _ = abandoned.handle(.giveUp, SagaRows.now)
      phases += [calling, abandoned]
      for reply in [
        SagaEvent.payment(.trouble(.unknown(detail: "500"))), .inventory(.gone), .receipt(.created(url: "u")),
      ] {
        var after = calling
        switch after.handle(reply, SagaRows.now) {
        case .write, .wait: phases.append(after)
        case .nothing, .call, .finish: break
        }
      }
    }
    return phases
  }

  /// Payment only moves forward; an end stays an end.
  private func expectForward(from row: Attempt, _ event: SagaEvent, to write: AttemptWrite) throws {
    let comment: Comment = "\(row.state) \(row.charge.status): \(event)"
    var known = row
    switch event {
    case .conflicted(let current?), .changed(let current): known = current.version > row.version ? current : row
    case .created, .tookOver, .written, .conflicted, .journalRefused, .inventory, .payment, .receipt, .due,
      .serviceIsBack,
      .putBack, .giveUp:
      break
    }
    #expect(write.row.version == known.version + 1, comment)
    #expect(!write.steps.isEmpty, comment)
    if known.hasEnded { #expect(write.row.state == known.state, comment) }
    switch known.charge.status {
    case .captured: #expect(write.row.charge.status == known.charge.status, comment)
    case .authorised: #expect(write.row.everHeldMoney, comment)
    case .none, .notRequired, .sent, .declined, .actionRequired, .refused, .absent: break
    }
    if write.row.hasEnded, write.row.state != .completed, !known.hasEnded {
      #expect(!write.row.holdsMoney, comment)
      #expect(!write.row.owesLateStock, comment)
    }
    if write.row.state == .completed { #expect(!write.row.charge.isOpen && write.row.receipt.url != nil, comment) }
  }

  /// The machine with its first call in flight, if the row leads to one.
  private func reachCall(_ row: Attempt, _ role: SagaRole, _ start: SagaEvent) -> Saga? {
    var saga = Saga(row: row, role: role, message: SagaRows.message, context: SagaRows.context)
    var action = saga.handle(start, SagaRows.now)
    for _ in 0..<6 {
      switch action {
      case .call: return saga
      case .write: action = saga.handle(.written, SagaRows.now)
      case .wait: action = saga.handle(.due, SagaRows.now)
      case .nothing:
        Issue.record("\(row.state) \(row.charge.status) \(role) met \(start) with silence")
        return nil
      case .finish: return nil
      }
    }
    return nil
  }

  private func expectDefined(_ action: SagaAction, _ saga: Saga, _ comment: String) throws {
    if case .nothing = action { Issue.record("silence: \(comment)") }
    if case .write(let write) = action {
      #expect(write.row.version == saga.row.version + 1)
      #expect(!write.steps.isEmpty)
      if write.row.hasEnded, !saga.row.hasEnded { #expect(write.row.endedAt != nil, "\(comment)") }
    }
  }

  /// The write is done, or refused because of a cancellation, another owner, or bad data: always a next action.
  private func followWrite(_ action: SagaAction, _ saga: Saga, _ row: Attempt) throws {
    guard case .write = action else { return }
    var cancelled = saga.row
    cancelled.version += 1
    cancelled.cancel = RecordedCancel(origin: TestWorld.origin(9), reason: "", at: SagaRows.now.time)
    var stolen = saga.row
    stolen.version += 1
    stolen.epoch += 1
    stolen.owner = WorkerID("other/1")
    let events: [SagaEvent] = [.written, .conflicted(cancelled), .conflicted(stolen), .journalRefused(detail: "x")]
    for event in events {
      var next = saga
      if case .nothing = next.handle(event, SagaRows.now) { Issue.record("\(row.state): silence after \(event)") }
    }
    var vanished = saga
    #expect(vanished.handle(.conflicted(nil), SagaRows.now) == .finish(.lost))
  }
}

/// Rows of every legal shape: state, charge, hold, compensation, cancellation, parking, watch.
enum SagaRows {
  static let message = SagaSample.position("validated", 0)
  static let now = SagaNow(time: SagaSample.noon + .seconds(30), jitter: 1 << 31)
  static let context = SagaContext(
    settings: SagaSettings(), traits: SagaSample.traits(), identifiers: SagaSample.identifiers, worker: WorkerID("w/1"))

  static func roles(of row: Attempt) -> [SagaRole] { row.hasEnded ? [.watching] : [.facade, .reconciliation] }

  static func all() throws -> [Attempt] {
    var rows: [Attempt] = []
    for (state, charge, compensation) in try payments() {
      for holds in holds(in: state) {
        for isCancelled in [false, true] {
          if state == .completed, isCancelled { continue }
          var row = try base(state, charge, compensation)
          row.holds = holds
          if isCancelled {
            row.cancel = RecordedCancel(origin: TestWorld.origin(9), reason: "", at: now.time)
          }
          rows.append(row)
          if !row.hasEnded, !isCancelled {
            var parked = row
            parked.parked = Parked(reason: .chargeUnknown, detail: "", at: now.time)
            parked.parkedNotices = 1
            rows.append(parked)
          }
        }
      }
    }
    return rows
  }

  private static func base(
    _ state: AttemptState, _ charge: Charge.Status, _ compensation: Compensation?
  ) throws -> Attempt {
    let sent = SagaSample.noon
    var row = Attempt(
      request: try SagaSample.request(), origin: TestWorld.origin(0), fingerprint: Fingerprint("1:a"), trace: nil,
      message: message, owner: WorkerID("w/1"), at: sent)
    row.state = state
    row.charge = Charge(
      status: charge, firstSentAt: charge == .none ? nil : sent, lastSentAt: charge == .none ? nil : sent)
    row.compensation = compensation
    if state == .receipting || state == .receiptPending { row.receipt.firstSentAt = sent }
    if row.hasEnded {
      row.endedAt = sent
      row.owner = WorkerID("w/1")
      if charge == .absent {
        row.charge.everUnknown = true
        row.watch = Watch(lookUpsDone: 0, nextAt: sent, owed: compensation)
        row.compensation = nil
      }
    }
    return row
  }

  /// Which charges and compensations a state can have.
  private static func payments() throws -> [(AttemptState, Charge.Status, Compensation?)] {
    let amount = try SagaSample.euro(9038)
    let captured = Charge.Status.captured(chargeID: "ch_1", amount: amount)
    let authorised = Charge.Status.authorised(chargeID: "ch_1", amount: amount)
    let statuses: [Compensation.Status] = [.owed, .sent, .done(reference: "re_1"), .refused(detail: "no")]
    func owes(_ kind: Compensation.Kind) -> [Compensation?] {
      statuses.map {
        Compensation(
          kind: kind, chargeID: "ch_1", amount: amount, status: $0, firstSentAt: SagaSample.noon,
          lastSentAt: SagaSample.noon)
      }
    }
    var rows: [(AttemptState, Charge.Status, Compensation?)] = [(.reserving, .none, nil)]
    let unpaid: [Charge.Status] = [.none, .declined(code: "no"), .refused(detail: "no"), .absent]
    for charge in unpaid + [.notRequired, .sent, captured, authorised] { rows.append((.charging, charge, nil)) }
    for void in owes(.void) { rows.append((.charging, .actionRequired(chargeID: "ch_1"), void)) }
    for charge in [captured, authorised, .notRequired] {
      rows += [(.receipting, charge, nil), (.receiptPending, charge, nil), (.completed, charge, nil)]
    }
    for reason in [EndReason.paymentDeclined, .cancelled] {
      rows += unpaid.map { (.releasing(reason), $0, nil) }
      rows += ([nil] + owes(.refund)).map { (.refunding(reason), captured, $0) }
      rows += owes(.void).map { (.refunding(reason), authorised, $0) }
    }
    for end in [AttemptState.failed(.paymentUnavailable), .cancelled] {
      rows += unpaid.map { (end, $0, nil) }
      rows += (owes(.refund) + owes(.void)).map { (end, .absent, $0) }
    }
    return rows
  }

  private static func holds(in state: AttemptState) -> [[Hold]] {
    func hold(_ generation: Int, _ status: Hold.Status, lasts: TimeSpan = .seconds(600)) -> Hold {
      let isKnown = status != .intended && status != .refused
      return Hold(
        generation: generation, status: status, reservationID: isKnown ? "hold_\(generation)" : nil,
        expiresAt: isKnown ? SagaSample.noon + lasts : nil)
    }
    switch state {
    case .reserving: return [[hold(1, .intended)]]
    case .charging:
      return [[hold(1, .held)], [hold(1, .held, lasts: .seconds(31))], [hold(1, .held), hold(2, .intended)]]
    case .receipting, .receiptPending, .releasing, .refunding:
      return [
        [hold(1, .held)], [hold(1, .confirmed)], [hold(1, .gone)], [hold(1, .refused)], [hold(1, .released)],
        [hold(1, .gone), hold(2, .intended)], [hold(1, .held), hold(2, .held)],
        [hold(1, .gone), hold(2, .gone), hold(3, .held)],
      ]
    case .completed: return [[hold(1, .confirmed)]]
    case .failed, .cancelled: return [[hold(1, .released)]]
    }
  }
}
