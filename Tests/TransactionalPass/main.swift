// A worker process that hands messages on exactly once, finishing them out of order, until its input is closed or it is
// killed.
//
// TransactionalPass BROKERS GROUP NAME IN OUT
//   prints "assigned" for each assignment, "failed fenced|environment: …" if it cannot go on (exit 4, 3)

import Foundation
import KafkaAdapter
import Operations
import WorkerEngine

/// Each seventh message takes 150 ms, so that those after it are finished first.
private struct OutOfOrder: Stage {
  enum Event: Sendable {}

  let out: String
  private var held: [(due: Int64, delivery: Delivery)] = []
  var wantsPause: Bool { false }

  init(out: String) { self.out = out }

  func lane(of record: Record) -> LaneRule { LaneRule(key: record.key, interrupting: false) }

  mutating func receive(_ deliveries: [Delivery], _ turn: inout Turn) {
    for delivery in deliveries {
      if delivery.record.offset % 7 == 0 {
        let due = turn.now.boot + 150_000_000
        held.append((due, delivery))
        turn.wake(at: due)
      } else {
        finish(delivery, &turn)
      }
    }
  }

  private func finish(_ delivery: Delivery, _ turn: inout Turn) {
    let record = delivery.record
    turn.finish(delivery.ticket, [Output(topic: out, key: record.key, value: record.value, headers: record.headers)])
  }

  mutating func resume(_ events: [Event], _ turn: inout Turn) {}

  mutating func tick(_ turn: inout Turn) {
    let now = turn.now.boot
    for entry in held where entry.due <= now { finish(entry.delivery, &turn) }
    held.removeAll { $0.due <= now }
    if let next = held.map(\.due).min() { turn.wake(at: next) }
  }

  mutating func drain(_ turn: inout Turn) {}

  mutating func forget(_ tickets: [Ticket], _ turn: inout Turn) {
    let gone = Set(tickets)
    held.removeAll { gone.contains($0.delivery.ticket) }
  }
}

private final class Clock: EngineClock {
  let system = SystemClock()
  func now() -> Moment { Moment(wall: system.wallNanoseconds(), boot: system.bootNanoseconds()) }
}

private func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

private func run(_ arguments: [String]) throws -> Int32 {
  let (group, name) = (arguments[1], arguments[2])
  let settings = try KafkaSettings(
    brokers: arguments[0], properties: [KafkaProperty("receive.message.max.bytes", "2000000000")],
    log: { line in FileHandle.standardError.write(Data("\(name) \(line.facility): \(line.text)\n".utf8)) })
  let broker = try KafkaBroker(
    settings: settings,
    group: KafkaGroupSettings(
      group: group, topics: [arguments[3]], instanceID: "\(group)-\(name)", delivery: .exactlyOnce, workerName: name))
  let worker = Worker(
    stage: OutOfOrder(out: arguments[4]), inbox: Inbox<OutOfOrder.Event>(), broker: broker, clock: Clock(),
    settings: WorkerSettings(
      group: group, stage: "pass", deadLetters: DeadLetterSettings(topic: arguments[4], digest: { _ in "" })),
    notice: { notice in if case .assigned = notice { say("assigned") } })
  let control = worker.control
  let stopper = try NamedThread(name: "stdin") {
    _ = FileHandle.standardInput.readDataToEndOfFile()
    control.requestStop()
  }
  defer { withExtendedLifetime(stopper) {} }
  while true {
    switch worker.turn(waitNanoseconds: 100_000_000) {
    case .running: continue
    case .stopped: return 0
    case .failed(let failure):
      switch failure.kind {
      case .fenced:
        say("failed fenced: \(failure.message)")
        return 4
      case .environment:
        say("failed environment: \(failure.message)")
        return 3
      }
    }
  }
}

guard CommandLine.arguments.count == 6 else {
  say("TransactionalPass BROKERS GROUP NAME IN OUT")
  exit(2)
}
exit(try run(Array(CommandLine.arguments.dropFirst())))
