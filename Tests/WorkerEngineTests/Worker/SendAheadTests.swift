// Outputs that leave before their commit job, as without transactions: at once, in order, each once unless something breaks.

import CheckoutSimulation
import Testing

@testable import WorkerEngine

@Suite("Outputs sent ahead")
struct SendAheadTests {
  private func makeWorld(partitions: Int = 1) -> TestWorld {
    let world = TestWorld(partitions: partitions)
    world.broker.settings.sendsAhead = true
    return world
  }

  @Test("An output leaves when its message is finished, its offset when the job ends; nothing leaves twice")
  func leavesAtOnce() {
    let world = makeWorld()
    let worker = world.start()
    world.run()
    for value in ["a", "b", "c"] { world.send(value, key: value) }
    world.run()
    worker.endpoint.withholdsCommits = true
    worker.finish("a")
    worker.turn()
    #expect(world.values(of: "out") == ["a"])
    worker.finish("b")
    worker.turn()
    worker.finish("c")
    worker.turn()
    #expect(world.values(of: "out") == ["a", "b", "c"])
    #expect(world.committed() ?? 0 == 0)
    worker.endpoint.withholdsCommits = false
    world.run(rounds: 60)
    #expect(world.committed() == 3)
    #expect(world.values(of: "out") == ["a", "b", "c"])
    #expect(worker.health.counters.outputsCommitted == 3)
    #expect(worker.health.heldBytes == 0)
  }

  @Test("A crash between output and commit repeats the output; it loses none")
  func crashBeforeCommit() {
    let world = makeWorld()
    let first = world.start()
    world.run()
    for value in ["a", "b"] { world.send(value, key: value) }
    world.run()
    first.endpoint.withholdsCommits = true
    first.finish("b")
    first.turn()
    #expect(world.values(of: "out") == ["b"])
    world.kill(first)
    let second = world.start()
    world.run(rounds: 60)
    #expect(second.log.values == ["a", "b"])
    second.finish("a")
    second.finish("b")
    world.run(rounds: 60)
    #expect(world.values(of: "out") == ["b", "a", "b"])
    #expect(world.committed() == 2)
  }

  @Test("Partitions lost while outputs are out and not committed: the next owner does their messages again")
  func lostWhileOut() {
    let world = makeWorld()
    let worker = world.start()
    world.run()
    world.send("a", key: "k")
    world.run()
    worker.endpoint.withholdsCommits = true
    worker.finish("a")
    worker.turn()
    worker.endpoint.expel()
    world.run()
    worker.endpoint.withholdsCommits = false
    worker.endpoint.rejoin()
    world.run(rounds: 60)
    #expect(worker.log.values == ["a", "a"])
    worker.finish("a")
    world.run(rounds: 60)
    #expect(world.values(of: "out") == ["a", "a"])
    #expect(world.committed() == 1)
    #expect(worker.health.heldBytes == 0)
  }

  @Test("Revoked while outputs are out: they are committed before the partitions go, and come once")
  func revokedWhileOut() {
    let world = makeWorld(partitions: 2)
    let first = world.start()
    world.run()
    world.send("a", key: "k", partition: 0)
    world.send("b", key: "l", partition: 1)
    world.run()
    first.endpoint.withholdsCommits = true
    first.finish("a")
    first.finish("b")
    first.turn()
    let second = world.start()
    world.run(rounds: 5)
    first.endpoint.withholdsCommits = false
    world.run(rounds: 100)
    #expect(second.health.partitions == 1)
    #expect(world.committed(partition: 0) == 1)
    #expect(world.committed(partition: 1) == 1)
    #expect(world.values(of: "out").sorted() == ["a", "b"])
  }

