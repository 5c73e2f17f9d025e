// Carries a random plan out in a world and looks whether every promise was kept. The checks know topics, ledger and rows, and
// nothing of how the pipeline works.

import CheckoutCore
import CheckoutSandbox
import CheckoutSimulation
import CheckoutStages
import CheckoutWire
import WorkerEngine

/// One run and what is wrong with it.
struct RandomRun {
  let plan: RandomPlan
  let world: StageWorld
  /// Places of all messages sent.
  private var places: [String] = []
  private(set) var violations: [String] = []

  init(seed: UInt64) throws {
    plan = RandomPlan(seed: seed)
    world = try StageWorld { [plan] settings in plan.change(&settings) }
    try carryOut()
    try bringToAnEnd()
    try checkAnswers()
    try checkMoney()
  }

  private var pipeline: InMemoryPipeline { world.pipeline }

  // MARK: Acts

  private mutating func carryOut() throws {
    var now = TimeSpan.zero
    for (at, act) in plan.acts {
      pipeline.run(for: at - now)
      now = at
      try perform(act)
    }
  }

  private mutating func perform(_ act: PlannedAct) throws {
    let partitions = Int32(pipeline.settings.partitions)
    switch act {
    case .send(let order, let partition): places.append(world.send(order, partition: partition % partitions))
    case .cancel(let checkout, let partition):
      places.append(world.cancel(checkout, partition: partition % partitions))
    case .kill(let stage, let commit, let requests):
      if let worker = pipeline.workers(of: stage).first {
        pipeline.kill(worker, pendingCommit: commit, pendingRequests: requests)
      }
    case .start(let stage): try pipeline.start(stage)
    case .stop(let stage): pipeline.workers(of: stage).first?.requestStop()
    case .suspend(let stage, let isExpelled):
      guard let worker = pipeline.workers(of: stage).last else { return }
      worker.isSuspended = true
      if isExpelled { worker.endpoint.expel(told: false) }
    case .wakeAll: wakeAll()
    case .slowJournal(let stage, let request, let reply):
      pipeline.workers(of: stage).first?.journal?.setDelays(request: request, reply: reply)
    }
  }

  private func wakeAll() {
    for worker in pipeline.workers where worker.isSuspended {
      worker.isSuspended = false
      // Its client finds out by itself that the group has gone on.
      pipeline.run(for: .milliseconds(300))
      worker.endpoint.rejoin()
    }
  }

  /// All trouble is over; everything has to end by itself.
  private mutating func bringToAnEnd() throws {
    wakeAll()
    for stage in PipelineStage.allCases where !pipeline.workers(of: stage).contains(where: { $0.status == .running }) {
      try pipeline.start(stage)
    }
    for worker in pipeline.workers { worker.journal?.setDelays(request: .zero, reply: .zero) }
    for _ in 0..<3 {
      if !pipeline.settle(atMost: .hours(2)) { break }
      if world.rows.allSatisfy({ $0.hasEnded || $0.parked != nil }) { break }
      // What lies there without a message is the sweep's.
      pipeline.run(for: .seconds(900))
    }
    if pipeline.isStuck { violations.append("goes round in circles") }
    if !pipeline.isQuiet { violations.append("not all messages are finished after hours") }
    for worker in pipeline.workers {
      if case .failed(let failure) = worker.status { violations.append("\(worker.name) failed: \(failure.message)") }
    }
    for row in world.rows where !row.hasEnded && row.parked == nil {
      violations.append("\(row.identity.checkoutID) is still \(row.state)")
    }
  }

  // MARK: Promises

  /// G1: each message is answered, by one outcome under one id, or parked; equal ids, equal bytes.
  private mutating func checkAnswers() throws {
    var outcomes: [String: [StoredRecord]] = [:]
    var parked: Set<String> = []
    var byID: [String: StoredRecord] = [:]
    for record in pipeline.log(.rejections) + pipeline.log(.outcomes) {
      let event = try EventDecoder.outcome(record.message)
      let place = event.origin.position.place
      if event.type.isOutcome { outcomes[place, default: []].append(record) }
      if event.type == .parked { parked.insert(place) }
      if let first = byID[event.id], first.value != record.value || first.headers != record.headers {
        violations.append("two different events with the id of \(event.type.rawValue) for \(place)")
      }
      byID[event.id] = record
    }
    for place in places {
      let records = outcomes[place] ?? []
      let ids = Set(records.compactMap { $0.header("ce_id") })
      if ids.count > 1 { violations.append("\(place) has \(ids.count) outcomes") }
      if ids.isEmpty, !parked.contains(place), !isListedAsParked(place) { violations.append("\(place) has no answer") }
      if records.count > 1, !plan.isAtLeastOnce { violations.append("\(place) is answered \(records.count) times") }
    }
    for place in outcomes.keys.sorted() where !places.contains(place) {
      violations.append("an outcome for \(place), where nothing was sent")
    }
    for letter in pipeline.log(.deadLetters) {
      violations.append("a dead letter: \(letter.header("dlq-code") ?? "") \(letter.header("dlq-detail") ?? "")")
    }
  }

  /// A copy that waits for a parked attempt is answered when a person has ended it.
  private func isListedAsParked(_ place: String) -> Bool {
    world.rows.contains { row in
      row.parked != nil && row.waiting.contains { $0.origin.position.place == place }
    }
  }

  /// G2, G3, G7: what the services' ledger says against what was told.
  private mutating func checkMoney() throws {
    let report = try world.report()
    for checkout in report.doubleCharged { violations.append("\(checkout.checkoutID) was charged twice") }
    for checkout in report.doubleReceipted { violations.append("\(checkout.checkoutID) got two receipts") }
    for row in world.rows where try world.chargeSends(row) > world.chargeIntents(row) {
      violations.append("\(row.identity.checkoutID): a charge was sent without a journaled intent")
    }
    let rows = Dictionary(grouping: world.rows) { $0.identity.checkout }
    for (checkout, effects) in report.checkouts.sorted(by: { $0.key.checkoutID < $1.key.checkoutID }) {
      let rows = rows[checkout] ?? []
      let name = checkout.checkoutID
      if rows.contains(where: { $0.parked != nil }) { continue }
      if rows.contains(where: { $0.state == .completed }) {
        if effects.capturedMinor == effects.refundedMinor, effects.openAuthorisations == 0 {
          violations.append("\(name) is completed and no money is held")
        }
        if effects.receipts != 1 { violations.append("\(name) is completed with \(effects.receipts) receipts") }
        if effects.confirmedHolds != 1 || effects.openHolds != 0 {
          violations.append("\(name) is completed; holds: \(effects.openHolds) open, \(effects.confirmedHolds) sold")
        }
      } else {
        if effects.capturedMinor != effects.refundedMinor || effects.openAuthorisations > 0 {
          violations.append("\(name) ended unpaid and money is held")
        }
        if effects.openHolds + effects.confirmedHolds > 0 {
          violations.append("\(name) ended unpaid and holds stock")
        }
      }
    }
  }
}
