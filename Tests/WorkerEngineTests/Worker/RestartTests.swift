// Crashes and restarts: what was committed out of order is not done again, what was not is.

import CheckoutSimulation
import Testing
import WorkerEngine

@Suite("Restart")
struct RestartTests {
  @Test("Messages finished beyond the frontier are skipped after a crash and carried until the frontier passes them")
  func setSurvivesCrash() {
    let world = TestWorld()
    for number in 0..<6 { world.send("\(number)", key: "k\(number)") }
    let first = world.start()
    world.run()
    for value in ["1", "2", "4"] { first.finish(value) }
    world.run()
    #expect(world.committed() == 0)
    world.kill(first)

    let second = world.start()
    world.run()
    #expect(second.log.values == ["0", "3", "5"])
    #expect(second.health.counters.skipped == 3)
    second.finish("0")
    world.run()
    #expect(world.committed() == 3, "0, 1 and 2 are done")
    world.kill(second)

    let third = world.start()
    world.run()
    #expect(third.log.values == ["3", "5"], "4 is still known to be done")
    third.finish("3")
    third.finish("5")
    world.run()
    #expect(world.committed() == 6)
    #expect(world.values(of: "out") == ["1", "2", "4", "0", "3", "5"], "each once")
  }

  @Test("A set whose offsets have not come again yet is carried by commits made before")
  func setIsCarriedUnseen() {
    let world = TestWorld()
    for number in 0..<40 { world.send("\(number)", key: "k\(number)") }
    let first = world.start()
    world.run()
    for number in 30..<40 { first.finish("\(number)") }
    world.run()
    world.kill(first)

    var settings = TestWorld.settings
    settings.pollRecordsMax = 5
    let second = world.start(settings)
    second.turn()
    second.turn()
    #expect(second.log.values == ["0", "1", "2", "3", "4"])
    second.finish("3")
    second.turn()
    second.turn()
    world.clock.advance(milliseconds: 10)
    second.turn()
    world.kill(second, pendingCommit: .applied)

    let third = world.start()
    world.run()
    #expect(third.log.values.count == 29)
    #expect(!third.log.values.contains("3"))
    #expect(!third.log.values.contains("30"))
  }

  @Test("A crash while the commit was under way: applied means done, lost means done again", arguments: [true, false])
  func crashInCommit(applied: Bool) {
    let world = TestWorld()
    world.send("a", key: "a")
    let first = world.start()
    world.run()
    world.broker.settings.commitDelayNanoseconds = 1_000_000_000
    first.finish("a")
    world.run(rounds: 10)
    world.kill(first, pendingCommit: applied ? .applied : .lost)
    world.broker.settings.commitDelayNanoseconds = 0

    let second = world.start()
    world.run()
    #expect(second.log.values == (applied ? [] : ["a"]))
    if !applied { second.finish("a") }
    world.run()
    #expect(world.values(of: "out") == ["a"])
  }

  @Test("Gaps in the offsets count as done with the message after them")
  func gaps() {
    let world = TestWorld()
    let partition = TopicPartition(topic: "in", partition: 0)
    world.send("a", key: "a")
    world.broker.skipOffsets(partition, count: 3)
    world.send("b", key: "b")
    world.broker.skipOffsets(partition, count: 2)
    world.send("c", key: "c")
    let first = world.start()
    world.run()
    first.finish("c")
    first.finish("a")
    world.run()
    #expect(world.committed() == 4, "the offset of b")
    world.kill(first)
    let second = world.start()
    world.run()
    #expect(second.log.values == ["b"])
    second.finish("b")
    world.run()
    #expect(world.committed() == 8)
  }

  @Test("A message that comes twice is worked on once")
  func duplicates() {
    let world = TestWorld()
    let partition = TopicPartition(topic: "in", partition: 0)
    for number in 0..<4 { world.send("\(number)", key: "k\(number)") }
    let worker = world.start()
    world.run()
    worker.finish("0")
    worker.finish("2")
    world.run()
    worker.endpoint.redeliver(partition, back: 4)
    world.run()
    #expect(worker.log.values == ["0", "1", "2", "3"])
    #expect(worker.health.counters.duplicates == 4)
  }

  @Test("Without a committed offset the start is committed at once, and deliveries say that offsets were lost")
  func anchor() {
    let world = TestWorld()
    world.send("a", key: "a")
    let first = world.start()
    world.run()
    #expect(first.log.deliveries.map(\.offsetsWereLost) == [true])
    #expect(world.committed() == 0, "the anchor, though nothing is finished")
    world.kill(first)
    let second = world.start()
    world.run()
    #expect(second.log.deliveries.map(\.offsetsWereLost) == [false])
    world.kill(second)
    world.broker.deleteOffsets("g")
    let third = world.start()
    world.run()
    #expect(third.log.deliveries.map(\.offsetsWereLost) == [true])
  }

  @Test("Foreign and damaged metadata is ignored with a notice", arguments: ["somebody else's", "w1.x"])
  func foreignMetadata(metadata: String) {
    let world = TestWorld()
    for number in 0..<3 { world.send("\(number)", key: nil) }
    world.broker.setCommitted("g", TopicPartition(topic: "in", partition: 0), offset: 1, metadata: metadata)
    let worker = world.start()
    world.run()
    #expect(worker.log.values == ["1", "2"])
    #expect(
      worker.notices.contains { notice in
        if case .finishedSetIgnored = notice { true } else { false }
      })
  }

  @Test("A set of another journal stops the worker, unless it is adopted", arguments: [false, true])
  func otherContext(adopts: Bool) {
    let world = TestWorld()
    for number in 0..<3 { world.send("\(number)", key: nil) }
    var settings = TestWorld.settings
    settings.context = "journal-1"
    let first = world.start(settings)
    world.run()
    first.finish("1")
    world.run()
    world.kill(first)
    settings.context = "journal-2"
    settings.adoptsOtherContext = adopts
    let second = world.start(settings)
    world.run()
    if adopts {
      #expect(second.log.values == ["0", "2"])
    } else {
      guard case .failed(let failure) = second.status else { return #expect(Bool(false), "\(second.status)") }
      #expect(failure.kind == .fenced)
      #expect(second.log.values.isEmpty)
    }
  }
}
