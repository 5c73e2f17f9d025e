// One pass of the engine: Worker, KafkaBroker and a stage that hands every message on unchanged.

import Foundation
import KafkaAdapter
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
      for delivery in deliveries {
        let record = delivery.record
        turn.finish(
          delivery.ticket, Output(topic: out, key: record.key, value: record.value, headers: record.headers))
      }
    }

    mutating func resume(_ events: [Event], _ turn: inout Turn) {}
    mutating func tick(_ turn: inout Turn) {}
    mutating func drain(_ turn: inout Turn) {}
    mutating func forget(_ tickets: [Ticket], _ turn: inout Turn) {}
  }

  private final class Clock: EngineClock {
    func now() -> Moment {
      Moment(wall: read(CLOCK_REALTIME), boot: read(CLOCK_BOOTTIME))
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
      throw EngineBench.Problem(description: "engine-pass BROKERS GROUP MESSAGES OUT IN...")
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
    var start: (wall: Int64, cpu: Int64)?
    while true {
      let status = worker.turn(waitNanoseconds: 1_000_000_000)
      guard status == .running else { throw EngineBench.Problem(description: "\(status)") }
      let counters = worker.control.health.counters
      if start == nil, counters.accepted > 0 { start = (read(CLOCK_MONOTONIC), read(CLOCK_PROCESS_CPUTIME_ID)) }
      if counters.outputsCommitted >= count { break }
    }
    guard let start else { return }
    let wall = Double(read(CLOCK_MONOTONIC) - start.wall) / 1e9
    let cpu = Double(read(CLOCK_PROCESS_CPUTIME_ID) - start.cpu) / 1e9
    print("\(worker.control.health.counters.outputsCommitted) \(wall) \(cpu)")
    worker.control.requestStop()
    while worker.turn(waitNanoseconds: 10_000_000) == .running {}
  }
}

private func read(_ clock: clockid_t) -> Int64 {
  var time = timespec()
  // SAFETY: writes one timespec.
  _ = unsafe clock_gettime(clock, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
