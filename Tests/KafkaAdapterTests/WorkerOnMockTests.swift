// The whole way: the engine's worker on the Kafka adapter, messages in, messages out, with a rebalance in between.

import Glibc
import Operations
import Testing
import WorkerEngine

@testable import KafkaAdapter

private struct PassThrough: Stage {
  enum Event: Sendable {}

  var wantsPause: Bool { false }

  func lane(of record: Record) -> LaneRule { LaneRule(key: record.key, interrupting: false) }

  mutating func receive(_ deliveries: [Delivery], _ turn: inout Turn) {
    for delivery in deliveries {
      let record = delivery.record
      let output = Output(topic: "out", key: record.key, value: record.value, headers: record.headers)
      turn.finish(delivery.ticket, [output])
    }
  }

  mutating func resume(_ events: [Event], _ turn: inout Turn) {}
  mutating func tick(_ turn: inout Turn) {}
  mutating func drain(_ turn: inout Turn) {}
  mutating func forget(_ tickets: [Ticket], _ turn: inout Turn) {}
}

private final class MonotonicClock: EngineClock {
  func now() -> Moment { Moment(wall: monotonicNanoseconds(), boot: monotonicNanoseconds()) }
}

/// A worker on its own thread.
private struct RunningWorker {
  let control: WorkerControl
  let thread: NamedThread

  init(_ fixture: BrokerFixture) throws {
    let broker = try fixture.broker()
    let handedOut = Inbox<WorkerControl>()
    let alarm = WakeDescriptor()
    handedOut.onArrival { alarm.ring() }
    thread = try NamedThread(name: "worker") {
      let settings = WorkerSettings(
        group: "workers", stage: "pass", deadLetters: DeadLetterSettings(topic: "dead", digest: { _ in "" }))
      let worker = Worker(
        stage: PassThrough(), inbox: Inbox<PassThrough.Event>(), broker: broker, clock: MonotonicClock(),
        settings: settings)
      handedOut.put([worker.control])
      while worker.turn(waitNanoseconds: 100_000_000) == .running {}
    }
    alarm.wait(limitNanoseconds: 10_000_000_000)
    control = try #require(handedOut.take().first)
  }

  func stop() -> Bool {
    control.requestStop()
    return thread.waitForEnd(limitNanoseconds: 30_000_000_000)
  }
}

@Suite(.serialized)
struct WorkerOnMockTests {
  private func outputs(_ numbers: Range<Int>) -> [Output] {
    numbers.map { Output(topic: "in", key: Bytes("k\($0 % 50)"), value: Bytes("m\($0)"), headers: []) }
  }

  private func read(until count: Int, _ reader: KafkaReader, into seen: inout Set<Bytes>, turns: Int = 200) {
    for _ in 0..<turns where seen.count < count {
      for record in reader.read(waitNanoseconds: 200_000_000).records {
        if let value = record.value { seen.insert(value) }
      }
    }
  }

  @Test("every message comes out while a second worker joins and the first one leaves")
  func passThroughOverARebalance() throws {
    let fixture = try BrokerFixture(partitions: 4)
    let reader = try KafkaReader(settings: fixture.settings, topics: ["out"], from: .earliest)
    defer { reader.close() }
    var seen: Set<Bytes> = []
    let first = try RunningWorker(fixture)
    try fixture.publish(outputs(0..<2_000))
    read(until: 2_000, reader, into: &seen)
    #expect(seen.count == 2_000)
    let second = try RunningWorker(fixture)
    try fixture.publish(outputs(2_000..<4_000))
    for _ in 0..<200 where second.control.health.partitions != 2 || first.control.health.partitions != 2 {
      read(until: .max, reader, into: &seen, turns: 1)
    }
    #expect(first.control.health.partitions == 2)
    #expect(second.control.health.partitions == 2)
    try fixture.publish(outputs(4_000..<5_000))
    read(until: 5_000, reader, into: &seen)
    #expect(seen.count == 5_000)
    #expect(first.stop())
    try fixture.publish(outputs(5_000..<6_000))
    read(until: 6_000, reader, into: &seen)
    #expect(seen.count == 6_000)
    #expect(second.stop())
  }
}
