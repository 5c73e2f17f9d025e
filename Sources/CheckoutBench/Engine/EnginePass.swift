// One pass of the engine: Worker, KafkaBroker and a stage that hands every message on unchanged.

import Foundation
import Glibc
import KafkaAdapter
import Operations
import Synchronization
import WorkerEngine

/// Runs in a process of its own, so that its CPU is the engine's alone.
struct EnginePass {
  private struct PassThrough: Stage {
    enum Event: Sendable {}

    let out: String
    var wantsPause: Bool { false }

    func lane(of record: Record) -> LaneRule { LaneRule(key: record.key, interrupting: false) }

    mutating func receive(_ deliveries: [Delivery], _ turn: inout Turn) {
      for index in deliveries.indices {
        turn.finish(deliveries[index].ticket, Output(topic: out, passing: deliveries[index].record))
      }
    }

    mutating func resume(_ events: [Event], _ turn: inout Turn) {}
    mutating func tick(_ turn: inout Turn) {}
    mutating func drain(_ turn: inout Turn) {}
    mutating func forget(_ tickets: [Ticket], _ turn: inout Turn) {}
  }

  private final class Clock: EngineClock {
    private let system = SystemClock()

    func now() -> Moment {
      Moment(wall: system.wallNanoseconds(), boot: system.bootNanoseconds())
    }
  }

  private let brokers: String
  private let group: String
  private let count: Int
  private let out: String
  private let topics: [String]
  private let delivery: DeliveryMode
  private let options: BenchOptions

  init(_ arguments: ArraySlice<String>) throws {
    options = try BenchOptions(arguments)
    brokers = try options.required("--brokers")
    group = try options.required("--group")
    out = try options.required("--out")
    topics = try options.required("--in").split(separator: ",").map(String.init)
    guard let count = options.number("--messages"),
      let delivery = DeliveryMode(rawValue: try options.required("--delivery"))
    else { throw BenchProblem("engine-pass needs --messages N and --delivery at-least-once|exactly-once") }
    self.count = count
    self.delivery = delivery
  }

  private func makeBroker() throws -> KafkaBroker {
    let settings = try KafkaSettings(
      brokers: brokers, properties: [KafkaProperty("receive.message.max.bytes", "2000000000")],
      log: { line in
        FileHandle.standardError.write(Data("\(line.facility): \(line.text)\n".utf8))
      })
    return try KafkaBroker(
      settings: settings, group: KafkaGroupSettings(group: group, topics: topics, delivery: delivery, workerName: group)
    )
  }

  /// `--size` and `--milliseconds` bound a commit job as they do a transaction of the C peer.
  private var limits: WorkerSettings {
    var limits = WorkerSettings(
      group: group, stage: "pass", deadLetters: DeadLetterSettings(topic: out, digest: { _ in "" }))
    limits.inFlightMax = 10_000
    if let size = options.number("--size") {
      limits.commitOutputsMax = size
      limits.commitBytesMax = .max
    }
    if let milliseconds = options.number("--milliseconds") {
      limits.commitIntervalNanoseconds = Int64(milliseconds) * 1_000_000
    }
    return limits
  }

  func run() throws {
    // As the program does.
    keepFreedMemory()
    let broker = try makeBroker()
    let worker = Worker(
      stage: PassThrough(out: out), inbox: Inbox<PassThrough.Event>(), broker: broker, clock: Clock(),
      settings: limits, notice: { _ in })
    let clock = ContinuousClock()
    var start: (wall: ContinuousClock.Instant, cpu: Int)?
    while true {
      let before = Glibc.clock()
      let status = worker.turn(waitNanoseconds: 1_000_000_000)
      guard status == .running else { throw BenchProblem("\(status)") }
      let counters = worker.control.health.counters
      if start == nil, counters.accepted > 0 { start = (clock.now, before) }
      if counters.outputsCommitted >= count { break }
    }
    guard let start else { return }
    let wall = (clock.now - start.wall) / .seconds(1)
    let cpu = Double(Glibc.clock() - start.cpu) / Double(CLOCKS_PER_SEC)
    let counters = worker.control.health.counters
    print("\(counters.outputsCommitted) \(wall) \(cpu) \(counters.commits)")
    worker.control.requestStop()
    while worker.turn(waitNanoseconds: 10_000_000) == .running {}
  }
}
