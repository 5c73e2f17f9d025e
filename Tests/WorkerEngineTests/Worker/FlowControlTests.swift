// Every buffer is bounded, intake pauses and goes on, and what waits for long does not block the rest.

import CheckoutSimulation
import Testing
import WorkerEngine

@Suite("Flow control")
struct FlowControlTests {
  @Test("No more than the budget is with the stage")
  func budget() {
    let world = TestWorld()
    for number in 0..<100 { world.send("\(number)", key: nil) }
    var settings = TestWorld.settings
    settings.inFlightMax = 10
    let worker = world.start(settings)
    world.run()
    #expect(worker.log.open.count == 10)
    worker.finish("3")
    world.run()
    #expect(worker.log.open.count == 10)
    #expect(worker.log.values.last == "10")
  }

  @Test("Messages waiting for room close the intake at the high watermark and open it at the low one")
  func readyWatermarks() {
    let world = TestWorld()
    for number in 0..<1000 { world.send("\(number)", key: nil) }
    var settings = TestWorld.settings
    settings.inFlightMax = 10
    settings.pollRecordsMax = 20
    settings.readyWatermarks = Watermarks(high: 100, low: 50)
    let worker = world.start(settings)
    world.run(rounds: 100)
    #expect(worker.endpoint.pausedNow == [0])
    #expect(worker.health.ready >= 100 && worker.health.ready < 120, "at most one poll more")
    while worker.health.ready > 50 {
      for ticket in worker.log.open { worker.finish(ticket) }
      worker.turn()
      if worker.health.ready > 50 { #expect(worker.endpoint.pausedNow == [0], "closed until the low watermark") }
    }
    #expect(worker.endpoint.pausedNow.isEmpty)
    finishAll(worker, in: world)
    #expect(world.committed() == 1000)
  }

  @Test("Bytes held are bounded, whatever lanes they wait in")
  func bytes() {
    let world = TestWorld()
    for number in 0..<2000 { world.send(String(repeating: "x", count: 1000) + "\(number)", key: "same") }
    var settings = TestWorld.settings
    settings.bytesWatermarks = Watermarks(high: 100_000, low: 50_000)
    settings.pollRecordsMax = 10
    let worker = world.start(settings)
    world.run(rounds: 300)
    #expect(worker.endpoint.pausedNow == [0])
    #expect(worker.health.heldBytes >= 100_000 && worker.health.heldBytes < 112_000)
    finishAll(worker, in: world)
    #expect(world.committed() == 2000)
    #expect(worker.health.heldBytes == 0)
  }

  @Test("Outputs waiting for a commit count too: an unreachable broker closes the intake")
  func outputBytes() {
    let world = TestWorld()
    for number in 0..<2000 { world.send(String(repeating: "x", count: 1000) + "\(number)", key: nil) }
    var settings = TestWorld.settings
    settings.bytesWatermarks = Watermarks(high: 100_000, low: 50_000)
    settings.pollRecordsMax = 10
    let worker = world.start(settings)
    worker.log.onStart = { delivery, turn in
      turn.finish(delivery.ticket, echo(delivery))
      return true
    }
    worker.endpoint.withholdsCommits = true
    world.run(rounds: 500)
    #expect(worker.health.heldBytes < 125_000)
    #expect(worker.endpoint.pausedNow == [0])
    worker.endpoint.withholdsCommits = false
    world.run(rounds: 3000)
    #expect(world.committed() == 2000)
    #expect(world.values(of: "out").count == 2000)
  }

  @Test("A window that is too long pauses its own partition only")
  func window() {
    let world = TestWorld(partitions: 2)
    world.send("stuck", key: "s", partition: 0)
    for number in 0..<500 { world.send("a\(number)", key: "a\(number)", partition: 0) }
    var settings = TestWorld.settings
    settings.windowWatermarks = Watermarks(high: 100, low: 80)
    settings.pollRecordsMax = 10
    let worker = world.start(settings)
    worker.log.onStart = { delivery, turn in
      if text(delivery.record.value) == "stuck" { return false }
      turn.finish(delivery.ticket, echo(delivery))
      return true
    }
    world.run(rounds: 200)
    #expect(worker.endpoint.pausedNow.count == 1)
    #expect(worker.health.windowDepth >= 100 && worker.health.windowDepth < 110)
    for number in 0..<500 { world.send("b\(number)", key: "b\(number)", partition: 1) }
    world.run(rounds: 200)
    #expect(world.committed(partition: 1) == 500, "the other partition goes on")
    worker.finish("stuck")
    world.run(rounds: 300)
    #expect(world.committed(partition: 0) == 501)
  }

  @Test("The stage's pause stops intake and starts, not the loop; then everything goes on")
  func stagePause() {
    let world = TestWorld()
    let worker = world.start()
    world.run()
    worker.log.wantsPause = true
    world.send("a", key: "a")
    world.run()
    #expect(worker.endpoint.pausedNow == [0])
    #expect(worker.log.values.isEmpty)
    #expect(worker.health.isPolling(at: world.clock.now().boot))
    worker.log.wantsPause = false
    world.run()
    #expect(worker.log.values == ["a"])
  }

  @Test("A parked message frees its place in flight, its lane stays closed")
  func park() {
    let world = TestWorld()
    var settings = TestWorld.settings
    settings.inFlightMax = 1
    let worker = world.start(settings)
    world.run()
    for value in ["a1", "a2", "b1", "c1"] { world.send(value, key: String(value.prefix(1))) }
    world.run()
    #expect(worker.log.values == ["a1"])
    worker.inbox.put([.park(worker.log.ticket("a1"))])
    world.run()
    #expect(worker.log.values == ["a1", "b1"])
    #expect(worker.health.parked == 1)
    worker.inbox.put([.unpark(worker.log.ticket("a1"))])
    worker.finish("b1")
    world.run()
    #expect(worker.log.values == ["a1", "b1"], "a1 counts again: no room")
    #expect(worker.health.inFlight == 1)
    worker.finish("a1")
    world.run()
    #expect(worker.log.values == ["a1", "b1", "c1"] || worker.log.values == ["a1", "b1", "a2"])
    finishAll(worker, in: world)
    #expect(world.committed() == 4)
  }

  @Test("A parked message may be finished without coming back first")
  func finishParked() {
    let world = TestWorld()
    let worker = world.start()
    world.run()
    world.send("a1", key: "a")
    world.send("a2", key: "a")
    world.run()
    worker.inbox.put([.park(worker.log.ticket("a1"))])
    world.run()
    worker.finish("a1")
    world.run()
    #expect(worker.health.parked == 0)
    #expect(worker.health.inFlight == 1)
    #expect(worker.log.values == ["a1", "a2"])
  }

  @Test(
    "A partition whose finished set does not fit pauses, keeps its outputs back, and goes on when the frontier moves")
  func setDoesNotFit() {
    let world = TestWorld(partitions: 2)
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
    #expect(world.values(of: "out") == ["other"], "what cannot be recorded is not published")
    #expect(worker.endpoint.pausedNow.count == 1)
    for commit in worker.endpoint.jobs.flatMap(\.offsets) { #expect(commit.metadata.utf8.count <= 4096) }
    for number in stride(from: 0, to: count, by: 2) { worker.finish("\(number)") }
    world.run(rounds: 60)
    #expect(worker.endpoint.pausedNow.isEmpty)
    #expect(world.committed() == Int64(count))
    #expect(world.values(of: "out").count == count + 1)
    #expect(worker.health.heldBytes == 0)
  }

  @Test("A stage's first tick comes at the start, another when it was asked for, once")
  func tick() {
    let world = TestWorld()
    let start = world.clock.now().boot
    let worker = world.start()
    world.run()
    #expect(worker.log.ticks == [start])
    let due = world.clock.now().boot + 50_000_000
    worker.log.onStart = { _, turn in
      turn.wake(at: due + 20_000_000)
      turn.wake(at: due)
      return false
    }
    world.send("a", key: "a")
    world.run(rounds: 20)
    #expect(worker.worker.nextDue == due)
    world.run(rounds: 100)
    #expect(worker.log.ticks == [start, due])
  }

  @Test("A record that stays has storage of its own and does not keep its batch")
  func detached() {
    let world = TestWorld()
    let worker = world.start()
    world.run()
    let batch = Array("kvv".utf8) + [2, 0, 0, 0, 255, 255, 255, 255] + Array("xynext".utf8)
    let record = Record(
      slot: 0, offset: 0, timestamp: 7, storage: batch,
      layout: RecordLayout(key: 0..<1, value: 1..<3, headers: 3..<13, headerCount: 1))
    #expect(record.detached().storage == Array(batch.prefix(13)))
    #expect(record.payloadBytes == 5)
    #expect(record.detached().payloadBytes == 5)
    #expect(record.detached().key == Bytes("k"))
    #expect(record.detached().value == Bytes("vv"))
    #expect(record.detached().headers == [Header(name: Bytes("xy"), value: nil)])
    #expect(record.detached().timestamp == 7)
    worker.turn()
  }

  private func finishAll(_ worker: TestWorker, in world: TestWorld) {
    for _ in 0..<20_000
    where worker.health.inFlight + worker.health.ready > 0 || worker.health.uncommitted
      || worker.endpoint.hasArrivals
    {
      for ticket in worker.log.open { worker.finish(ticket) }
      worker.turn()
      world.clock.advance(milliseconds: 1)
    }
  }
}
