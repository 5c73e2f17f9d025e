// The engine against the C peer: the same messages, one after the other, on a mock cluster in a process of its own.

import Foundation
import KafkaAdapter
import WorkerEngine

/// Starts the broker, fills it once, lets both pass the messages on in alternating rounds, prints the medians' ratio.
struct EngineBench {
  static let partitions = 12
  static let messageBytes = 900
  /// What fits into twelve partitions of the mock cluster, which keeps about 5 MB of each.
  static let messagesPerTopic = 54_000

  private let broker: String
  private let peer: String
  private let rounds: Int
  private let topics: [String]

  init(_ arguments: ArraySlice<String>) throws {
    let options = try BenchOptions(arguments)
    broker = try options.path("--broker")
    peer = try options.peer()
    rounds = options.number("--rounds") ?? 5
    topics = (0..<(options.number("--topics") ?? 4)).map { "in-\($0)" }
  }

  func run() throws {
    let me = CommandLine.arguments[0]
    let broker = Process()
    let pipe = Pipe()
    broker.executableURL = URL(fileURLWithPath: self.broker)
    broker.arguments = ["\(EngineBench.partitions)"] + topics + ["out"]
    broker.standardOutput = pipe
    try broker.run()
    defer { broker.terminate() }
    let line = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
    let brokers = line.trimmingCharacters(in: .whitespacesAndNewlines)
    try fill(brokers)
    let count = topics.count * EngineBench.messagesPerTopic
    var engine: [Figures] = []
    var c: [Figures] = []
    for round in 1...rounds {
      let ours = try Figures.measured(me, ["engine-pass", brokers, "round-\(round)", "\(count)", "out"] + topics)
      let theirs = try Figures.measured(peer, [brokers, "\(EngineBench.partitions)", "\(count)", "out"] + topics)
      engine.append(ours)
      c.append(theirs)
      report("round \(round)", ours, theirs)
    }
    let cpu = median(engine.map(\.cpuPerMillion)) / median(c.map(\.cpuPerMillion))
    let wall = median(engine.map(\.wallPerMillion)) / median(c.map(\.wallPerMillion))
    print(
      """
      {"bench":"engine","messages":\(count),"rounds":\(rounds),"cpu_per_million_s":\(text(median(engine.map(\.cpuPerMillion)))),\
      "peer_cpu_per_million_s":\(text(median(c.map(\.cpuPerMillion)))),"cpu_ratio":\(text(cpu)),"wall_ratio":\(text(wall))}
      """)
  }

  private func fill(_ brokers: String) throws {
    let publisher = try KafkaPublisher(settings: KafkaSettings(brokers: brokers))
    for topic in topics {
      for start in stride(from: 0, to: EngineBench.messagesPerTopic, by: 9_000) {
        let outputs = (start..<start + 9_000).map { number in
          let digits = String(number, radix: 16)
          let key = Bytes("chk_" + String(repeating: "0", count: 32 - digits.count) + digits)
          let padding = [UInt8](repeating: UInt8(ascii: "x"), count: EngineBench.messageBytes - key.count)
          return Output(topic: topic, key: key, value: Bytes(key.array + padding), headers: [])
        }
        let failures = publisher.publish(outputs, limitNanoseconds: 60_000_000_000).compactMap { $0 }
        if let first = failures.first { throw BenchProblem("filling \(topic): \(first.message)") }
      }
    }
  }

  private func report(_ name: String, _ ours: Figures, _ theirs: Figures) {
    let line =
      "\(name): engine \(text(ours.wallPerMillion)) s wall, \(text(ours.cpuPerMillion)) s CPU a million; "
      + "C \(text(theirs.wallPerMillion)) s wall, \(text(theirs.cpuPerMillion)) s CPU a million\n"
    FileHandle.standardError.write(Data(line.utf8))
  }
}
