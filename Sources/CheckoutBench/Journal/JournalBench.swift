// The journal against SQLite's own cost: the same writes by SQLiteJournal (queue, encoding, thread) and by C.

import CheckoutCore
import CheckoutWire
import Foundation
import JournalSamples

/// Alternates passes of both over files of their own; prints the medians' ratio for each size of batch.
struct JournalBench {
  private static let batches = [1, 100, 1000]

  private let peer: String
  private let rounds: Int

  init(_ arguments: ArraySlice<String>) throws {
    let options = try BenchOptions(arguments)
    peer = try options.peer()
    rounds = options.number("--rounds") ?? 5
  }

  func run() throws {
    let sizes = try Self.sizes()
    for batch in Self.batches {
      // About a second each.
      let count = batch == 1 ? 8000 : 100_000
      var ours: [Figures] = []
      var theirs: [Figures] = []
      for _ in 0..<rounds {
        let pass = ["\(batch)", "\(count)"]
        ours.append(
          try Self.inFolder { try Figures.measured(CommandLine.arguments[0], ["journal-pass", $0] + pass) })
        theirs.append(try Self.inFolder { try Figures.measured(peer, [$0] + pass + sizes.map { "\($0)" }) })
      }
      let (our, their) = (ours.map(\.wallPerMillion), theirs.map(\.wallPerMillion))
      let (ourCPU, theirCPU) = (ours.map(\.cpuPerMillion), theirs.map(\.cpuPerMillion))
      print(
        """
        {"bench":"journal","batch":\(batch),"rounds":\(rounds),"writes_per_s":\(Int(1_000_000 / median(our))),\
        "peer_writes_per_s":\(Int(1_000_000 / median(their))),"rate_ratio":\(text(median(their) / median(our))),\
        "cpu_us":\(text(median(ourCPU))),"peer_cpu_us":\(text(median(theirCPU))),\
        "cpu_ratio":\(text(median(ourCPU) / median(theirCPU)))}
        """)
    }
  }

  /// Bytes of a sample row's details, birth and steps, for the peer.
  static func sizes() throws -> [Int] {
    guard let attempt = SampleAttempts.new("key-00000-0000000000000000", checkout: "chk-00000") else {
      throw BenchProblem("the sample attempt does not validate")
    }
    let write = AttemptWrite(attempt, "00000-000-0")
    return [
      JournalCodec.encodeDetails(attempt).count, JournalCodec.encodeBirth(attempt).count,
      JournalCodec.encode(write.steps).count,
    ]
  }

  private static func inFolder(_ body: (String) throws -> Figures) throws -> Figures {
    let folder = try TemporaryFolder()
    return try body(folder.path("journal.db"))
  }
}
