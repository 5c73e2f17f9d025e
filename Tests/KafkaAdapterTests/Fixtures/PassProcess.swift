// A running TransactionalPass: a worker in a process of its own, to be killed.

import Foundation
import Testing

/// Owner of the process; kills it at the end.
final class PassProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var text = ""

  init(_ arguments: [String]) throws {
    let bundle = CommandLine.arguments.first { $0.contains(".xctest") } ?? CommandLine.arguments[0]
    var folder = URL(fileURLWithPath: bundle)
    let name = "TransactionalPass"
    while folder.path != "/", !FileManager.default.fileExists(atPath: folder.appending(path: name).path) {
      folder.deleteLastPathComponent()
    }
    process.executableURL = folder.appending(path: name)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit { kill() }

  /// Waits for a line of its output, or for its end.
  func waitForLine(_ line: String) {
    while !text.contains(line + "\n") {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { break }
      text += String(decoding: data, as: UTF8.self)
    }
  }

  /// The rest of its output, once it has ended by itself.
  func rest() -> String {
    text += String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    return text
  }

  func kill() {
    guard process.isRunning else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Asks it to leave; returns its exit code.
  func stop() -> Int32 {
    try? input.fileHandleForWriting.close()
    return waitForExit()
  }

  func waitForExit() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }
}
