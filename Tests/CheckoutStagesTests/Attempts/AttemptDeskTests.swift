// The desk alone: what it keeps of messages that were taken away.

import CheckoutCore
import CheckoutSandbox
import CheckoutSimulation
import CheckoutWire
import Testing
import WorkerEngine

@testable import CheckoutStages

@Suite("Attempt desk")
struct AttemptDeskTests {
  private static func desk() -> AttemptDesk {
    let clock = VirtualClock()
    let exchange = SandboxExchange(
      ledger: InMemorySandboxLedger(),
      clock: SandboxClock(
        now: { Timestamp(nanoseconds: clock.now().wall) }, boot: { BootTime(nanoseconds: clock.now().boot) }))
    let journal = InMemoryJournal(id: "j", delivery: .onFlush) { Timestamp(nanoseconds: clock.now().wall) }
    return AttemptDesk(
      settings: AttemptStageSettings(worker: WorkerID("w/1"), seed: 1),
      ports: AttemptPorts(
        journal: journal, inventory: exchange.inventory, payment: exchange.payments, receipt: exchange.receipts),
      identifiers: Identifiers(digest: SHA256.digest), inbox: Inbox())
  }

  private static func job(_ offset: Int64) -> AttemptJob {
    let identity = AttemptIdentity(merchantID: "m", checkoutID: "c\(offset)", idempotencyKey: "k\(offset)")
    let position = Position(topic: "checkout.pending", partition: 0, offset: offset, timestampMilliseconds: 0)
    return AttemptJob(
      ticket: Ticket(slot: 0, offset: offset, generation: 1), position: position, origin: Origin(position),
      subject: EventSubject(identity), trace: nil, offsetsWereLost: false,
      question: .pending(
        eventID: "e", PendingWork(attempt: identity, notBefore: .distantFuture, journalID: "j")),
      admittedAt: BootTime(nanoseconds: 0),
      toldAt: Timestamp(nanoseconds: 0), type: .receiptPending)
  }

  // 4. A message that only waited for its time was taken away with its partition; its timer was cleared, and nothing ever looked
  //    at the job again: it stayed in memory for the worker's life.
  @Test("messages that wait for a time or for the journal are forgotten without a trace")
  func forgotten() {
    var desk = Self.desk()
    var turn = Turn(now: Moment(wall: 0, boot: 0))
    let waiting = desk.admit(Self.job(1))
    desk.wait(waiting, until: Timestamp(milliseconds: 60_000), &turn)
    desk.begin(Self.job(2), &turn)
    #expect(desk.count == 2)
    desk.forget([1, 2].map { Ticket(slot: 0, offset: $0, generation: 1) }, &turn)
    #expect(desk.count == 0)
    turn = Turn(now: Moment(wall: 0, boot: 100_000_000_000))
    let due = desk.dueJobs(&turn)
    #expect(due == [])
  }
}
