// Whole runs from a seed: random completions, workers that come, go, stall, crash and are put out, commits that are lost or
// slow, duplicates and gaps. With atomic commits: every message's output is there exactly once, and each key's in order. With
// outputs sent ahead: at least once, and each key's in order when each is counted where it came first.

import CheckoutCore
import CheckoutSimulation
import Testing
import WorkerEngine

@Suite("Random runs")
struct RandomRunTests {
  @Test("No message is missing, none is finished twice, keys keep their order", arguments: 1...60)
  func run(seed: UInt64) {
    var run = RandomRun(seed: seed)
    run.play(steps: 1500)
    run.finish()
    run.check()
  }

  @Test("With outputs sent ahead no message is missing and keys keep their order", arguments: 1...60)
  func runAhead(seed: UInt64) {
    var run = RandomRun(seed: seed, sendsAhead: true)
    run.play(steps: 1500)
    run.finish()
    run.check()
  }
}

/// One run; everything comes from its seed.
private struct RandomRun {
  private static let partitions = 3
  private static let workersMax = 3

  private let seed: UInt64
  private var random: SplitMix64
  private let world = TestWorld(partitions: RandomRun.partitions)
  private var settings = TestWorld.settings
  private var sent: [String: [String]] = [:]
  private var count = 0
  private var stalled: Set<ObjectIdentifier> = []

  init(seed: UInt64, sendsAhead: Bool = false) {
    self.seed = seed
    world.broker.settings.sendsAhead = sendsAhead
    random = SplitMix64(seed: seed)
    settings.inFlightMax = Int.random(in: 3...40, using: &random)
    settings.pollRecordsMax = Int.random(in: 1...50, using: &random)
    settings.commitOutputsMax = Int.random(in: 1...20, using: &random)
    settings.readyWatermarks = Watermarks(high: 20, low: 10)
    settings.windowWatermarks = Watermarks(high: 60, low: 40)
    settings.drainNanoseconds = Int64.random(in: 0...200_000_000, using: &random)
    settings.lastCommitNanoseconds = 100_000_000
    settings.shutdownGraceNanoseconds = 500_000_000
    world.broker.settings.rebalanceTimeoutNanoseconds = 400_000_000
  }

  mutating func play(steps: Int) {
    for _ in 0..<steps {
      disturb()
      if Int.random(in: 0..<3, using: &random) == 0 { send() }
      work(chance: 4)
    }
  }

  /// Everything is let run to its end.
  mutating func finish() {
    stalled = []
    // Nothing is sent any more: the ends are looked up once, not in each of thousands of steps.
    let ends = ends
    for _ in 0..<20_000 where !isDone(ends) {
      if world.workers.isEmpty { _ = world.start(settings) }
      for worker in world.workers {
        worker.endpoint.withholdsCommits = false
        worker.endpoint.withholdsAhead = false
        worker.log.wantsPause = false
        worker.endpoint.rejoin()
      }
      work(chance: 1)
    }
  }

  func check() {
    let outputs = world.broker.log(of: "out")
    let isDone = isDone(ends)
    guard isDone else { return #expect(isDone, "seed \(seed): lag is left") }
    var found = Dictionary(grouping: outputs, by: \.keyText).mapValues { records in records.map(\.valueText) }
    if world.broker.settings.sendsAhead {
      for (key, values) in found {
        var seen: Set<String> = []
        found[key] = values.filter { value in seen.insert(value).inserted }
      }
    } else {
      #expect(outputs.count == count, "seed \(seed): as many outputs as messages")
    }
    for key in sent.keys.sorted() { #expect(found[key] == sent[key], "seed \(seed), key \(key)") }
  }

  /// Of each partition the offset after its last message.
  private var ends: [Int64] {
    (0..<RandomRun.partitions).map { index in
      (world.broker.log(of: TopicPartition(topic: "in", partition: Int32(index))).last?.offset ?? -1) + 1
    }
  }

  private func isDone(_ ends: [Int64]) -> Bool {
    ends.indices.allSatisfy { index in
      (world.broker.committed("g", TopicPartition(topic: "in", partition: Int32(index)))?.offset ?? 0) >= ends[index]
    }
  }

  private mutating func send() {
    let key = "k\(Int.random(in: 0..<12, using: &random))"
    // A key's partition is fixed, as its producers fix it.
    let partition = Int32(key.utf8.reduce(0) { sum, byte in sum + Int(byte) } % RandomRun.partitions)
    world.send("\(count)", key: key, partition: partition)
    sent[key, default: []].append("\(count)")
    count += 1
    if Int.random(in: 0..<10, using: &random) == 0 {
      world.broker.skipOffsets(TopicPartition(topic: "in", partition: partition), count: 2)
    }
  }

  /// One turn of every worker that is not stalled, then time passes.
  private mutating func work(chance: Int) {
    for worker in world.workers where !stalled.contains(ObjectIdentifier(worker)) {
      for ticket in worker.log.open where Int.random(in: 0..<chance, using: &random) == 0 {
        worker.finish(ticket)
      }
      worker.turn()
      if worker.status != .running { world.kill(worker) }
    }
    world.clock.advance(milliseconds: Int64.random(in: 0...5, using: &random))
  }

  private mutating func disturb() {
    guard let victim = world.workers.randomElement(using: &random) else {
      _ = world.start(settings)
      return
    }
    let partition = TopicPartition(topic: "in", partition: Int32.random(in: 0..<3, using: &random))
    switch Int.random(in: 0..<150, using: &random) {
    case 0: if world.workers.count < RandomRun.workersMax { _ = world.start(settings) }
    case 1: world.kill(victim, pendingCommit: Bool.random(using: &random) ? .lost : .applied)
    case 2: victim.worker.control.requestStop()
    case 3: victim.endpoint.expel(told: Bool.random(using: &random))
    case 4: victim.endpoint.withholdsCommits.toggle()
    case 5: stalled.formSymmetricDifference([ObjectIdentifier(victim)])
    case 6: victim.log.wantsPause.toggle()
    case 7...9: victim.endpoint.redeliver(partition, back: Int64.random(in: 1...30, using: &random))
    case 11: victim.endpoint.withholdsAhead.toggle()
    case 10:
      if let ticket = victim.log.open.randomElement(using: &random) { victim.inbox.put([.park(ticket)]) }
    default: break
    }
    // A member that was put out and not told would wait for ever: Kafka would let it join again.
    for worker in world.workers where worker.endpoint.isOut {
      if Int.random(in: 0..<30, using: &random) == 0 { worker.endpoint.rejoin() }
    }
  }
}
