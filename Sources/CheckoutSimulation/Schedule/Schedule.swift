// What happens in one run, drawn from its seed: the world, the messages, and everything done to workers, brokers, clocks and
// services. Each act can be left out without changing the others.

package import CheckoutCore
package import CheckoutWire
import CheckoutSandbox

/// What a message is, for those who check its answer.
package enum MessageKind: Hashable, Sendable {
  case request(SimulatedOrder)
  case cancellation(checkout: String)
  /// Ends in the dead letters.
  case poison(String)
  /// Has no value: is counted only.
  case tombstone
}

/// One worker's place: its process is started again under the same name.
package struct WorkerPlace: Hashable, Sendable {
  /// What it works on.
  package let stage: PipelineStage
  /// Which of the stage's workers, from 1.
  package let instance: Int
}

/// Something that is done to the world.
package enum Act: Hashable, Sendable {
  case send(MessageKind, key: String, partition: Int32)
  case kill(WorkerPlace, PendingCommit, PendingRequests)
  /// Starts the place's worker if none runs there.
  case start(WorkerPlace)
  /// SIGTERM.
  case stop(WorkerPlace)
  case suspend(WorkerPlace)
  case resume(WorkerPlace)
  case slowJournal(WorkerPlace, request: TimeSpan, reply: TimeSpan)
  case brokerDown(TimeSpan)
  case services(ServiceTrouble.Mode)
  case prices(raised: Bool)
  /// Sets a host's wall clock so far off.
  case setClock(WorkerPlace, TimeSpan)
  case setJournalClock(TimeSpan)
  /// Leaves offsets out, as compaction does.
  case gap(TopicRole, partition: Int32, count: Int)
  /// Deletes what every group has passed.
  case retention
}

/// An act, when it happens, and its number.
package struct ScheduledAct: Hashable, Sendable {
  /// Stays when others are left out.
  package let number: Int
  /// Since the world began.
  package let at: TimeSpan
  /// What is done.
  package let act: Act
}

/// A whole run, before it happens.
package struct Schedule: Sendable {
  /// Everything follows from it.
  package let seed: UInt64
  /// In the order of time.
  package private(set) var acts: [ScheduledAct] = []
  /// Workers that run from the beginning.
  package private(set) var places: [WorkerPlace] = []
  /// How many checkouts customers ask for.
  package private(set) var checkouts = 0
  /// True: outputs may come twice, offsets are a step of their own.
  package let isAtLeastOnce: Bool
  private var random: SplitMix64

  /// Draws a run.
  package init(seed: UInt64) {
    self.seed = seed
    var random = SplitMix64(seed: seed)
    isAtLeastOnce = random.chance(15)
    self.random = random
    for stage in PipelineStage.allCases {
      let count = self.random.pick([1, 1, 2, 2, 3])
      for instance in 1...count { places.append(WorkerPlace(stage: stage, instance: instance)) }
    }
    checkouts = self.random.pick([2, 4, 6, 10, 16])
    for number in 0..<checkouts { addCheckout(number) }
    for _ in 0..<self.random.below(3) { addOddMessage() }
    let troubles = self.random.pick([0, 2, 5, 9])
    for _ in 0..<troubles { addTrouble() }
    acts.sort { ($0.at, $0.number) < ($1.at, $1.number) }
  }

  private mutating func add(_ at: TimeSpan, _ act: Act) {
    acts.append(ScheduledAct(number: acts.count + 1, at: at, act: act))
  }

  private mutating func moment(upTo milliseconds: Int) -> TimeSpan {
    .milliseconds(Int64(random.below(milliseconds + 1)))
  }
}

// MARK: - The world

