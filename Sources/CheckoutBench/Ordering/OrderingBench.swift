// Order by key beside its ideal: how long one partition takes whose messages must wait for earlier ones of their key.

import Foundation
import KafkaAdapter
import Operations
import WorkerEngine

/// 10,000 messages of 0 to 5 ms of waiting each, on one partition of a mock cluster in a process of its own.
struct OrderingBench {
  private static let messages = 10_000
  private static let topic = "ordering"

  private final class Clock: EngineClock {
    private let system = SystemClock()

    func now() -> Moment {
      Moment(wall: system.wallNanoseconds(), boot: system.bootNanoseconds())
    }
  }

  private let broker: String
  private let rounds: Int

  init(_ arguments: ArraySlice<String>) throws {
    let options = try BenchOptions(arguments)
    broker = try options.path("--broker")
    rounds = options.number("--rounds") ?? 3
  }

  func run() throws {
    let cases = [(20, 16), (1000, 16), (20, 1024), (1000, 1024)]
    let topics = cases.map { "\(Self.topic)-\($0.0)-\($0.1)" }
    let broker = try BrokerProcess(broker, partitions: 1, topics: topics)
    defer { broker.end() }
    for ((keys, inFlightMax), topic) in zip(cases, topics) {
      let work = OrderedWork(messages: Self.messages, keys: keys, seed: 20_261_130)
      try publish(work, topic, broker.bootstrap)
      var seconds: [Double] = []
      for round in 1...rounds {
        seconds.append(try pass(work, topic, "\(topic)-\(round)", broker.bootstrap, inFlightMax: inFlightMax))
      }
      let ideal = work.idealSeconds(inFlightMax: inFlightMax)
      print(
        """
        {"bench":"ordering","messages":\(Self.messages),"keys":\(keys),"in_flight_max":\(inFlightMax),\
        "rounds":\(rounds),"ideal_s":\(text(ideal)),"wall_s":\(text(median(seconds))),\
        "of_ideal":\(text(median(seconds) / ideal)),"out_of_order":0}
        """)
    }
  }

  private func publish(_ work: OrderedWork, _ topic: String, _ brokers: String) throws {
    let publisher = try KafkaPublisher(settings: KafkaSettings(brokers: brokers))
    let outputs = (0..<work.count).map { index in
      Output(topic: topic, key: Bytes("key-\(work.keys[index])"), value: Bytes("\(index)"), headers: [])
    }
    let failures = publisher.publish(outputs, limitNanoseconds: 60_000_000_000).compactMap { $0 }
    if let first = failures.first { throw BenchProblem("filling \(topic): \(first.message)") }
  }

  // Seconds from the first message handed to the stage until the last one's end.
  private func pass(
    _ work: OrderedWork, _ topic: String, _ group: String, _ brokers: String, inFlightMax: Int
  ) throws -> Double {
    let settings = try KafkaSettings(brokers: brokers)
    let broker = try KafkaBroker(settings: settings, group: KafkaGroupSettings(group: group, topics: [topic]))
    var limits = WorkerSettings(
      group: group, stage: "ordering", deadLetters: DeadLetterSettings(topic: topic, digest: { _ in "" }))
    limits.inFlightMax = inFlightMax
    let log = OrderLog(work)
    let worker = Worker(
      stage: TimerStage(log), inbox: Inbox<TimerStage.Event>(), broker: broker, clock: Clock(), settings: limits)
    while log.finished < work.count {
      let status = worker.turn(waitNanoseconds: 1_000_000_000)
      guard status == .running else { throw BenchProblem("\(status)") }
    }
    worker.control.requestStop()
    while worker.turn(waitNanoseconds: 10_000_000) == .running {}
    guard log.faults == 0, log.finishedOnce else {
      throw BenchProblem("\(log.faults) messages started before an earlier one of their key had ended")
    }
    return log.seconds
  }
}
