// `checkout-bench NAME`: measurements beside a peer in the same run; ratios count, absolute figures are this machine's.

import Foundation

/// The benchmarks there are, by name. Those without a description are parts that another one starts as processes.
private let benchmarks: [(name: String, about: String, run: ([String]) throws -> Void)] = [
  ("json", "decode, validate and encode one request, against Foundation's Codable", { try JSONBenchmark.run($0) }),
  ("engine", "pass messages on, against C (bench/run starts it)", { try EngineBench($0[...]).run() }),
  (
    "exactly-once", "pass messages on in transactions, against C (bench/run starts it)",
    { try ExactlyOnceBench($0[...]).run() }
  ),
  ("engine-pass", "", { try EnginePass($0[...]).run() }),
  ("ordering", "order by key, against the ideal (bench/run starts it)", { try OrderingBench($0[...]).run() }),
  ("journal", "durable writes of attempts, against C (bench/run starts it)", { try JournalBench($0[...]).run() }),
  (
    "journal-postgres", "the same on PostgreSQL under load, against one transaction per step (bench/run starts it)",
    { try PostgresBench($0[...]).run() }
  ),
  ("journal-load-pass", "", { try PostgresLoadPass($0[...]).run() }),
  ("journal-pass", "", { try JournalPass($0[...]).run() }),
]

let arguments = Array(CommandLine.arguments.dropFirst())
if let benchmark = benchmarks.first(where: { $0.name == arguments.first }) {
  do {
    try benchmark.run(Array(arguments.dropFirst()))
  } catch {
    FileHandle.standardError.write(Data("checkout-bench: \(error)\n".utf8))
    exit(1)
  }
} else {
  print("usage: checkout-bench NAME [ROUNDS]")
  for benchmark in benchmarks where !benchmark.about.isEmpty { print("  \(benchmark.name)  \(benchmark.about)") }
}
