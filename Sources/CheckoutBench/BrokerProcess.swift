// The benchmarks' broker: bench/broker.c in a process of its own.

import Foundation

/// A mock cluster with topics; ends when told to.
final class BrokerProcess {
  /// Bootstrap list for clients.
  let bootstrap: String
  private let process = Process()

  init(_ program: String, partitions: Int, topics: [String]) throws {
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = ["\(partitions)"] + topics
    process.standardOutput = pipe
    try process.run()
    let line = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
    bootstrap = line.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  func end() {
    process.terminate()
    process.waitUntilExit()
  }
}
