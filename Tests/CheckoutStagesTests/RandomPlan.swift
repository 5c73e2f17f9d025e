// What happens in one random run, drawn from its seed: settings of the world, messages, and everything done to workers.

import CheckoutCore
import CheckoutSandbox
import CheckoutSimulation
import WorkerEngine

/// SplitMix64: the same numbers for the same seed, everywhere.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }

  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  mutating func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }

  mutating func milliseconds(upTo limit: Int) -> TimeSpan { .milliseconds(Int64(below(limit + 1))) }
}

/// Something that is done to the world.
enum PlannedAct {
  case send(Order, partition: Int32)
  case cancel(String, partition: Int32)
  case kill(PipelineStage, PendingCommit, PendingRequests)
  case start(PipelineStage)
  case stop(PipelineStage)
  case suspend(PipelineStage, isExpelled: Bool)
  case wakeAll
  case slowJournal(PipelineStage, TimeSpan, TimeSpan)
}

/// A whole run.
struct RandomPlan {
  let seed: UInt64
  private(set) var acts: [(at: TimeSpan, act: PlannedAct)] = []
  /// False: outputs and offsets are one transaction.
  let isAtLeastOnce: Bool
  private var random: SeededRandom

  private static let tokens = [
    "pm_tok_visa_ok", "pm_tok_visa_ok", "pm_tok_visa_ok", "pm_tok_declined_funds", "pm_tok_action_required",
    "pm_tok_slow", "pm_tok_slow", "pm_tok_unknown_captured", "pm_tok_unknown_absent", "pm_tok_transient_once",
    "pm_tok_refused", "pm_tok_partial_60", "pm_tok_refund_lost", "pm_tok_void_refused", "pm_tok_refund_declined",
  ]
  private static let emails = [
    "ana@example.com", "ana@example.com", "ana@example.com", "receipt-fail-3@example.com",
    "receipt-lost-reply@example.com", "receipt-permanent@example.com",
  ]

  init(seed: UInt64) {
    self.seed = seed
    var random = SeededRandom(seed: seed)
    isAtLeastOnce = random.chance(30)
    self.random = random
    for number in 0..<(4 + self.random.below(8)) { addCheckout(number) }
    for _ in 0..<self.random.below(10) { addTrouble() }
    acts.sort { $0.at < $1.at }
  }

  /// The world it happens in.
  func change(_ settings: inout PipelineSettings) {
    var random = SeededRandom(seed: seed ^ 0xABCD)
    settings.seed = seed
    settings.partitions = 1 + random.below(3)
    settings.journalDelivery = random.chance(50) ? .onFlush : .atOnce
    // Holds must not run out by themselves, or a forgotten one would not show.
    settings.sandbox.holdDuration = .hours(100)
    settings.sandbox.lookUpLag = random.pick([.zero, .zero, .seconds(5), .seconds(40)])
    settings.sandbox.slowChargeAfter = random.pick([.seconds(2), .seconds(7), .seconds(15)])
    settings.inFlightMax = random.pick([1, 3, 1024])
    settings.network = SandboxNetwork(
      latencyMax: random.milliseconds(upTo: 800), transientPerMille: random.below(60),
      lostCallPerMille: random.below(40), lostReplyPerMille: random.below(40))
    // Some services forget keys soon. (Without any memory a receipt that fails three times would fail for ever.)
    settings.sandbox.keyWindow = random.pick([.hours(24), .hours(24), .hours(24), .seconds(90), .hours(24)])
  }

  private mutating func addCheckout(_ number: Int) {
    let start = random.milliseconds(upTo: 30_000)
    var order = Order(checkout: "chk_\(number)", key: "key-0123456789-\(number)")
    order.token = random.pick(Self.tokens)
    order.email = random.pick(Self.emails)
    order.capture = random.pick(["automatic", "automatic", "manual"])
    if random.chance(10) { (order.sku, order.price) = ("SKU-SHORTHOLD", 2500) }
    acts.append((start, .send(order, partition: partition())))
    while random.chance(40) {
      acts.append((start + random.milliseconds(upTo: 20_000), .send(order, partition: partition())))
    }
    if random.chance(15) {
      var other = order
      other.quantity = 2
      acts.append((start + random.milliseconds(upTo: 20_000), .send(other, partition: partition())))
    }
    if random.chance(25) {
      var again = order
      again.key += "-again"
      again.token = random.pick(Self.tokens)
      acts.append((start + random.milliseconds(upTo: 40_000), .send(again, partition: partition())))
    }
    while random.chance(30) {
      let at = start + random.milliseconds(upTo: random.pick([2_000, 20_000, 60_000]))
      acts.append((at, .cancel(order.checkout, partition: partition())))
    }
  }

  /// Taken modulo the number of partitions.
  private mutating func partition() -> Int32 { Int32(random.below(6)) }

  private mutating func addTrouble() {
    let at = random.milliseconds(upTo: 60_000)
    let stage = random.pick(PipelineStage.allCases + [.facade, .facade, .reconciliation])
    switch random.below(6) {
    case 0, 1:
      let commits: [PendingCommit] = isAtLeastOnce ? [.lost, .applied, .outputsOnly] : [.lost, .applied]
      acts.append((at, .kill(stage, random.pick(commits), random.pick([.lost, .applied]))))
      acts.append((at + random.milliseconds(upTo: 15_000), .start(stage)))
    case 2: acts.append((at, .start(stage)))
    case 3:
      acts.append((at, .stop(stage)))
      acts.append((at + random.milliseconds(upTo: 30_000), .start(stage)))
    case 4:
      acts.append((at, .suspend(stage, isExpelled: random.chance(60))))
      acts.append((at + random.milliseconds(upTo: 40_000), .wakeAll))
    default:
      let isVerySlow = random.chance(30)
      acts.append(
        (
          at,
          .slowJournal(
            stage, random.milliseconds(upTo: isVerySlow ? 6_000 : 50),
            random.milliseconds(upTo: isVerySlow ? 6_000 : 50))
        ))
    }
  }
}
