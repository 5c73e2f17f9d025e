// Many runs, one after the other, and what came of them together.

import CheckoutWire

/// A seed that broke a promise.
package struct FailedSeed: Hashable, Sendable {
  /// Replays it.
  package let seed: UInt64
  /// What it broke.
  package let violations: [Violation]
}

/// Counts over many seeds.
package struct SimulationBatch: Sendable {
  /// Seeds run.
  package private(set) var seeds = 0
  /// Steps of workers, journal and brokers.
  package private(set) var events = 0
  /// Processes killed or broken.
  package private(set) var crashes = 0
  /// Checkouts asked for.
  package private(set) var checkouts = 0
  /// Seeds that broke a promise, in the order they were run.
  package private(set) var failed: [FailedSeed] = []

  package init() {}

  /// Runs one seed and counts it; the report is given back too.
  @discardableResult
  package mutating func run(_ seed: UInt64, options: RunOptions = RunOptions()) -> RunReport {
    let report = SimulationRun.run(seed: seed, options: options)
    seeds += 1
    events += report.events
    crashes += report.crashes
    checkouts += report.checkouts
    if !report.violations.isEmpty { failed.append(FailedSeed(seed: seed, violations: report.violations)) }
    return report
  }
}

extension SimulationBatch {
  /// Counts and violations for machines, in one line.
  package var json: String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.field("seeds", Int64(seeds))
    writer.field("events", Int64(events))
    writer.field("crashes", Int64(crashes))
    writer.field("checkouts", Int64(checkouts))
    writer.key("violations")
    writer.beginArray()
    for failed in failed {
      for violation in failed.violations {
        writer.beginObject()
        writer.key("seed")
        writer.raw(Array(String(failed.seed).utf8)[...])
        writer.field("promise", violation.promise)
        writer.field("detail", violation.detail)
        writer.endObject()
      }
    }
    writer.endArray()
    writer.endObject()
    return String(decoding: writer.finished(), as: UTF8.self)
  }
}
