// A broker in a process of its own, and workers on it that share a journal and a ledger file.

import Foundation
import Testing

/// What one test works on; everything in it ends with it.
final class LocalPipeline {
  let brokers: String
  let folder: TestFolder
  let broker: RunningProgram

  init(partitions: Int = 4) throws {
    folder = try TestFolder()
    broker = try RunningProgram(try Project.program(), ["broker", "--partitions", "\(partitions)"])
    brokers = try broker.outputLine()
  }

  var ledger: String { folder.path("ledger.db") }

  /// What is the matter with the services from now on; every worker reads it again at once. Nil: nothing.
  func outage(_ text: String?) throws { _ = try folder.file("ledger.db.outages", text ?? "") }

  /// Runs a command of the journal's people to its end.
  func parked(_ arguments: [String]) throws -> Finished {
    try Project.checkout(["parked"] + arguments + ["--journal", "sqlite:\(folder.path("journal.db"))"])
  }

  /// What every worker is started with: the samples' date, and times short enough for a test. The session is short
  /// because the broker gives a killed worker's partitions to others only when it is over.
  private var settings: [String] {
    [
      "worker.clock_start=2026-11-30T12:00:00Z", "saga.call_timeout=2500ms", "saga.charge_deadline=3s",
      "saga.settle_margin=200ms", "saga.lease=2s", "saga.not_after_margin=200ms",
    ].flatMap { ["--set", $0] }
      + ["session.timeout.ms=3000", "heartbeat.interval.ms=300"].flatMap { ["--kafka-property", $0] }
  }

  /// Starts workers. `settings` come last, so they win.
  func worker(_ stage: String = "all", _ more: [String] = []) throws -> RunningProgram {
    try RunningProgram(
      try Project.program(),
      [
        "run", "--stage", stage, "--brokers", brokers, "--journal", "sqlite:\(folder.path("journal.db"))",
        "--gateways", "sandbox:\(ledger)", "--reference", "samples/reference.json",
      ] + settings + more.flatMap { ["--set", $0] })
  }

  /// Sends a file's lines with `checkout submit`, waits for their answers; returns the lines of its output.
  func submit(_ path: String) throws -> Finished {
    try Project.checkout(
      ["submit", path, "--brokers", brokers, "--wait", "--json", "--timeout", "60s"], withinSeconds: 90)
  }

  /// Ends workers as an operator would; each has to end well.
  func stop(_ workers: [RunningProgram], withinSeconds limit: Double = 25) throws {
    for worker in workers { worker.send(SIGTERM) }
    for worker in workers {
      let finished = try worker.finish(withinSeconds: limit)
      #expect(finished.ending == .exit(0), "\(finished.errors)")
    }
  }
}

/// Many requests made from the first sample.
enum Requests {
  /// `KEY<TAB>REQUEST` lines with ids from 0 up; every `slowEvery`th takes the provider two seconds.
  static func keyed(_ count: Int, slowEvery: Int = .max) throws -> [String] {
    let sample = try #require(try Project.lines("samples/requests.ndjson").first)
    return (0..<count).map { index in
      let id = "chk_load_\(index)"
      let request = sample.replacingOccurrences(of: "chk_000001", with: id)
        .replacingOccurrences(of: "5f0c2a52-3c1e-4a0b-9a51-000000000001", with: "load-key-0123456789-\(index)")
        .replacingOccurrences(
          of: "pm_tok_visa_ok", with: index % slowEvery == 0 && slowEvery != .max ? "pm_tok_slow" : "pm_tok_visa_ok")
      return "\(id)\t\(request)"
    }
  }
}
