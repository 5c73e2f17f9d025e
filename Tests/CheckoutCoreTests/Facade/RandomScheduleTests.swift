// Thousands of random schedules: crashes, zombies, lost and late answers, copies and cancellations at any time. Whatever
// happens, the promises hold, and once the faults stop everything comes to rest.

import CheckoutCore
import Foundation
import Testing

@Suite struct RandomScheduleTests {
  private static let shards = 8

  /// Seeds to run: 3200 of them, or `RANDOM_SCHEDULES=FIRST-LAST` from the environment.
  private static var seeds: ClosedRange<UInt64> {
    let wanted = (ProcessInfo.processInfo.environment["RANDOM_SCHEDULES"] ?? "").split(separator: "-").compactMap {
      UInt64($0)
    }
    return wanted.count == 2 && wanted[0] <= wanted[1] ? wanted[0]...wanted[1] : 0...3199
  }

  @Test("every promise holds in random schedules", arguments: 0..<shards)
  func promises(shard: Int) throws {
    var complained = 0
    for seed in Self.seeds where Int(seed % UInt64(Self.shards)) == shard {
      let schedule = try RandomSchedule(seed: seed)
      let complaints = schedule.run()
      #expect(complaints.isEmpty, "seed \(seed): \(complaints)\n\(schedule.report)")
      if !complaints.isEmpty { complained += 1 }
      if complained == 3 { return }
    }
  }

  // 1222 and 2656: a receipt refused after one without an answer was sent again to a service without keys. 2110: a charge refused
  // when it was sent again was not watched, and the first send took the money.
  @Test("seeds that failed once keep every promise", arguments: [1222, 1834, 2110, 2656] as [UInt64])
  func failedOnce(seed: UInt64) throws {
    let schedule = try RandomSchedule(seed: seed)
    #expect(schedule.run() == [], "\(schedule.report)")
  }

  @Test("the same seed gives the same events")
  func repeats() throws {
    for seed: UInt64 in [3, 17, 4711] {
      let first = try RandomSchedule(seed: seed)
      let second = try RandomSchedule(seed: seed)
      _ = first.run()
      _ = second.run()
      #expect(first.world.published == second.world.published)
      #expect(first.world.journal.writes == second.world.journal.writes)
    }
  }
}

/// One schedule: a checkout, what its customer does, and what goes wrong.
final class RandomSchedule {
  let world: TestWorld
  private var request: ValidatedRequest
  private let faultsEnd: Timestamp
  private var personsRetries = 0
  private var wordsTold = 0

  init(seed: UInt64) throws {
    world = TestWorld(seed: seed)
    faultsEnd = world.now + .seconds(Int64(10 + world.dice.below(200)))
    request = try SagaSample.request()
    try chooseWorld()
    try putMessages()
    chooseFaults()
  }

  // MARK: The world

  private func chooseWorld() throws {
    let windows: [TimeSpan] = [.hours(24), .hours(24), .seconds(90), .zero]
    let window = world.dice.pick(windows)
    world.traits = SagaSample.traits(
      confirms: world.dice.chance(80), chargeWindow: window, compensationWindow: world.dice.pick(windows),
      receiptWindow: world.dice.pick(windows), lag: world.dice.pick([.zero, .seconds(5)]))
    world.stock.holdTime = world.dice.pick([.seconds(600), .seconds(600), .seconds(40), .seconds(12)])
    world.stock.available = world.dice.chance(8) ? 0 : 1000
    world.payments.rule = world.dice.pick([
      .capture, .capture, .capture, .capture, .decline, .actionRequired, .actionCompleted, .captureOnly(6000),
      .authorise,
    ])
    world.receipts.refuses = world.dice.chance(5)
    world.stock.refusesReleases = world.dice.chance(3)
    world.payments.refusesRefunds = world.dice.chance(3)
    let expiries: [TimeSpan?] = [nil, nil, nil, .seconds(60), .seconds(15)]
    request = try SagaSample.request(
      capture: world.dice.chance(20) ? .manual : .automatic, isFree: world.dice.chance(8),
      expiresAfter: world.dice.pick(expiries))
  }

