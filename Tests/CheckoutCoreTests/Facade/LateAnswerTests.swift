// Definite answers that come when the row has moved on: stored, never overwritten, never believed twice.

import CheckoutCore
import Testing

@Suite struct LateAnswerTests {
  private let late = SagaNow(time: SagaSample.noon + .seconds(30), jitter: 0)

  private func chargingRow() throws -> Attempt {
    try #require(
      try SagaRows.all().first {
        $0.state == .charging && $0.charge.status == .sent && $0.holds.count == 1 && $0.cancel == nil
          && $0.parked == nil
      })
  }

  /// A machine that has taken the row over and asks what became of its charge.
  private func lookingUp(_ row: Attempt) -> Saga {
    var saga = Saga(row: row, role: .facade, message: SagaRows.message, context: SagaRows.context)
    guard case .call(let call) = saga.handle(.tookOver, late), !call.hasEffect else {
      Issue.record("no look-up")
      return saga
    }
    return saga
  }

  private func captured() throws -> PaymentReply { .captured(chargeID: "ch_1", amount: try SagaSample.euro(9038)) }

  // The message of a machine that had lost its attempt waited for ever once the late answer was stored.
  @Test("lost while writing a capture down: the capture is stored without the epoch, then the message asks anew")
  func lostThenStored() throws {
    let row = try chargingRow()
    var saga = lookingUp(row)
    guard case .write = saga.handle(.payment(try captured()), late) else {
      Issue.record("no write")
      return
    }
    var stolen = row
    stolen.version += 1
    stolen.epoch += 1
    stolen.owner = WorkerID("other/1")
    guard case .write(let write) = saga.handle(.conflicted(stolen), late) else {
      Issue.record("not stored")
      return
    }
    #expect(write.expectedEpoch == nil)
    #expect(write.row.charge.status == .captured(chargeID: "ch_1", amount: try SagaSample.euro(9038)))
    #expect(write.row.owner == WorkerID("other/1"))
    #expect(saga.handle(.written, late) == .finish(.lost))
  }

  // "Not found, and cancelled" replaced a capture that an old owner had stored meanwhile by "absent".
  @Test("a capture stored while 'not found' was being written down: the capture stays and is refunded")
  func captureStays() throws {
    var row = try chargingRow()
    row.cancel = RecordedCancel(origin: TestWorld.origin(9), reason: "", at: SagaSample.noon)
    for reply in [PaymentReply.notFound, .declined(code: "no"), .authorised(chargeID: "ch_1", amount: row.amount)] {
      var saga = lookingUp(row)
      guard case .write(let first) = saga.handle(.payment(reply), late) else {
        Issue.record("no write after \(reply)")
        continue
      }
      #expect(first.row.charge.status != .sent)
      var current = row
      current.version += 1
      current.charge.status = .captured(chargeID: "ch_1", amount: row.amount)
      guard case .write(let second) = saga.handle(.conflicted(current), late) else {
        Issue.record("no second write after \(reply)")
        continue
      }
      #expect(second.row.charge.status == current.charge.status)
      #expect(second.row.state == .refunding(.cancelled))
      #expect(second.row.compensation?.kind == .refund)
    }
  }

  // A merchant's own capture of a completed manual authorisation would have been given back.
  @Test("an authorisation captured after completion owes nothing")
  func completedManual() throws {
    let row = try chargingRow()
    var saga = lookingUp(row)
    _ = saga.handle(.giveUp, late)
    guard case .write = saga.handle(.payment(try captured()), late) else {
      Issue.record("not stored")
      return
    }
    var completed = row
    completed.version += 3
    completed.epoch += 1
    completed.state = .completed
    completed.charge.status = .authorised(chargeID: "ch_1", amount: row.amount)
    #expect(saga.handle(.conflicted(completed), late) == .nothing)
    #expect(saga.isFinished)
  }

  @Test("a late capture of an attempt that ended unpaid owes one refund; the end stays")
  func endedUnpaid() throws {
    let row = try chargingRow()
    var saga = lookingUp(row)
    _ = saga.handle(.giveUp, late)
    _ = saga.handle(.payment(try captured()), late)
    var ended = row
    ended.version += 3
    ended.epoch += 1
    ended.state = .cancelled
    ended.charge.status = .absent
    guard case .write(let write) = saga.handle(.conflicted(ended), late) else {
      Issue.record("not stored")
      return
    }
    #expect(write.row.state == .cancelled)
    #expect(write.row.watch?.owed?.kind == .refund)
    #expect(write.row.watch?.nextAt == late.time)
    #expect(write.row.holdsMoney)
    #expect(saga.handle(.written, late) == .nothing)
  }

  @Test("a late answer that the journal cannot store parks the attempt, so that a person sees it")
  func notStorable() throws {
    let row = try chargingRow()
    var saga = lookingUp(row)
    _ = saga.handle(.giveUp, late)
    guard case .write = saga.handle(.payment(try captured()), late),
      case .write(let write) = saga.handle(.journalRefused(detail: "another attempt is open"), late)
    else {
      Issue.record("no write")
      return
    }
    #expect(write.row.parked?.reason == .journalRefused)
    #expect(write.row.charge.status == .sent)
    #expect(saga.handle(.written, late) == .nothing)
    #expect(saga.isFinished)
  }

  @Test("a copy that is only listed wakes nobody; a cancellation does")
  func changes() throws {
    let row = try chargingRow()
    var saga = lookingUp(row)
    guard case .wait = saga.handle(.payment(.inProgress), late) else {
      Issue.record("does not wait")
      return
    }
    var listed = row
    listed.version += 1
    listed.waiting.append(Waiter(origin: TestWorld.origin(5), listedBy: SagaRows.message, afterEnd: false))
    #expect(saga.handle(.changed(listed), late) == .nothing)
    var cancelled = listed
    cancelled.version += 1
    cancelled.cancel = RecordedCancel(origin: TestWorld.origin(9), reason: "", at: SagaSample.noon)
    guard case .call(let call) = saga.handle(.changed(cancelled), late) else {
      Issue.record("a cancellation was not looked at")
      return
    }
    #expect(!call.hasEffect)
  }
}
