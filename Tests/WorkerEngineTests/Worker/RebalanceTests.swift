// Partitions come and go: drain, commit, forget, release, in this order and in bounded time.

import CheckoutSimulation
import Testing
import WorkerEngine

@Suite("Rebalance")
struct RebalanceTests {
  @Test("Revoked: what runs may end and is committed, then the partitions go to their next owner")
  func drainThenCommitThenRelease() {
    let world = TestWorld(partitions: 2)
    let first = world.start()
    world.run()
    for partition: Int32 in 0..<2 {
      world.send("p\(partition)", key: "k", partition: partition)
      world.send("q\(partition)", key: "k", partition: partition)
    }
    world.run()
    let second = world.start()
    world.run()
    #expect(first.log.drains == 1)
    #expect(first.health.draining)
    #expect(second.log.values.isEmpty, "the partitions are not free yet")
    first.finish("p0")
    first.finish("p1")
    world.run()
    #expect(world.values(of: "out") == ["p0", "p1"])
    #expect(first.log.forgotten.isEmpty)
    #expect(Set(first.log.values + second.log.values) == ["p0", "p1", "q0", "q1"])
    #expect(
      first.log.values.count + second.log.values.count == 4, "the messages behind were not started by the old owner")
    #expect(second.log.values.count == 1)
  }

  @Test("Revoked: work that does not end is taken away when the budget is spent, and done by the next owner")
  func stuckAtRevoke() {
    let world = TestWorld()
    let first = world.start()
    world.run()
    world.send("stuck", key: "a")
    world.send("quick", key: "b")
    world.run()
    first.finish("quick")
    let second = world.start()
    let begun = world.clock.now().boot
    while first.log.forgotten.isEmpty, world.clock.now().boot < begun + 20_000_000_000 { world.run(rounds: 1) }
    let waited = world.clock.now().boot - begun
    #expect(waited >= 5_000_000_000 && waited < 5_200_000_000, "after the budget of 5 s, not later: \(waited)")
    #expect(first.log.forgotten.map(\.offset) == [0])
    #expect(world.values(of: "out") == ["quick"])
    world.run()
    #expect((first.log.values + second.log.values).count { value in value == "stuck" } == 2, "its next owner has it")
  }

  @Test("Revoked: parked messages are not waited for")
  func parkedAtRevoke() {
    let world = TestWorld()
    let first = world.start()
    world.run()
    world.send("parked", key: "a")
    world.run()
    first.inbox.put([.park(first.log.ticket("parked"))])
    world.run()
    _ = world.start()
    world.run(rounds: 10)
    #expect(first.log.forgotten.map(\.offset) == [0])
  }

  @Test("Revoked while no commit ends: given back all the same")
  func commitNeverEnds() {
    let world = TestWorld()
    let first = world.start()
    world.run()
    world.send("a", key: "a")
    world.run()
    first.endpoint.withholdsCommits = true
    first.finish("a")
    world.run()
    _ = world.start()
    let begun = world.clock.now().boot
    while !first.notices.contains(.released(generation: 1, unfinished: 0, lost: false)),
      world.clock.now().boot < begun + 30_000_000_000
    { world.run(rounds: 1) }
    let waited = world.clock.now().boot - begun
    #expect(waited >= 10_000_000_000 && waited < 10_200_000_000)
  }

  @Test("Lost: everything is dropped at once and nothing is committed")
  func lost() {
    let world = TestWorld()
    let first = world.start()
    world.run()
    world.send("a", key: "a")
    world.send("b", key: "b")
    world.run()
    first.endpoint.withholdsCommits = true
    first.finish("a")
    world.run()
    first.endpoint.expel()
    world.run()
    #expect(first.log.forgotten.map(\.offset) == [1], "a was finished, only b is taken away")
    #expect(first.health.counters.losses == 1)
    #expect(!first.health.assigned)
    #expect(world.values(of: "out").isEmpty)
    let second = world.start()
    world.run()
    #expect(second.log.values == ["a", "b"])
  }

  @Test("A dropped commit ends all work of that assignment before the group says a word")
  func commitDropped() {
    let world = TestWorld()
    let first = world.start()
    world.run()
    world.send("a", key: "a")
    world.send("b", key: "b")
    world.run()
    first.endpoint.expel(told: false)
    first.finish("a")
    world.run()
    #expect(first.log.forgotten.map(\.offset) == [1])
    #expect(first.health.counters.commitsDropped == 1)
    let jobs = first.endpoint.jobs.count
    world.send("c", key: "c")
    world.run()
    #expect(first.endpoint.jobs.count == jobs, "no commit until the next assignment")
    #expect(first.log.values == ["a", "b"], "and nothing new is started")
  }

  @Test("A dropped commit that the group says nothing about: after a while the partitions are taken anew")
  func silentGroup() {
    let world = TestWorld()
    let worker = world.start()
    world.run()
    world.send("a", key: "a")
    world.send("b", key: "b")
    world.run()
    worker.endpoint.scriptedResults = [.dropped(detail: "a stale answer")]
    worker.finish("a")
    world.run()
    #expect(worker.log.values == ["a", "b"])
    #expect(worker.log.forgotten.count == 1)
    world.clock.advance(milliseconds: 15_000)
    world.run()
    #expect(worker.log.values == ["a", "b", "a", "b"])
    worker.finish("a")
    worker.finish("b")
    world.run()
    #expect(world.committed() == 2)
    #expect(world.values(of: "out") == ["a", "b"], "nothing of the dropped commit, everything of the next")
  }

  @Test("Answers to messages that were taken away do nothing")
  func lateAnswers() {
    let world = TestWorld()
    let worker = world.start()
    world.run()
    world.send("a", key: "a")
    world.run()
    let old = worker.log.ticket("a")
    let other = world.start()
    world.run(rounds: 6000)
    world.kill(other)
    world.run()
    #expect(worker.log.ticket("a") != old, "it came again under a new assignment")
    worker.inbox.put([
      .finish(old, [Output(topic: "out", key: nil, value: Bytes("late"), headers: [])]), .park(old), .unpark(old),
      .deadLetter(old, DeadLetter(code: "x", detail: "x")),
    ])
    world.run()
    #expect(world.values(of: "out").isEmpty)
    #expect(worker.health.counters.staleRequests == 4)
    worker.finish("a")
    worker.finish("a")
    world.run()
    #expect(world.values(of: "out") == ["a"], "finished twice is committed once")
  }

  @Test("What forget asks for is not committed")
  func forgetAsks() {
    let world = TestWorld()
    let worker = world.start()
    world.run()
    world.send("a", key: "a")
    world.run()
    worker.log.onForget = { tickets, turn in
      for ticket in tickets { turn.finish(ticket, Output(topic: "out", key: nil, value: nil, headers: [])) }
    }
    worker.endpoint.expel()
    world.run()
    #expect(world.broker.log(of: "out").isEmpty)
  }

  @Test("Records of an older assignment are dropped")
  func oldRecords() {
    let world = TestWorld()
    let worker = world.start()
    world.run()
    let record = Record(slot: 0, offset: 5, timestamp: 1, key: nil, value: nil, headers: [])
    worker.endpoint.deliver(.records([record], generation: 0))
    world.run()
    #expect(worker.log.deliveries.isEmpty)
    #expect(worker.health.counters.ignored == 1)
  }

  @Test("Pauses do not outlive an assignment")
  func pausedOverRebalance() {
    let world = TestWorld()
    let worker = world.start()
    worker.log.wantsPause = true
    world.run()
    #expect(worker.endpoint.pausedNow == [0])
    let other = world.start()
    world.run()
    world.kill(other)
    worker.log.wantsPause = false
    world.send("a", key: "a")
    world.run()
    #expect(worker.log.values == ["a"])
  }
}
