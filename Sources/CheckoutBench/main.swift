// `checkout-bench NAME`: measurements beside a peer in the same run; ratios count, absolute figures are this machine's.

/// The benchmarks there are, by name.
private let benchmarks: [(name: String, about: String, run: ([String]) throws -> Void)] = [
  ("json", "decode, validate and encode one request, against Foundation's Codable", { try JSONBenchmark.run($0) })
]

let arguments = Array(CommandLine.arguments.dropFirst())
if let benchmark = benchmarks.first(where: { $0.name == arguments.first }) {
  try benchmark.run(Array(arguments.dropFirst()))
} else {
  print("usage: checkout-bench NAME [ROUNDS]")
  for benchmark in benchmarks { print("  \(benchmark.name)  \(benchmark.about)") }
}