extension Schedule {
  /// The world the run happens in. `rates` replaces what goes wrong by itself; nil: drawn too.
  package func settings(takenBack: Set<FaultDecision>, rates: FaultRates?) -> PipelineSettings {
    var random = SplitMix64(seed: seed ^ 0xABCD)
    var settings = PipelineSettings(reference: SimulatedShop.reference(raised: false))
    settings.seed = seed
    settings.partitions = 1 + random.below(3)
    settings.journalDelivery = random.chance(60) ? .onFlush : .atOnce
    // Holds must not run out by themselves, or a forgotten one would not show; some sku's do.
    settings.sandbox.holdDuration = .hours(100)
    settings.sandbox.keyWindow = random.pick([.hours(24), .hours(24), .hours(24), .seconds(40), .seconds(90)])
    settings.sandbox.lookUpLag = random.pick([.zero, .zero, .seconds(5), .seconds(20)])
    settings.sandbox.slowChargeAfter = random.pick([.seconds(2), .seconds(7), .seconds(15)])
    settings.inFlightMax = random.pick([1, 3, 1024])
    settings.pollRecordsMax = random.pick([1, 4, 1024])
    settings.heldItemsMax = random.pick([3, 50, 50])
    let isLossy = random.chance(50)
    settings.network = SandboxNetwork(
      latencyMax: .milliseconds(Int64(random.below(801))), transientPerMille: isLossy ? random.below(60) : 0,
      lostCallPerMille: isLossy ? random.below(40) : 0, lostReplyPerMille: isLossy ? random.below(60) : 0)
    settings.isTransactional = !isAtLeastOnce
    settings.brokerLatencyMax = random.pick([.zero, .milliseconds(3), .milliseconds(50), .milliseconds(400)])
    settings.faultRates = rates ?? drawnRates(&random)
    settings.faultsTakenBack = takenBack
    settings.saga.sweepAge = .seconds(60)
    settings.saga.reconciliationBackoffMax = .seconds(60)
    return settings
  }

  private func drawnRates(_ random: inout SplitMix64) -> FaultRates {
    var rates = FaultRates()
    guard random.chance(70) else { return rates }
    for kind in FaultKind.allCases where random.chance(40) {
      switch kind {
      case .offsetsFencedInstance, .produceFatal, .beginFatal, .abortInvalidState: rates[kind] = random.below(10)
      case .commitFatalBefore, .commitFatalAfter: rates[kind] = random.below(30)
      case .serviceReplyTwice, .redelivered: rates[kind] = random.below(100)
      case .initRequestLost, .offsetsRequestLost, .commitRequestLost, .abortRequestLost, .initReplyLost,
        .offsetsReplyLost, .commitReplyLost, .abortReplyLost, .initConcurrent, .offsetsMessagesTimedOut,
        .commitMessagesTimedOut, .commitConflict, .produceQueueFull, .journalRequestLost, .journalReplyLost:
        rates[kind] = random.below(60)
      }
    }
    return rates
  }
}

// MARK: - Messages

extension Schedule {
  private static let tokens = [
    "pm_tok_visa_ok", "pm_tok_visa_ok", "pm_tok_visa_ok", "pm_tok_visa_ok", "pm_tok_declined_funds",
    "pm_tok_action_required", "pm_tok_slow", "pm_tok_slow", "pm_tok_unknown_captured", "pm_tok_unknown_absent",
    "pm_tok_transient_once", "pm_tok_refused", "pm_tok_partial_60", "pm_tok_refund_lost", "pm_tok_void_refused",
    "pm_tok_refund_declined",
  ]
  private static let emails = [
    "ana@example.com", "ana@example.com", "ana@example.com", "ana@example.com", "receipt-fail-3@example.com",
    "receipt-lost-reply@example.com", "receipt-permanent@example.com",
  ]
  private static let skus = [
    SimulatedShop.shortHoldSKU, SimulatedShop.noStockSKU, SimulatedShop.stickySKU, SimulatedShop.freeSKU,
  ]
  private static let poisons = [
    #"{"schema_version":1,"#, "[1,2]", #"{"schema_version":99,"checkout_id":"chk_0","merchant_id":"shop-eu"}"#, "\u{0}",
  ]

