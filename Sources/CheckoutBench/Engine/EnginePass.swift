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

  init(_ arguments: ArraySlice<String>) throws {
    let list = Array(arguments)
    guard list.count >= 5, let count = Int(list[2]) else {
      throw BenchProblem("engine-pass BROKERS GROUP MESSAGES OUT IN...")
    }
    brokers = list[0]
    group = list[1]
    self.count = count
    out = list[3]
    topics = Array(list[4...])
  }

  func run() throws {
    let settings = try KafkaSettings(
      brokers: brokers,
      log: { line in
        FileHandle.standardError.write(Data("\(line.facility): \(line.text)\n".utf8))
      })
    let broker = try KafkaBroker(settings: settings, group: KafkaGroupSettings(group: group, topics: topics))
    var limits = WorkerSettings(
      group: group, stage: "pass", deadLetters: DeadLetterSettings(topic: out, digest: { _ in "" }))
    limits.inFlightMax = 10_000
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
    print("\(worker.control.health.counters.outputsCommitted) \(wall) \(cpu)")
    worker.control.requestStop()
    while worker.turn(waitNanoseconds: 10_000_000) == .running {}
  }
}
