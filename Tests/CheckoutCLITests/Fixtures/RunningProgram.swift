// A child process whose output, signals and end a test can wait for; it never outlives its owner.

import Foundation
import Operations
import Synchronization

/// How a program ended.
struct Ending: Equatable {
  /// Exit code, or the signal that ended it.
  let status: Int32
  let bySignal: Bool

  static func exit(_ code: Int32) -> Ending { Ending(status: code, bySignal: false) }
  static func signal(_ number: Int32) -> Ending { Ending(status: number, bySignal: true) }
}

/// What a program that has ended left behind.
struct Finished {
  let ending: Ending
  let output: String
  let errors: String

  var lines: [String] { output.split(separator: "\n").map(String.init) }
}

/// A child process, waited for on conditions only: a line, an end, each with a limit.
final class RunningProgram {
  /// One start at a time: a child inherits every open descriptor, so the ends of a pipe that belongs to a child being
  /// started would live on in a child started beside it, and the first one's end would not be seen.
  private static let turn = Mutex(())

  private let process = Process()
  private let heard = Heard()

  /// Starts `path`. Of our environment only what no setting can come from is passed on.
  init(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.currentDirectoryURL = Project.root
    let inherited = ProcessInfo.processInfo.environment.filter { name, _ in
      !name.hasPrefix("CHECKOUT_") && name != "NO_COLOR"
    }
    process.environment = inherited.merging(environment) { _, own in own }
    process.standardInput = FileHandle.nullDevice
    let heard = heard
    process.terminationHandler = { process in
      let ending = Ending(
        status: process.terminationStatus, bySignal: process.terminationReason == .uncaughtSignal)
      heard.change { $0.ending = ending }
    }
    try Self.turn.withLock { _ in
      process.standardOutput = heard.pipe { $0.output += $1 }
      process.standardError = heard.pipe { $0.errors += $1 }
      try process.run()
    }
  }

  deinit { kill() }

  var id: Int32 { process.processIdentifier }

  /// What it has written so far.
  var output: String { heard.look { String(decoding: $0.output, as: UTF8.self) } }
  var errors: String { heard.look { String(decoding: $0.errors, as: UTF8.self) } }

  /// Nil while it runs.
  var ending: Ending? { heard.look { $0.ending } }

  func send(_ signal: Int32) { Foundation.kill(id, signal) }

  /// Ends it the hard way, if it still runs.
  func kill() {
    if ending == nil, process.isRunning { send(SIGKILL) }
  }

  /// Waits for its end and for all it wrote.
  func finish(withinSeconds limit: Double = 60) throws -> Finished {
    try heard.wait(limit, for: "the end of \(description)") { $0.ending != nil && $0.openPipes == 0 }
    guard let ending else { throw Late(what: description, heard: errors) }
    return Finished(ending: ending, output: output, errors: errors)
  }

  /// Waits until a whole line of its standard output is there that `text` is part of; returns it.
  @discardableResult
  func outputLine(containing text: String = "", withinSeconds limit: Double = 30) throws -> String {
    try heard.line(limit, containing: text, in: \.output, of: description)
  }

  /// The same for standard error.
  @discardableResult
  func errorLine(containing text: String, withinSeconds limit: Double = 30) throws -> String {
    try heard.line(limit, containing: text, in: \.errors, of: description)
  }

  /// Most memory it has ever had in use, in KiB, as the kernel counts it. Only while it runs.
  var residentKibibytesMax: Int? {
    guard let status = try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8) else { return nil }
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(separator: " ").dropLast().last.flatMap { Int($0.drop { !$0.isNumber }) }
  }

  private var description: String {
    ([process.executableURL?.lastPathComponent ?? ""] + (process.arguments ?? [])).joined(separator: " ")
  }
}

/// Something a test waited for in vain.
struct Late: Error, CustomStringConvertible {
  let what: String
  let heard: String

  var description: String { "waited in vain for \(what); heard:\n\(heard)" }
}

/// What was heard of a child; written by the system's threads, waited for by the test's.
private final class Heard: Sendable {
  struct State {
    var output = Data()
    var errors = Data()
    var openPipes = 0
    var ending: Ending?

    /// For the one who waited in vain.
    var summary: String {
      let end = ending.map { "ended with \($0)" } ?? "not ended"
      return "\(end), \(openPipes) pipes open\n"
        + String(decoding: output.suffix(2_000) + errors.suffix(4_000), as: UTF8.self)
    }
  }

  private let state = Mutex(State())
  private let bell = Doorbell()

  func look<Value: Sendable>(_ body: (State) -> Value) -> Value { state.withLock { body($0) } }

  func change(_ body: (inout State) -> Void) {
    state.withLock { body(&$0) }
    bell.ring()
  }

  /// A pipe whose bytes go through `add` until its end.
  func pipe(_ add: @escaping @Sendable (inout State, Data) -> Void) -> Pipe {
    let pipe = Pipe()
    state.withLock { $0.openPipes += 1 }
    let end = pipe.fileHandleForReading
    // A thread of its own: a readability handler was seen to miss the end when many programs ran side by side.
    Thread.detachNewThread { [self] in
      while case let data = end.availableData, !data.isEmpty { change { add(&$0, data) } }
      change { $0.openPipes -= 1 }
    }
    return pipe
  }

  func wait(_ seconds: Double, for what: String, until isThere: (State) -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while !state.withLock({ isThere($0) }) {
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else {
        throw Late(what: what, heard: look { $0.summary })
      }
      bell.wait(nanoseconds: Int64(left / .nanoseconds(1)))
    }
  }

  func line(
    _ seconds: Double, containing text: String, in stream: KeyPath<State, Data>, of program: String
  ) throws -> String {
    var found: String?
    try wait(seconds, for: "\"\(text)\" from \(program)") { state in
      let whole = state[keyPath: stream]
      guard let end = whole.lastIndex(of: 0x0A) else { return state.ending != nil && state.openPipes == 0 }
      found = whole[..<end].split(separator: 0x0A).lazy.map { String(decoding: $0, as: UTF8.self) }
        .first { text.isEmpty || $0.contains(text) }
      return found != nil || (state.ending != nil && state.openPipes == 0)
    }
    guard let found else {
      throw Late(what: "\"\(text)\"; \(program) ended", heard: look { $0.summary })
    }
    return found
  }
}