  private mutating func addCheckout(_ number: Int) {
    let start = moment(upTo: 20_000)
    var order = SimulatedOrder(checkout: "chk_\(number)", key: "key-0123456789-\(number)")
    order.token = random.pick(Self.tokens)
    order.email = random.pick(Self.emails)
    order.isManual = random.chance(25)
    if random.chance(12) { order.sku = random.pick(Self.skus) }
    if order.sku == SimulatedShop.freeSKU { order.price = 0 }
    send(order, at: start)
    while random.chance(35) { send(order, at: start + moment(upTo: random.pick([300, 20_000, 60_000]))) }
    if random.chance(12) {
      var other = order
      other.quantity = 2
      send(other, at: start + moment(upTo: 20_000))
    }
    if random.chance(20) {
      var again = order
      again.key += "-again"
      again.token = random.pick(Self.tokens)
      send(again, at: start + moment(upTo: 40_000))
    }
    while random.chance(30) {
      let at = start + moment(upTo: random.pick([300, 2_000, 20_000, 60_000]))
      let partition = partition()
      add(at, .send(.cancellation(checkout: order.checkout), key: order.checkout, partition: partition))
    }
  }

  private mutating func send(_ order: SimulatedOrder, at: TimeSpan) {
    let partition = partition()
    add(at, .send(.request(order), key: order.checkout, partition: partition))
  }

  /// Taken modulo the number of partitions. A key's messages stand in several partitions now and then.
  private mutating func partition() -> Int32 { Int32(random.chance(60) ? 0 : random.below(6)) }

  private mutating func addOddMessage() {
    let at = moment(upTo: 30_000)
    let key = "chk_\(random.below(max(1, checkouts)))"
    let partition = partition()
    if random.chance(40) {
      add(at, .send(.tombstone, key: key, partition: partition))
    } else {
      add(at, .send(.poison(random.pick(Self.poisons)), key: key, partition: partition))
    }
  }
}

// MARK: - Trouble

extension Schedule {
  private mutating func addTrouble() {
    let at = moment(upTo: 50_000)
    let stage = random.pick(PipelineStage.allCases + [.facade, .facade, .reconciliation])
    let place = WorkerPlace(stage: stage, instance: 1 + random.below(3))
    switch random.below(16) {
    case 0, 1, 2, 3:
      let commits: [PendingCommit] = isAtLeastOnce ? [.lost, .applied, .outputsOnly] : [.lost, .applied]
      add(at, .kill(place, random.pick(commits), random.pick([.lost, .applied])))
      add(at + moment(upTo: 15_000), .start(place))
    case 4: add(at, .start(place))
    case 5:
      add(at, .stop(place))
      add(at + moment(upTo: 30_000), .start(place))
    case 6, 7, 8:
      add(at, .suspend(place))
      add(at + moment(upTo: random.pick([3_000, 15_000, 40_000])), .resume(place))
    case 9, 10:
      let longest = random.chance(30) ? 6_000 : 50
      add(at, .slowJournal(place, request: moment(upTo: longest), reply: moment(upTo: longest)))
    case 11: add(at, .brokerDown(moment(upTo: 15_000)))
    case 12:
      add(at, .services(random.pick([.outage, .misconfigured])))
      add(at + moment(upTo: 40_000), .services(.working))
    case 13:
      add(at, .prices(raised: true))
      add(at + moment(upTo: 40_000), .prices(raised: false))
    case 14:
      add(at, .setClock(place, moment(upTo: 40_000) - .seconds(20)))
      add(at, .setJournalClock(moment(upTo: 20_000) - .seconds(10)))
    default:
      let partition = partition()
      add(at, .gap(random.pick([.requests, .validated, .pending]), partition: partition, count: 1 + random.below(9)))
      add(at + .seconds(5), .retention)
    }
  }
}

extension SplitMix64 {
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  mutating func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }
}
