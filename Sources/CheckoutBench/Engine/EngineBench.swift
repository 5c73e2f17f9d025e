// The engine at least once, the C peer and the Python peer: the same messages, one after the other, on a mock cluster in a process
// of its own.

import Foundation
import KafkaAdapter
import WorkerEngine

/// Starts the broker, fills it once, lets all pass the messages on in alternating rounds, prints the ratios of the medians.
struct EngineBench {
  static let partitions = 12
  static let messageBytes = 900
  /// What fits into twelve partitions of the mock cluster, which keeps about 5 MB of each.
  static let messagesPerTopic = 54_000

  private let broker: String
  private let peer: String
  /// A Python with confluent-kafka, and the program for it; nil: not asked for.
  private let python: (interpreter: String, program: String)?
  private let rounds: Int
  private let topics: [String]

  init(_ arguments: ArraySlice<String>) throws {
    let options = try BenchOptions(arguments)
    broker = try options.path("--broker")
    peer = try options.peer()
    python = try options.optional("--python").map { (interpreter: $0, program: try options.path("--python-peer")) }
    rounds = options.number("--rounds") ?? 5
    topics = (0..<(options.number("--topics") ?? 4)).map { "in-\($0)" }
  }

  func run() throws {
    let broker = Process()
    let pipe = Pipe()
    broker.executableURL = URL(fileURLWithPath: self.broker)
    broker.arguments = ["\(EngineBench.partitions)"] + topics + ["out"]
    broker.standardOutput = pipe
    try broker.run()
    defer { broker.terminate() }
    let line = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
    let brokers = line.trimmingCharacters(in: .whitespacesAndNewlines)
    let input = PassInput(brokers: brokers, messagesPerTopic: EngineBench.messagesPerTopic)
    for topic in topics { try input.fill(topic) }
    let count = topics.count * EngineBench.messagesPerTopic
    var table = PassTable(bench: "engine", messages: count, peer: "c")
    for round in 1...rounds {
      let peerArguments = [brokers, "\(EngineBench.partitions)", "\(count)", "out"] + topics
      try table.add("engine") {
        try Figures.measured(
          CommandLine.arguments[0],
          [
            "engine-pass", "--brokers", brokers, "--group", "round-\(round)", "--messages", "\(count)", "--out", "out",
            "--in", topics.joined(separator: ","), "--delivery", "at-least-once",
          ])
      }
      try table.add("c") { try Figures.measured(peer, peerArguments) }
      try table.add("c with headers") { try Figures.measured(peer, ["-H"] + peerArguments) }
      if let python {
        try table.add("python") { try Figures.measured(python.interpreter, [python.program] + peerArguments) }
      }
      table.report(round)
    }
    table.printMedians()
  }
}

/// What all sides read: messages of 900 bytes whose keys are all different within a topic.
struct PassInput {
  let brokers: String
  let messagesPerTopic: Int

  func fill(_ topic: String) throws {
    let publisher = try KafkaPublisher(settings: KafkaSettings(brokers: brokers))
    for start in stride(from: 0, to: messagesPerTopic, by: 9_000) {
      let outputs = (start..<min(start + 9_000, messagesPerTopic)).map { number in
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

/// The figures of all sides, round by round.
struct PassTable {
  let bench: String
  let messages: Int
  /// The side that the others are compared with.
  let peer: String
  private var sides: [(name: String, figures: [Figures])] = []

  init(bench: String, messages: Int, peer: String) {
    self.bench = bench
    self.messages = messages
    self.peer = peer
  }

  mutating func add(_ name: String, _ measure: () throws -> Figures) throws {
    let figures = try measure()
    guard figures.count == messages else { throw BenchProblem("\(name): \(figures.count) of \(messages) messages") }
    if let index = sides.firstIndex(where: { $0.name == name }) {
      sides[index].figures.append(figures)
    } else {
      sides.append((name, [figures]))
    }
  }

  /// The newest figures of all sides, for the one who watches.
  func report(_ round: Int) {
    let parts = sides.compactMap { side in
      side.figures.last.map { last in
        "\(side.name) \(text(last.wallPerMillion)) s wall, \(text(last.cpuPerMillion)) s CPU a million"
          + (last.commits > 0 ? " (\(last.commits) commits)" : "")
      }
    }
    FileHandle.standardError.write(Data("\(bench) round \(round): \(parts.joined(separator: "; "))\n".utf8))
  }

  /// One JSON line for each side: medians, and their ratios to the peer's. `wall_rate` above 1 is faster than the peer.
  func printMedians() {
    guard let base = sides.first(where: { $0.name == peer })?.figures else { return }
    for side in sides {
      let (wall, cpu) = (median(side.figures.map(\.wallPerMillion)), median(side.figures.map(\.cpuPerMillion)))
      print(
        """
        {"bench":"\(bench)","side":"\(side.name)","messages":\(messages),"rounds":\(side.figures.count),\
        "wall_per_million_s":\(text(wall)),"cpu_per_million_s":\(text(cpu)),\
        "cpu_ratio":\(text(cpu / median(base.map(\.cpuPerMillion)))),\
        "wall_rate":\(text(median(base.map(\.wallPerMillion)) / wall))}
        """)
    }
  }
}
