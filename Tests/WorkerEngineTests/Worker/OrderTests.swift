// Order within a key, freedom between keys, and messages that interrupt.

import CheckoutCore
import CheckoutSimulation
import Testing
import WorkerEngine

@Suite("Order")
struct OrderTests {
  @Test(
    "10,000 messages of 20 keys on one partition, finished in random order: each key's outputs are in order",
    arguments: [1, 2, 3])
  func keysInOrder(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let world = TestWorld()
    for number in 0..<10_000 { world.send("\(number)", key: "k\(Int.random(in: 0..<20, using: &random))") }
    let worker = world.start()
    var turns = 0
    while world.committed() != 10_000, turns < 20_000 {
      worker.turn()
      #expect(worker.log.open.count <= 20, "one of each key at most")
      for ticket in worker.log.open.shuffled(using: &random).prefix(Int.random(in: 0...20, using: &random)) {
        worker.finish(ticket)
      }
      world.clock.advance(milliseconds: 1)
      turns += 1
    }
    #expect(Set(world.values(of: "out")).count == 10_000)
    let outputs = Dictionary(grouping: world.broker.log(of: "out"), by: \.keyText)
    for (key, records) in outputs {
      let numbers = records.compactMap { record in Int(record.valueText) }
      #expect(numbers == numbers.sorted(), "key \(key)")
    }
  }

  @Test("A key that does not end holds up no other key, and none of its own overtakes it")
  func stuckKey() {
    let world = TestWorld()
    let worker = world.start()
    for value in ["a1", "a2", "b1", "c1", "b2"] { world.send(value, key: String(value.prefix(1))) }
    world.run()
    #expect(worker.log.values == ["a1", "b1", "c1"])
    worker.finish("b1")
    world.run()
    #expect(worker.log.values == ["a1", "b1", "c1", "b2"])
    worker.finish("b2")
    worker.finish("c1")
    world.run()
    #expect(world.values(of: "out") == ["b1", "b2", "c1"])
    #expect(world.committed() == 0)
    worker.finish("a1")
    world.run()
    #expect(worker.log.values.last == "a2")
    #expect(world.committed() == 1)
  }

  @Test("Messages without a key start side by side")
  func noKey() {
    let world = TestWorld()
    let worker = world.start()
    for value in ["x1", "x2", "x3"] { world.send(value, key: nil) }
    world.run()
    #expect(worker.log.values == ["x1", "x2", "x3"])
  }

  @Test("The same key on two partitions is two lanes")
  func keyPerPartition() {
    let world = TestWorld(partitions: 2)
    let worker = world.start()
    world.send("p0", key: "a", partition: 0)
    world.send("p1", key: "a", partition: 1)
    world.run()
    #expect(Set(worker.log.values) == ["p0", "p1"])
  }

  @Test("An interrupting message starts while the one before it runs")
  func interrupt() {
    let world = TestWorld()
    let worker = world.start()
    world.send("order", key: "a")
    world.send("cancel", key: "a", interrupting: true)
    world.run()
    #expect(worker.log.values == ["order", "cancel"])
  }

  @Test("An interrupting message waits for earlier ones that have not started; a later ordinary one waits for it")
  func interruptBehindWaiting() {
    let world = TestWorld()
    let worker = world.start()
    world.send("one", key: "a")
    world.send("two", key: "a")
    world.send("cancel", key: "a", interrupting: true)
    world.send("three", key: "a")
    world.run()
    #expect(worker.log.values == ["one"], "two has not started, so the cancellation has to wait")
    worker.finish("one")
    world.run()
    #expect(worker.log.values == ["one", "two", "cancel"])
    worker.finish("two")
    world.run()
    #expect(worker.log.values == ["one", "two", "cancel"], "three must not overtake the cancellation")
    worker.finish("cancel")
    world.run()
    #expect(worker.log.values == ["one", "two", "cancel", "three"])
  }

  @Test("Messages finished as they start follow each other in one turn")
  func sameTurn() {
    let world = TestWorld()
    let worker = world.start()
    worker.log.onStart = { delivery, turn in
      turn.finish(delivery.ticket, echo(delivery))
      return true
    }
    for number in 0..<50 { world.send("\(number)", key: "a") }
    world.run(rounds: 3)
    #expect(worker.log.values.count == 50)
    world.run()
    #expect(world.values(of: "out") == (0..<50).map { number in "\(number)" })
    #expect(world.committed() == 50)
    #expect(worker.health.lanes == 0)
    #expect(worker.health.heldBytes == 0)
  }

  @Test("With little room, partitions take turns")
  func fairness() {
    let world = TestWorld(partitions: 2)
    for number in 0..<1000 { world.send("a\(number)", key: nil, partition: 0) }
    for number in 0..<40 { world.send("b\(number)", key: nil, partition: 1) }
    var settings = TestWorld.settings
    settings.inFlightMax = 32
    let worker = world.start(settings)
    world.run(rounds: 2)
    for _ in 0..<3 {
      for ticket in worker.log.open { worker.finish(ticket) }
      world.run(rounds: 1)
    }
    let fromSecond = worker.log.values.prefix(96).count { value in value.hasPrefix("b") }
    #expect(fromSecond == 40, "a long first partition does not starve the second")
  }
}
