// A Kafka broker with transactions for tests: noida-db from .venv, started on a free port in a folder of its own.
//
// What it does otherwise than Kafka, so that no test expects it: it never gives a dead member's partitions to others (use
// static membership, or leave cleanly), takes offsets of any generation, never aborts a transaction that timed out, and
// gives a read_committed reader whose position lies behind an aborted transaction nothing of that producer any more
// (confluent-kafka gets nothing either). It has no long poll and ignores limits on the size of a fetch.

package import Foundation
package import KafkaAdapter

/// A running noida-db; ends with the object, its data as well.
package final class NoidaBroker {
  /// Why it cannot be used.
  package struct Unusable: Error, CustomStringConvertible {
    /// One line with what to do.
    package let description: String
  }

  /// `HOST:PORT`.
  package let brokers: String
  private let process: Process
  private let folder: URL

  /// False where tests that need it are skipped: it is not installed, and this is not CI (there they fail instead).
  package static var isExpected: Bool {
    FileManager.default.isExecutableFile(atPath: program.path) || ProcessInfo.processInfo.environment["CI"] != nil
  }

  /// What a skipped test says.
  package static let whenMissing = "noida-db is not installed: run scripts/bootstrap to have these tests"

  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let program = root.appending(path: ".venv/bin/noida-db")
  private static let python = root.appending(path: ".venv/bin/python")
  /// It ends by itself after so long, should the tests not be able to end it.
  private static let lifetimeSeconds = 300
  private static let startsMax = 3

  /// Starts it and waits until it answers. A port that somebody else was quicker to take is replaced.
  package init() throws {
    guard FileManager.default.isExecutableFile(atPath: NoidaBroker.program.path) else {
      throw Unusable(description: NoidaBroker.whenMissing)
    }
    folder = FileManager.default.temporaryDirectory.appending(
      path: "noida-\(ProcessInfo.processInfo.globallyUniqueString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for _ in 0..<NoidaBroker.startsMax {
      let port = try NoidaBroker.freePort()
      let process = try NoidaBroker.start(port: port, data: folder.appending(path: "data"))
      if NoidaBroker.answers(port: port, process) {
        self.process = process
        brokers = "127.0.0.1:\(port)"
        return
      }
      NoidaBroker.end(process)
    }
    throw Unusable(
      description: "noida-db did not start \(NoidaBroker.startsMax) times; try: \(NoidaBroker.program.path) start")
  }

  deinit {
    NoidaBroker.end(process)
    try? FileManager.default.removeItem(at: folder)
  }

  /// Becomes the broker: a test's thread blocks signals, its children would inherit that.
  private static let launcher = """
    import os, signal, sys
    from importlib.resources import files
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    signal.alarm(\(lifetimeSeconds))
    program = str(files("noida_db").joinpath("noida-db"))
    os.chmod(program, 0o755)
    os.execv(program, [program] + sys.argv[1:])
    """

  private static func start(port: Int, data: URL) throws -> Process {
    let process = Process()
    process.executableURL = python
    process.arguments = [
      "-c", launcher, "start", "--data-dir", data.path, "--host", "127.0.0.1", "--only", "kafka", "--kafka-port",
      "\(port)",
    ]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  /// Starts a program with no signal blocked: a test's thread blocks them, and its children inherit that.
  package static func process(_ program: String, _ arguments: [String]) throws -> Process {
    let process = Process()
    process.executableURL = python
    process.arguments = ["-c", unblocked, program] + arguments
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    return process
  }

  private static let unblocked = """
    import os, signal, sys
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.execv(sys.argv[1], sys.argv[1:])
    """

  private static func end(_ process: Process) {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  private static func freePort() throws -> Int {
    let process = Process()
    let output = Pipe()
    process.executableURL = python
    process.arguments = [
      "-c", "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])",
    ]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard let port = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw Unusable(description: "no free port could be found: \(text)")
    }
    return port
  }

  private static func answers(port: Int, _ process: Process) -> Bool {
    guard let settings = try? KafkaSettings(brokers: "127.0.0.1:\(port)"),
      let admin = try? KafkaAdmin(settings: settings)
    else { return false }
    for _ in 0..<20 where process.isRunning {
      if (try? admin.clusterID(limitMilliseconds: 1_000)) != nil { return process.isRunning }
    }
    return false
  }

  /// Client settings for it.
  package func settings(log: @escaping @Sendable (KafkaLogLine) -> Void = { _ in }) throws -> KafkaSettings {
    try KafkaSettings(brokers: brokers, properties: NoidaBroker.properties, log: log)
  }

  /// Properties that every client of it needs.
  package static var properties: [KafkaProperty] { [KafkaProperty("receive.message.max.bytes", "2000000000")] }

  /// Makes topics.
  package func createTopics(_ names: [String], partitions: Int) throws {
    let plans = names.map { TopicPlan(name: $0, partitions: partitions, replication: 1) }
    _ = try KafkaAdmin(settings: settings()).create(plans)
  }
}
