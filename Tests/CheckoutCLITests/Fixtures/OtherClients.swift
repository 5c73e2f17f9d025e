// Kafka clients that are not ours: kcat, and Python with confluent-kafka and jsonschema.

import Foundation
import Testing

/// A client these tests need and do not find: a failure in CI, a loud skip elsewhere.
enum OtherClients {
  static let isCI = ProcessInfo.processInfo.environment["CI"] != nil
  static let kcat = "/usr/bin/kcat"

  static let python: String = {
    let own = Project.root.appending(path: ".venv/bin/python3").path
    return FileManager.default.isExecutableFile(atPath: own) ? own : "/usr/bin/python3"
  }()

  /// True if tests that need both can run. In CI they always run, and fail without them.
  static let areThere: Bool = {
    if isCI { return true }
    let modules = try? RunningProgram(python, ["-c", "import confluent_kafka, jsonschema"]).finish()
    let isThere = modules?.ending == .exit(0) && FileManager.default.isExecutableFile(atPath: kcat)
    if !isThere {
      let warning = "SKIPPED: no kcat, or no confluent-kafka and jsonschema; run scripts/bootstrap for these tests\n"
      try? FileHandle.standardError.write(contentsOf: Data(warning.utf8))
    }
    return isThere
  }()

  /// Runs kcat to its end; returns its output's lines.
  static func kcat(_ arguments: [String], withinSeconds limit: Double = 60) throws -> [String] {
    let finished = try RunningProgram(kcat, arguments).finish(withinSeconds: limit)
    try #require(finished.ending == .exit(0), "kcat: \(finished.errors)")
    return finished.lines
  }

  /// Runs a script of Tests/Scripts to its end.
  static func script(_ name: String, _ arguments: [String], withinSeconds limit: Double = 120) throws -> Finished {
    let path = Project.root.appending(path: "Tests/Scripts/\(name)").path
    return try RunningProgram(python, [path] + arguments).finish(withinSeconds: limit)
  }
}

extension Trait where Self == ConditionTrait {
  /// For tests with foreign clients.
  static var otherClients: Self { .enabled(if: OtherClients.areThere, "kcat and .venv are needed") }
}

/// What an independent client found in the topics of a run; see Tests/Scripts/audit_run.py.
struct Audit: Decodable {
  struct Ledger: Decodable, Equatable {
    let charged: Int
    let charged_twice: [String]
    let receipts: Int
    let receipted_twice: Int
  }

  let requests: Int
  let answered: Int
  let answered_twice: [String]
  let unasked: [String]
  let types: [String: Int]
  /// Requests that were told that their receipt follows, and those that were told more than once.
  let receipt_pending: Int
  let receipt_pending_twice: [String]
  /// By place in checkout.requests (`PARTITION/OFFSET`) the code.
  let dead_letters: [String: String]
  let faults: [String]
  let ledger: Ledger?

  /// Reads until so many requests are answered, or to the present end of the topics (nil).
  static func until(
    answered count: Int?, brokers: String, ledger: String? = nil, withinSeconds limit: Double = 90
  ) throws -> Audit {
    let arguments = [brokers, "\(count ?? 0)", "\(limit)"] + (ledger.map { [$0] } ?? [])
    let finished = try OtherClients.script("audit_run.py", arguments, withinSeconds: limit + 20)
    try #require(finished.ending == .exit(0), "\(finished.output)\(finished.errors)")
    return try JSONDecoder().decode(Audit.self, from: Data(finished.output.utf8))
  }
}
