// Makes a failing run small: leaves acts out and takes faults back as long as the same promise stays broken.

/// What is left of a failing run.
package struct ShrunkRun: Sendable {
  /// How to replay it.
  package let options: RunOptions
  /// Its report, with a timeline.
  package let report: RunReport
  /// How many runs it took.
  package let tries: Int
}

/// Delta debugging over decisions: halves first, then smaller and smaller parts. Deterministic.
package struct Shrinker {
  /// One thing that can be done without.
  private enum Decision: Hashable {
    case act(Int)
    case fault(FaultDecision)
  }

  private let seed: UInt64
  private let base: RunOptions
  private let triesMax: Int
  private var tries = 0

  /// A shrinker for a seed that fails with these options; it gives up after so many runs.
  package init(seed: UInt64, options: RunOptions, triesMax: Int = 600) {
    self.seed = seed
    base = options
    self.triesMax = triesMax
  }

  /// The smallest run found in which a promise that `report` broke is still broken; nil if the seed does not fail.
  package mutating func shrink(_ report: RunReport) -> ShrunkRun? {
    guard let promise = report.violations.first?.promise else { return nil }
    var removed: Set<Decision> = []
    var kept = Self.decisions(of: report)
    var size = max(1, kept.count / 2)
    while size >= 1, tries < triesMax {
      var start = 0
      var hasShrunk = false
      while start < kept.count, tries < triesMax {
        let part = kept[start..<min(kept.count, start + size)]
        if fails(without: removed.union(part), promise) {
          removed.formUnion(part)
          kept.removeSubrange(start..<min(kept.count, start + size))
          hasShrunk = true
        } else {
          start += size
        }
      }
      if size == 1, !hasShrunk { break }
      size = max(1, size / 2)
    }
    var options = options(without: removed)
    options.traces = true
    return ShrunkRun(options: options, report: SimulationRun.run(seed: seed, options: options), tries: tries)
  }

  private static func decisions(of report: RunReport) -> [Decision] {
    report.faults.map { .fault($0) } + report.acts.map { .act($0) }
  }

  private mutating func fails(without removed: Set<Decision>, _ promise: String) -> Bool {
    tries += 1
    let report = SimulationRun.run(seed: seed, options: options(without: removed))
    return report.violations.contains { $0.promise == promise }
  }

  private func options(without removed: Set<Decision>) -> RunOptions {
    var options = base
    options.traces = false
    for decision in removed {
      switch decision {
      case .act(let number): options.leftOut.insert(number)
      case .fault(let fault): options.takenBack.insert(fault)
      }
    }
    return options
  }
}
