// Committed offsets that cannot be gone on from: deleted messages, logs cut off, topics made again. Never a silent skip.

import CheckoutSimulation
import Testing
import WorkerEngine

@Suite("Lost positions")
struct LostPositionTests {
  /// How a log can be another one than that of the committed offset 4.
  enum Damage: CaseIterable {
    /// Made again, and longer already than the old one was.
    case madeAgainLonger
    /// Made again, and shorter.
    case madeAgainShorter
    /// Messages behind the committed offset were deleted before they were consumed.
    case deleted
  }

  private static let partition = TopicPartition(topic: "in", partition: 0)

  /// Four messages worked off and committed; then the damage, which leaves some new messages.
  private func world(_ damage: Damage) -> (TestWorld, expected: [String]) {
    let world = TestWorld()
    workOff(4, in: world)
    world.clock.advance(milliseconds: 5_000)
    switch damage {
    case .madeAgainLonger: world.broker.makeAgain("in")
    case .madeAgainShorter: world.broker.makeAgain("in")
    case .deleted: break
    }
    let count = damage == .madeAgainShorter ? 2 : 9
    for number in 0..<count { world.send("new-\(number)", key: nil) }
    if damage == .deleted { world.broker.deleteRecords(Self.partition, before: 6) }
    return (world, (damage == .deleted ? 2..<count : 0..<count).map { number in "new-\(number)" })
  }

  private func workOff(_ count: Int, in world: TestWorld) {
    for number in 0..<count { world.send("\(number)", key: nil) }
    let worker = world.start()
    world.run()
    for number in 0..<count { worker.finish("\(number)") }
    world.run()
    #expect(world.committed() == Int64(count))
    world.kill(worker)
  }

  private func settings(_ policy: OutOfRangePolicy) -> WorkerSettings {
    var settings = TestWorld.settings
    settings.outOfRange = policy
    return settings
  }

  @Test("By default the worker ends and says what to do; nothing was taken in", arguments: Damage.allCases)
  func fails(damage: Damage) {
    let (world, _) = world(damage)
    let worker = world.start()
    world.run()
    guard case .failed(let failure) = worker.status else { return #expect(Bool(false), "\(worker.status)") }
    #expect(failure.kind == .environment)
    #expect(failure.message.hasPrefix("in/0: "))
    #expect(failure.message.contains("worker.out_of_range"))
    #expect(worker.log.values.isEmpty)
    #expect(world.committed() == 4, "a person can still see where it was")
  }

  @Test("With `earliest` every message there is comes once, and the log says why", arguments: Damage.allCases)
  func earliest(damage: Damage) {
    let (world, expected) = world(damage)
    let worker = world.start(settings(.earliest))
    world.run()
    #expect(worker.log.values == expected)
    #expect(worker.log.deliveries.allSatisfy { delivery in delivery.offsetsWereLost })
    #expect(worker.health.counters.startsOver == 1)
    #expect(
      worker.notices.contains { notice in
        if case .startedOver(Self.partition, .earliest, _) = notice { true } else { false }
      })
    for value in expected { worker.finish(value) }
    world.run()
    #expect(world.values(of: "out").suffix(expected.count) == expected[...])
    world.kill(worker)
    let next = world.start()
    world.run()
    #expect(next.log.values.isEmpty, "committed on the new log")
    #expect(next.status == .running)
  }

  @Test("With `latest` what is there is left out, and what comes later is not", arguments: Damage.allCases)
  func latest(damage: Damage) {
    let (world, _) = world(damage)
    let worker = world.start(settings(.latest))
    world.run()
    #expect(worker.log.values.isEmpty)
    world.send("later", key: nil)
    world.run()
    #expect(worker.log.values == ["later"])
  }

  @Test("Messages deleted behind the frontier are no trouble: everything was consumed")
  func retentionBehindTheFrontier() {
    let world = TestWorld()
    workOff(4, in: world)
    world.broker.deleteRecords(Self.partition, before: 4)
    let worker = world.start()
    world.run()
    world.send("next", key: nil)
    world.run()
    #expect(worker.status == .running)
    #expect(worker.log.values == ["next"])
  }

  @Test("The same log is recognised over many restarts, also when nothing came meanwhile")
  func sameLog() {
    let world = TestWorld()
    workOff(4, in: world)
    for round in 0..<3 {
      let worker = world.start()
      world.run()
      #expect(worker.status == .running)
      #expect(worker.log.values.isEmpty)
      if round == 1 {
        world.send("more", key: nil)
        world.run()
        worker.finish("more")
        world.run()
      }
      world.kill(worker)
    }
    #expect(world.committed() == 5)
    world.clock.advance(milliseconds: 5_000)
    world.broker.makeAgain("in")
    for number in 0..<9 { world.send("new-\(number)", key: nil) }
    let last = world.start()
    world.run()
    #expect(last.log.values.isEmpty)
    guard case .failed = last.status else { return #expect(Bool(false), "\(last.status)") }
  }

  @Test("An unfinished message at the frontier tells the log as well")
  func unfinishedAtTheFrontier() {
    let world = TestWorld()
    for number in 0..<4 { world.send("\(number)", key: nil) }
    let first = world.start()
    world.run()
    first.finish("2")
    world.run()
    world.kill(first)
    world.clock.advance(milliseconds: 5_000)
    world.broker.makeAgain("in")
    for number in 0..<4 { world.send("new-\(number)", key: nil) }
    let second = world.start(settings(.earliest))
    world.run()
    #expect(second.log.values == ["new-0", "new-1", "new-2", "new-3"], "2 is another message now")
  }

  @Test("The other partitions go on where they were: what they had finished is not repeated")
  func otherPartitions() {
    let world = TestWorld(partitions: 2)
    let other = TopicPartition(topic: "in", partition: 1)
    for number in 0..<3 { world.send("a\(number)", key: nil, partition: 0) }
    for number in 0..<3 { world.send("b\(number)", key: nil, partition: 1) }
    let worker = world.start(settings(.earliest))
    world.run()
    for value in ["a0", "a1", "a2", "b1"] { worker.finish(value) }
    world.run()
    // Retention while the worker runs: what it reads next is gone.
    world.send("a3", key: nil, partition: 0)
    world.send("a4", key: nil, partition: 0)
    world.broker.deleteRecords(Self.partition, before: 4)
    world.run()
    #expect(worker.log.values.suffix(3).sorted() == ["a4", "b0", "b2"])
    #expect(worker.log.forgotten.count == 2, "b0 and b2 were under way")
    for delivery in worker.log.deliveries.suffix(3) { worker.finish(delivery.ticket) }
    world.run()
    #expect(world.values(of: "out").sorted() == ["a0", "a1", "a2", "a4", "b0", "b1", "b2"])
    #expect(world.broker.committed("g", other)?.offset == 3)
  }
}
