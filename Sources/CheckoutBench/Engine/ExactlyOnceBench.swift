// The engine exactly once against the C peer: transactions of 5,000 messages and of 50 ms, on a broker that has transactions.

import Foundation
import KafkaAdapter
import NoidaFixture

/// Starts noida-db, fills a topic, lets both sides pass the messages on in alternating rounds, prints the ratios of the medians.
struct ExactlyOnceBench {
  private static let partitions = 12
  /// So few that a fetch, which brings all of a partition there is, stays a bearable answer.
  private static let messages = 120_000

  private let peer: String
  private let rounds: Int

  init(_ arguments: ArraySlice<String>) throws {
    let options = try BenchOptions(arguments)
    peer = try options.peer()
    rounds = options.number("--rounds") ?? 5
  }

  func run() throws {
    let noida = try NoidaBroker()
    try noida.createTopics(["in"], partitions: ExactlyOnceBench.partitions)
    try PassInput(brokers: noida.brokers, messagesPerTopic: ExactlyOnceBench.messages).fill("in")
    for (name, size, milliseconds) in [("5000", 5_000, 0), ("50ms", ExactlyOnceBench.messages, 50)] {
      var table = PassTable(bench: "exactly-once-\(name)", messages: ExactlyOnceBench.messages, peer: "c")
      for round in 1...rounds {
        try pass(noida, "\(name)-\(round)", size, milliseconds, into: &table)
        table.report(round)
      }
      table.printMedians()
    }
  }

  private func pass(
    _ noida: NoidaBroker, _ round: String, _ size: Int, _ milliseconds: Int, into table: inout PassTable
  ) throws {
    // Topics of their own: what the rounds before have written costs the broker nothing.
    try noida.createTopics(["out-engine-\(round)", "out-c-\(round)"], partitions: ExactlyOnceBench.partitions)
    try table.add("engine") {
      try Figures.measured(
        CommandLine.arguments[0],
        [
          "engine-pass", "--brokers", noida.brokers, "--group", "round-\(round)", "--out", "out-engine-\(round)",
          "--messages", "\(ExactlyOnceBench.messages)", "--in", "in", "--delivery", "exactly-once", "--size", "\(size)",
        ] + (milliseconds > 0 ? ["--milliseconds", "\(milliseconds)"] : []))
    }
    try table.add("c") {
      try Figures.measured(
        peer,
        [noida.brokers, "\(ExactlyOnceBench.messages)", "\(size)", "\(milliseconds)", "out-c-\(round)", "in"])
    }
  }
}
