// The PostgreSQL journal under load, beside one transaction per step in C: on one server, in one run, tables of the same kind.

import Foundation
import JournalSamples
import PostgresAdapter

/// Alternates passes, each in a schema of its own; prints the medians and their ratios.
struct PostgresBench {
  private let server: String
  private let peer: String
  private let rounds: Int

  init(_ arguments: ArraySlice<String>) throws {
    let options = try BenchOptions(arguments)
    peer = try options.peer()
    server = try options.path("--server")
    rounds = options.number("--rounds") ?? 3
  }

  func run() throws {
    let sizes = try JournalBench.sizes().map { "\($0)" }
    var figures: [String: [Figures]] = [:]
    for round in 0..<rounds {
      for connections in [1, 16] {
        let place = try schema("peer_\(round)_\(connections)")
        let count = connections == 1 ? "24000" : "60000"
        figures["peer_\(connections)", default: []].append(
          try Figures.measured(peer, [place, count, "\(connections)"] + sizes))
      }
      for inFlight in [16, 1000, 8000] {
        let place = try schema("ours_\(round)_\(inFlight)")
        let count = inFlight == 16 ? "40000" : "200000"
        figures["ours_\(inFlight)", default: []].append(
          try Figures.measured(CommandLine.arguments[0], ["journal-load-pass", place, "\(inFlight)", count]))
      }
    }
    func rate(_ name: String) -> Double { 1_000_000 / median((figures[name] ?? []).map(\.wallPerMillion)) }
    for inFlight in [16, 1000, 8000] {
      let ours = rate("ours_\(inFlight)")
      print(
        """
        {"bench":"journal-postgres","in_flight":\(inFlight),"rounds":\(rounds),"writes_per_s":\(Int(ours)),\
        "peer_1_connection_per_s":\(Int(rate("peer_1"))),"peer_16_connections_per_s":\(Int(rate("peer_16"))),\
        "ratio_to_1":\(text(ours / rate("peer_1"))),"ratio_to_16":\(text(ours / rate("peer_16"))),\
        "client_cpu_us":\(text(median((figures["ours_\(inFlight)"] ?? []).map(\.cpuPerMillion)))),\
        "peer_client_cpu_us":\(text(median((figures["peer_1"] ?? []).map(\.cpuPerMillion))))}
        """)
    }
  }

  /// The address of a journal in a schema of its own.
  private func schema(_ name: String) throws -> String {
    let psql = Process()
    psql.executableURL = URL(fileURLWithPath: "/usr/bin/psql")
    psql.arguments = ["-X", "-q", "-d", server, "-c", "CREATE SCHEMA \(name)", "-c", "CHECKPOINT"]
    try psql.run()
    psql.waitUntilExit()
    guard psql.terminationStatus == 0 else { throw BenchProblem("psql cannot make a schema on \(server)") }
    let address = "\(server)&options=-csearch_path%3D\(name)"
    _ = try PostgresSchema.migrate(try PostgresLocation(address))
    return address
  }
}