  private func putMessages() throws {
    let first = world.put(.request(request, Fingerprint("1:a")))
    for _ in 0..<world.dice.below(3) {
      // A copy of its own origin, or the same request validated twice.
      let origin = world.dice.chance(70) ? nil : world.messages[first].origin
      world.put(.request(request, Fingerprint("1:a")), origin: origin, after: anyTime())
    }
    if world.dice.chance(25) {
      let other = try SagaSample.request(key: "key-0000000000000002")
      world.put(.request(other, Fingerprint("1:b")), after: anyTime())
    }
    if world.dice.chance(10) { world.put(.request(request, Fingerprint("1:other")), after: anyTime()) }
    if world.dice.chance(10) {
      let refusal = Refusal(.priceChanged, path: "/items/0", message: "Another price.")
      world.put(.refused(request.identity.attemptID, Fingerprint("1:a"), [refusal]), after: anyTime())
    }
    for _ in 0..<(world.dice.chance(40) ? 1 + world.dice.below(2) : 0) {
      world.put(.cancel(request.identity.checkout), after: anyTime())
    }
  }

  private func anyTime() -> TimeSpan {
    world.dice.chance(60) ? .milliseconds(Int64(world.dice.below(2000))) : .seconds(Int64(world.dice.below(120)))
  }

  private func chooseFaults() {
    let crashes = world.dice.pick([0, 1, 3, 6])
    let lossy = world.dice.pick([0, 10, 30, 60])
    let end = faultsEnd
    world.before = { world in
      guard world.now < end, crashes > 0, world.dice.below(200) < crashes else { return }
      let stage: Custody = world.dice.chance(60) ? .facade : .reconciliation
      switch world.dice.below(4) {
      case 0, 1: world.crash(stage)
      case 2: world.makeZombie(stage)
      default: world.revoke(stage)
      }
    }
    if world.dice.chance(20) {
      world.wireDelay = { .milliseconds($0.now < end && $0.dice.chance(30) ? Int64($0.dice.below(9000)) : 1) }
      world.journalDelay = { .milliseconds($0.now < end && $0.dice.chance(20) ? Int64($0.dice.below(8000)) : 1) }
    }
    world.fate = { world, call in
      guard world.now < end, world.dice.chance(lossy) else { return .good }
      return RandomSchedule.fault(of: call, &world.dice)
    }
  }

  private static func fault(of call: SagaCall, _ dice: inout Dice) -> Fate {
    switch dice.below(12) {
    case 0, 1, 2: return .lostReply
    case 3, 4: return .lostRequest
    case 5, 6: return .trouble(.notApplied(.transient, detail: "503"))
    case 7: return .trouble(.misconfigured(detail: "401"))
    case 8 where call.operation == .charge && call.hasEffect: return .slow(.seconds(600))
    case 9 where call.operation == .reserve: return .slow(.seconds(10))
    case 8, 9: return call.operation == .charge && call.hasEffect ? .slow(.seconds(10)) : .lostReply
    case 10: return dice.chance(20) ? .trouble(.notApplied(.permanent, detail: "422")) : .lostReply
    default: return .trouble(.unknown(detail: "500"))
    }
  }

  // MARK: To the end

  /// Runs the schedule until nothing is left to do; what was found broken.
  func run() -> [String] {
    guard world.run(until: faultsEnd) else { return ["a livelock while faults last"] }
    world.fate = { _, _ in .good }
    world.before = { _ in }
    var rounds = 0
    while !isAtRest {
      rounds += 1
      guard rounds < 200 else { return ["no rest after \(rounds) rounds: \(open)"] + check() }
      guard world.run(until: world.now + .seconds(rounds < 20 ? 400 : 7200)) else { return ["a livelock: \(open)"] }
      world.sweep()
      if rounds.isMultiple(of: 3) { letPersonsWork() }
    }
    return check()
  }

  private var open: [String] {
    let rows = world.journal.attempts.map {
      "\($0.state) \($0.charge.status) parked \($0.parked?.reason.rawValue ?? "no") watch \($0.watch?.nextAt.milliseconds ?? 0)"
    }
    let waiting = world.messages.filter { !$0.isCommitted }.map { "\($0.position.text) waits" }
    return rows + waiting + ["\(world.jobs.count) jobs"]
  }

  private var isAtRest: Bool {
    world.messages.allSatisfy(\.isCommitted) && world.jobs.isEmpty
      && world.journal.attempts.allSatisfy { row in
        row.hasEnded && row.parked == nil && (row.watch.map { $0.nextAt == .distantFuture } ?? true)
      }
  }

