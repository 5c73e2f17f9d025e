// JournalHammer as a process of its own.

import Foundation

/// A running JournalHammer and its output.
package final class Hammer {
  private let process = Process()
  private let output = Pipe()
  private var pending = Data()

  /// Starts it; it stands beside the test bundle.
  package init(_ arguments: [String]) throws {
    let bundle = CommandLine.arguments.first { $0.contains(".xctest") } ?? CommandLine.arguments[0]
    var folder = URL(fileURLWithPath: bundle)
    while folder.path != "/", !FileManager.default.fileExists(atPath: folder.appending(path: "JournalHammer").path) {
      folder.deleteLastPathComponent()
    }
    process.executableURL = folder.appending(path: "JournalHammer")
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
  }

  /// Reads until that many whole lines are there, or the process closes its output.
  package func readLines(atLeast count: Int) -> [String] {
    var lines: [String] = []
    while lines.count < count {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { break }
      lines += whole(data)
    }
    return lines
  }

  /// Kills it with SIGKILL.
  package func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// What was still in the pipe, whole lines only.
  package func rest() -> [String] { readLines(atLeast: .max) }

  /// Its exit code, once it has ended.
  package func waitForExit() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }

  private func whole(_ data: Data) -> [String] {
    pending.append(data)
    guard let end = pending.lastIndex(of: 0x0A) else { return [] }
    let text = String(decoding: pending[..<end], as: UTF8.self)
    pending = Data(pending[pending.index(after: end)...])
    return text.split(separator: "\n").map(String.init)
  }
}
