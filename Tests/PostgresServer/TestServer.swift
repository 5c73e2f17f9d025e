// A real PostgreSQL for tests: started by them, gone with them, also when the test process is killed.

import Foundation
import Synchronization

/// What went wrong with the server itself.
package struct TestServerProblem: Error, CustomStringConvertible {
  /// One line.
  package let description: String
}

/// A running server in a temporary folder, reached by a Unix socket. A child process watches over it and stops it when this
/// process ends, however it ends.
package final class TestServer: Sendable {
  private static let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "serve.sh").path

  /// The server that all tests of this process share; each journal in it has a schema of its own.
  private static let shared = Mutex<TestServer?>(nil)

  /// Where its socket is.
  package let folder: String
  private let keeper: Keeper
  private let schemas = Mutex(0)

  /// The shared server, started by the first who asks.
  package static func sharedServer() throws -> TestServer {
    try shared.withLock { server in
      if let server { return server }
      let started = try TestServer()
      server = started
      return started
    }
  }

  /// Makes and starts a server; `settings` are lines of its configuration (`fsync=off`).
  package init(_ settings: [String] = []) throws {
    keeper = try Keeper(Self.script, settings)
    folder = try keeper.ask(nil)
    try keeper.ask("start")
  }

  /// Kills the postmaster with SIGKILL; its children end by themselves.
  package func crash() throws { try keeper.ask("crash") }

  /// Stops the server as a power cut would.
  package func stop() throws { try keeper.ask("stop") }

  /// Starts it again.
  package func start() throws { try keeper.ask("start") }

  /// Adds a line to its configuration (`fsync=off`); counts from the next start.
  package func set(_ setting: String) throws { try keeper.ask("set \(setting)") }

  /// The address of the database `postgres`.
  package var address: String { "postgres://postgres@/postgres?host=\(folder)" }

  /// The address of an empty schema that nobody else uses. It is made.
  package func emptySchema() throws -> String {
    let name = schemas.withLock { number in
      number += 1
      return "s\(getpid())_\(number)"
    }
    try run("CREATE SCHEMA \(name)")
    return "\(address)&options=-csearch_path%3D\(name)"
  }

  /// Runs SQL through `psql` as superuser; returns its rows, columns separated by `|`.
  @discardableResult
  package func run(_ sql: String, on address: String? = nil) throws -> [String] {
    let psql = Process()
    // Debian's own psql is a Perl program around this one.
    let plain = "/usr/lib/postgresql/15/bin/psql"
    let isThere = FileManager.default.isExecutableFile(atPath: plain)
    psql.executableURL = URL(filePath: isThere ? plain : "/usr/bin/psql")
    psql.arguments = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", address ?? self.address, "-c", sql]
    let (output, errors) = (Pipe(), Pipe())
    psql.standardOutput = output
    psql.standardError = errors
    try psql.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let trouble = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    psql.waitUntilExit()
    guard psql.terminationStatus == 0 else { throw TestServerProblem(description: "psql: \(trouble)") }
    return text.split(separator: "\n").map(String.init)
  }
}

/// The script that looks after a server, and the pipe by which it notices our end.
private final class Keeper: Sendable {
  private struct Pipes {
    let process: Process
    let commands: FileHandle
    let answers: FileHandle
    var pending = Data()
  }

  private let pipes: Mutex<Pipes>

  init(_ script: String, _ arguments: [String]) throws {
    let process = Process()
    let (commands, answers) = (Pipe(), Pipe())
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = [script] + arguments
    process.standardInput = commands
    process.standardOutput = answers
    // Other children of this process must not keep the pipe open when it ends.
    _ = fcntl(commands.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
    try process.run()
    pipes = Mutex(
      Pipes(
        process: process, commands: commands.fileHandleForWriting, answers: answers.fileHandleForReading))
  }

  deinit {
    pipes.withLock { pipes in
      try? pipes.commands.close()
      pipes.process.waitUntilExit()
    }
  }

  /// Sends a command (nil: none), waits for the answer and returns what stands behind its `ok`.
  @discardableResult
  func ask(_ command: String?) throws -> String {
    try pipes.withLock { pipes in
      if let command { try pipes.commands.write(contentsOf: Data("\(command)\n".utf8)) }
      while !pipes.pending.contains(0x0A) {
        let data = pipes.answers.availableData
        guard !data.isEmpty else { throw TestServerProblem(description: "the server's keeper has ended") }
        pipes.pending.append(data)
      }
      let line = pipes.pending.prefix { $0 != 0x0A }
      pipes.pending = Data(pipes.pending.dropFirst(line.count + 1))
      let answer = String(decoding: line, as: UTF8.self)
      guard answer.hasPrefix("ok") else { throw TestServerProblem(description: answer) }
      return String(answer.dropFirst(3))
    }
  }
}