  /// A person retries twice, after making good what was refused, then closes by hand.
  private func letPersonsWork() {
    world.stock.refusesReleases = false
    world.payments.refusesRefunds = false
    world.receipts.refuses = false
    for row in world.journal.attempts where row.parked != nil {
      personsRetries += 1
      guard personsRetries > 2 else { return tell(row, nil, nil) }
      if row.holdsMoney || world.payments.held(at: world.now) > 0 {
        world.payments.refundOutside()
        tell(row, .failed, "bank transfer 1")
      } else {
        tell(row, world.dice.chance(50) ? .failed : .cancelled, nil)
      }
    }
  }

  private func tell(_ row: Attempt, _ resolution: ResolvedAs?, _ refundedOutside: String?) {
    wordsTold += 1
    world.put(
      .word(
        PersonsWord(
          attempt: row.identity, rowVersion: row.version, journalID: "journal-1", resolution: resolution, who: "ana",
          note: "", refundedOutside: refundedOutside)), origin: row.origin)
  }

  // MARK: Promises

  private func check() -> [String] {
    var complaints = world.violations + world.journal.violations + world.payments.violations
    complaints += answersComplaints() + moneyComplaints() + stockComplaints()
    return complaints
  }

  /// Each request and each cancellation has exactly one answer. A refusal is not remembered, so a request that was
  /// validated twice may be refused twice, under one id.
  private func answersComplaints() -> [String] {
    var counts: [Origin: Int] = [:]
    var refusals: Set<String> = []
    for event in world.published where event.type.isOutcome {
      if event.type == .rejected, !refusals.insert(event.id).inserted { continue }
      counts[event.origin, default: 0] += 1
    }
    var wanted: Set<Origin> = []
    for message in world.messages where message.stage == .facade { wanted.insert(message.origin) }
    return wanted.compactMap { origin in
      let count = counts[origin] ?? 0
      return count == 1 ? nil : "\(origin.position.text) has \(count) answers"
    }
  }

  private func moneyComplaints() -> [String] {
    var complaints: [String] = []
    let rows = world.journal.attempts
    let captures = world.payments.entries.filter { $0.status == .captured || $0.status == .authorised }
    let isFreeOrRefused = captures.count <= 1
    if !isFreeOrRefused { complaints.append("charged \(captures.count) times: \(captures)") }
    let isPaid = rows.contains { $0.state == .completed }
    let held = world.payments.held(at: .distantFuture)
    if isPaid, held != rows.first(where: { $0.state == .completed })?.amount.minor {
      complaints.append("completed, but \(held) is held")
    }
    if !isPaid, held != 0 { complaints.append("ended unpaid, but \(held) is held") }
    if world.receipts.sent.count > 1 { complaints.append("\(world.receipts.sent.count) receipts") }
    if isPaid, world.receipts.sent.isEmpty { complaints.append("completed without a receipt") }
    return complaints
  }

  private func stockComplaints() -> [String] {
    var complaints: [String] = []
    let known = Set(world.journal.attempts.flatMap { $0.holds.compactMap(\.reservationID) })
    let unknown = world.stock.holds.filter { !known.contains($0.id) }
    // A person who closes an attempt by hand has been told that its reserve is open.
    if !unknown.isEmpty, wordsTold == 0 { complaints.append("holds that no row knows: \(unknown)") }
    for row in world.journal.attempts {
      guard let endedAt = row.endedAt else { continue }
      let ids = row.holds.compactMap(\.reservationID)
      let kept = world.stock.kept(at: endedAt).filter { ids.contains($0.id) }
      switch row.state {
      case .completed:
        if world.traits.inventoryConfirms, kept.filter({ $0.status == .confirmed }).count != 1 {
          complaints.append("completed with \(kept)")
        }
      case .failed, .cancelled:
        if !kept.isEmpty { complaints.append("ended unpaid with \(kept)") }
      case .reserving, .charging, .receipting, .receiptPending, .releasing, .refunding: break
      }
    }
    return complaints
  }

  /// What happened, for whoever has to find out why.
  var report: String {
    let writes = world.journal.writes.map { write in
      "  \(write.writeID) \(write.row.state) \(write.row.charge.status) \(write.row.owedBy)"
    }
    let calls = world.calls.map { "  \($0.operation.rawValue)\($0.isLookUpCall ? " look-up" : "") \($0.key.text)" }
    let events = world.published.map { "  \($0.type.rawValue) for \($0.origin.position.text)" }
    return (["writes"] + writes + ["calls"] + calls + ["events"] + events).joined(separator: "\n")
  }
}

extension SagaCall {
  /// True for a question about an earlier call.
  var isLookUpCall: Bool { !hasEffect }
}
