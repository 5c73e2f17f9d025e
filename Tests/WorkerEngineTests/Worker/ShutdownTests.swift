// Stopping: started work may end, is committed, and the whole takes no longer than the grace.

import CheckoutSimulation
import Testing
import WorkerEngine

@Suite("Shutdown")
struct ShutdownTests {
  private func stop(_ worker: TestWorker, in world: TestWorld, limitMilliseconds: Int = 30_000) -> Int64 {
    let begun = world.clock.now().boot
    worker.worker.control.requestStop()
    for _ in 0..<limitMilliseconds where worker.status == .running { world.run(rounds: 1) }
    return (world.clock.now().boot - begun) / 1_000_000
  }

  @Test("An idle worker stops at once")
  func idle() {
    let world = TestWorld()
    let worker = world.start()
    world.run()
    let took = stop(worker, in: world)
    #expect(worker.status == .stopped(unfinished: 0, uncommitted: false))
    #expect(worker.endpoint.isClosed)
    #expect(took <= 2)
    #expect(worker.worker.nextDue == nil)
  }

  @Test("A worker stopped before its first turn stops cleanly")
  func beforeFirstTurn() {
    let world = TestWorld()
    let worker = world.start()
    _ = stop(worker, in: world)
    #expect(worker.status == .stopped(unfinished: 0, uncommitted: false))
  }

  @Test("Started work ends and is committed; nothing new starts")
  func drains() {
    let world = TestWorld()
    let worker = world.start()
    world.run()
    world.send("a1", key: "a")
    world.send("a2", key: "a")
    world.run()
    worker.worker.control.requestStop()
    world.run(rounds: 100)
    #expect(worker.log.drains == 1)
    world.send("b", key: "b")
    worker.finish("a1")
    world.run(rounds: 100)
    #expect(worker.status == .stopped(unfinished: 0, uncommitted: false))
    #expect(worker.log.values == ["a1"])
    #expect(world.values(of: "out") == ["a1"])
    #expect(world.committed() == 1)
  }

  @Test("Work that does not end is given up in time to commit and leave within the grace")
  func stuck() {
    let world = TestWorld()
    let worker = world.start()
    world.run()
    world.send("stuck", key: "a")
    world.send("quick", key: "b")
    world.run()
    worker.finish("quick")
    let took = stop(worker, in: world)
    #expect(worker.status == .stopped(unfinished: 1, uncommitted: false))
    #expect(worker.log.forgotten.map(\.offset) == [0])
    #expect(took < 25_000)
    #expect(world.values(of: "out") == ["quick"])
  }

  @Test("A broker that answers no commit does not hold it up either, and the status says what is open")
  func noCommits() {
    let world = TestWorld()
    let worker = world.start()
    world.run()
    world.send("a", key: "a")
    world.run()
    worker.endpoint.withholdsCommits = true
    worker.finish("a")
    let took = stop(worker, in: world)
    #expect(worker.status == .stopped(unfinished: 0, uncommitted: true))
    #expect(took <= 25_000)
  }

  @Test("A stop during a revoke keeps within the grace", arguments: [1, 3000])
  func stopDuringRevoke(delayMilliseconds: Int) {
    let world = TestWorld()
    let first = world.start()
    world.run()
    world.send("stuck", key: "a")
    world.run()
    _ = world.start()
    world.run(rounds: delayMilliseconds)
    let took = stop(first, in: world)
    #expect(first.status != .running)
    #expect(took <= 5_100)
    #expect(first.log.drains == 1)
  }

  @Test("A revoke during a stop is answered, then the worker ends")
  func revokeDuringStop() {
    let world = TestWorld()
    let first = world.start()
    world.run()
    world.send("stuck", key: "a")
    world.run()
    first.worker.control.requestStop()
    world.run(rounds: 10)
    let second = world.start()
    world.run(rounds: 5_100)
    #expect(first.status == .stopped(unfinished: 0, uncommitted: false))
    #expect(first.log.forgotten.count == 1)
    #expect(second.log.values == ["stuck"])
  }

  @Test("A fatal error ends the worker, closes the broker and is told")
  func fatal() {
    let world = TestWorld()
    let worker = world.start()
    world.run()
    world.send("a", key: "a")
    world.run()
    let failure = WorkerFailure(.fenced, "another worker has this identity")
    worker.endpoint.deliver(.fatal(failure))
    world.run()
    #expect(worker.status == .failed(failure))
    #expect(worker.log.forgotten.count == 1)
    #expect(worker.endpoint.isClosed)
  }

  @Test("A topic that does not exist is a failure of the environment")
  func noTopic() {
    let world = TestWorld()
    let endpoint = world.broker.connect(group: "g", topics: ["nowhere"])
    let worker = TestWorker(endpoint: endpoint, clock: world.clock, settings: TestWorld.settings, log: StageLog())
    worker.turn()
    #expect(worker.status == .failed(WorkerFailure(.environment, "topic nowhere does not exist")))
  }

  @Test("An offset outside the log ends the worker loudly instead of a partition that stands still")
  func outOfRange() {
    let world = TestWorld()
    let worker = world.start()
    world.run()
    worker.endpoint.deliver(.outOfRange(slot: 0, generation: 1, detail: "offset 7, log starts at 90"))
    world.run()
    guard case .failed(let failure) = worker.status else { return #expect(Bool(false), "\(worker.status)") }
    #expect(failure.kind == .environment)
    #expect(failure.message.contains("in"))
    #expect(failure.message.contains("offset 7, log starts at 90"))
  }
}
