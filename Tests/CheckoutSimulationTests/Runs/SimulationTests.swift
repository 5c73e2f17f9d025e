// Whole runs from seeds. `SIMULATION_SEEDS=FIRST-LAST` in the environment runs other seeds.

import CheckoutSimulation
import Foundation
import Testing

@Suite("Simulation")
struct SimulationTests {
  private static var seeds: ClosedRange<UInt64> {
    let wanted = (ProcessInfo.processInfo.environment["SIMULATION_SEEDS"] ?? "").split(separator: "-").compactMap {
      UInt64($0)
    }
    return wanted.count == 2 && wanted[0] <= wanted[1] ? wanted[0]...wanted[1] : 1...300
  }

  @Test("every promise is kept, whatever happens")
  func seeds() {
    for seed in Self.seeds {
      let report = SimulationRun.run(seed: seed)
      #expect(report.violations == [], "seed \(seed): checkout simulate --seed \(seed)")
    }
  }

  @Test("two runs of one seed write the same timeline", arguments: [1, 7, 30, 60, 77] as [UInt64])
  func sameTrace(seed: UInt64) {
    var options = RunOptions()
    options.traces = true
    let first = SimulationRun.run(seed: seed, options: options)
    let second = SimulationRun.run(seed: seed, options: options)
    #expect(first.trace == second.trace)
    #expect(first.faults == second.faults)
    #expect(!first.trace.isEmpty)
  }

  @Test("a timeline fits 80 columns")
  func columns() {
    var options = RunOptions()
    options.traces = true
    for line in SimulationRun.run(seed: 4, options: options).trace { #expect(line.count <= 80, "\(line)") }
  }

  @Test("what is left out and taken back does not happen, and the rest of the schedule stays")
  func leftOut() {
    let whole = SimulationRun.run(seed: 1)
    var options = RunOptions()
    options.leftOut = [whole.acts[0]]
    options.takenBack = Set(whole.faults.prefix(1))
    let part = SimulationRun.run(seed: 1, options: options)
    #expect(part.acts == Array(whole.acts.dropFirst()))
    #expect(!whole.faults.isEmpty)
    #expect(!part.faults.contains(whole.faults[0]))
  }

  @Test("rates come from a file; unknown names and odd rates are told")
  func rates() throws {
    let rates = try FaultRates.decode(Array(#"{"commit_reply_lost": 50}"#.utf8))
    #expect(rates[.commitReplyLost] == 50)
    #expect(rates[.journalReplyLost] == 0)
    #expect(throws: FaultFileError.self) { try FaultRates.decode(Array(#"{"commit": 50}"#.utf8)) }
    #expect(throws: FaultFileError.self) { try FaultRates.decode(Array(#"{"commit_reply_lost": 1001}"#.utf8)) }
    #expect(throws: FaultFileError.self) { try FaultRates.decode(Array("[]".utf8)) }
  }
}