  @Test("With a full queue outputs go with their jobs, in order, and none overtakes when there is room again")
  func fullQueue() {
    let world = makeWorld()
    var settings = TestWorld.settings
    settings.commitOutputsMax = 2
    let worker = world.start(settings)
    world.run()
    let values = (0..<9).map { "\($0)" }
    for value in values { world.send(value, key: nil) }
    world.run()
    worker.endpoint.withholdsCommits = true
    worker.finish("0")
    worker.turn()
    worker.endpoint.withholdsAhead = true
    for value in values[1..<4] { worker.finish(value) }
    worker.turn()
    worker.endpoint.withholdsAhead = false
    for value in values[4...] { worker.finish(value) }
    worker.turn()
    #expect(world.values(of: "out") == ["0"], "what is to come before has not left yet")
    worker.endpoint.withholdsCommits = false
    world.run(rounds: 100)
    #expect(world.values(of: "out") == values)
    #expect(world.committed() == 9)
  }

  @Test("Of a job with two refused outputs all others come once, and both messages are dead letters")
  func refused() {
    let world = makeWorld()
    world.broker.settings.recordBytesMax = 700
    let worker = world.start()
    world.run()
    for value in ["a", "b", "c", "d", "e"] { world.send(value, key: value) }
    world.run()
    let huge = Output(topic: "out", key: nil, value: Bytes(Array(repeating: 1, count: 701)), headers: [])
    worker.endpoint.withholdsCommits = true
    worker.finish("a")
    worker.inbox.put([.finish(worker.log.ticket("b"), [huge, huge])])
    worker.finish("c")
    worker.inbox.put([.finish(worker.log.ticket("d"), [huge])])
    worker.finish("e")
    worker.turn()
    #expect(world.values(of: "out") == ["a"])
    worker.endpoint.withholdsCommits = false
    world.run(rounds: 100)
    #expect(world.values(of: "out") == ["a", "c", "e"])
    #expect(world.broker.log(of: "dead").map(\.valueText).sorted() == ["b", "d"])
    #expect(world.committed() == 5)
    #expect(worker.health.counters.deadLetters == 2)
    #expect(worker.health.heldBytes == 0)
  }

  @Test("A partition whose finished set does not fit waits with its offsets; its outputs leave once")
  func setDoesNotFit() {
    let world = makeWorld(partitions: 2)
    let count = 12_000
    for number in 0..<count { world.send("\(number)", key: nil, partition: 0) }
    world.send("other", key: nil, partition: 1)
    var settings = TestWorld.settings
    settings.inFlightMax = count + 1
    let worker = world.start(settings)
    world.run()
    #expect(worker.log.open.count == count + 1)
    for number in stride(from: 1, to: count, by: 2) { worker.finish("\(number)") }
    worker.finish("other")
    world.run()
    #expect(world.values(of: "out").count == count / 2 + 1, "outputs do not wait")
    #expect(world.committed(partition: 1) == 1)
    #expect(worker.endpoint.pausedNow.count == 1)
    for commit in worker.endpoint.jobs.flatMap(\.offsets) { #expect(commit.metadata.utf8.count <= 4096) }
    for number in stride(from: 0, to: count, by: 2) { worker.finish("\(number)") }
    world.run(rounds: 60)
    #expect(worker.endpoint.pausedNow.isEmpty)
    #expect(world.committed() == Int64(count))
    #expect(world.values(of: "out").count == count + 1)
    #expect(Set(world.values(of: "out")).count == count + 1)
    #expect(worker.health.heldBytes == 0)
  }

  @Test("A full batch is committed at once, whatever the interval")
  func fullBatchIsDue() {
    let world = makeWorld()
    var settings = TestWorld.settings
    settings.commitOutputsMax = 2
    settings.commitIntervalNanoseconds = 3_600_000_000_000
    let worker = world.start(settings)
    world.run()
    for value in ["a", "b", "c", "d"] { world.send(value, key: nil) }
    world.run()
    // A job for the partition's beginning was due at once, because none was before.
    for (value, committed) in [("a", 0), ("b", 2), ("c", 2)] {
      worker.finish(value)
      world.run()
      #expect(world.committed() == Int64(committed))
    }
    #expect(worker.worker.nextDue.map { $0 > world.clock.now().boot } == true)
    worker.finish("d")
    world.run()
    #expect(world.committed() == 4)
  }
}
