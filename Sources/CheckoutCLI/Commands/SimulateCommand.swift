// `checkout simulate`: the real stages and engine in a world made from a seed, and whether they keep what they promise.

import CheckoutSimulation
import Operations

/// Runs seeds, tells what was broken, replays one.
struct SimulateCommand {
  private static let standardSeeds: ClosedRange<UInt64> = 1...1000

  private let context: CommandContext

  init(_ context: CommandContext) {
    self.context = context
  }

  func run() throws(Problem) -> ExitCode {
    var options = RunOptions()
    if let path = context.command.value("faults") { options.rates = try rates(path) }
    let seeds = try seeds()
    options.traces = context.command.has("trace")
    if options.traces, seeds.count > 1 {
      throw .usage("--trace replays one seed", remedy: "write --seed \(seeds.lowerBound) --trace")
    }
    return seeds.count == 1 ? replay(seeds.lowerBound, options) : run(seeds, options)
  }

  private func rates(_ path: String) throws(Problem) -> FaultRates {
    let bytes = try FileContents.read(path)
    do throws(FaultFileError) {
      return try FaultRates.decode(bytes)
    } catch {
      throw .environment("\(path): \(error.message)", remedy: "see: checkout simulate --help")
    }
  }

  private func seeds() throws(Problem) -> ClosedRange<UInt64> {
    if let text = context.command.value("seed") {
      guard let seed = UInt64(text), context.command.value("seeds") == nil else {
        throw .usage("--seed \(text) is not one seed", remedy: "write a number, and not --seeds beside it")
      }
      return seed...seed
    }
    guard let text = context.command.value("seeds") else { return Self.standardSeeds }
    guard let range = Self.range(text) else {
      throw .usage("--seeds \(text) is not a range", remedy: "write it like 1..1000")
    }
    return range
  }

  /// `A..B`, both included.
  static func range(_ text: String) -> ClosedRange<UInt64>? {
    let ends = text.split(separator: "..", maxSplits: 1, omittingEmptySubsequences: false)
    guard ends.count == 2, let first = UInt64(ends[0]), let last = UInt64(ends[1]), first <= last else { return nil }
    return first...last
  }

  // MARK: Many seeds

  private func run(_ seeds: ClosedRange<UInt64>, _ options: RunOptions) -> ExitCode {
    let progress = ProgressLine(context.errors, clock: SystemClock())
    var batch = SimulationBatch()
    var firstFailure: RunReport?
    for seed in seeds {
      let report = batch.run(seed, options: options)
      progress.show("seed \(seed) of \(seeds.upperBound), \(batch.checkouts) checkouts, \(batch.failed.count) failed")
      guard !report.violations.isEmpty else { continue }
      if firstFailure == nil { firstFailure = report }
      progress.clear()
      if !context.isJSON { write(report) }
    }
    progress.clear()
    if context.isJSON {
      context.output.write(batch.json + "\n")
    } else {
      if let firstFailure { shrink(firstFailure, options) }
      context.output.write(
        "\(batch.seeds) seeds, \(batch.checkouts) checkouts, \(batch.events) events, \(batch.crashes) crashes: "
          + "\(batch.failed.count) failed\n")
    }
    return batch.failed.isEmpty ? .ok : .foundWrong
  }

  private func write(_ report: RunReport) {
    for violation in report.violations {
      let promise = context.output.styled(violation.promise, .bad)
      context.output.write("seed \(report.seed)  \(promise)  \(violation.detail)\n")
    }
  }

  // MARK: One seed

  private func replay(_ seed: UInt64, _ options: RunOptions) -> ExitCode {
    var batch = SimulationBatch()
    let report = batch.run(seed, options: options)
    if context.isJSON {
      context.output.write(batch.json + "\n")
    } else {
      for line in report.trace { context.output.write(line + "\n") }
      write(report)
      if !report.violations.isEmpty, !options.traces { shrink(report, options) }
      context.output.write(
        "seed \(seed): \(batch.checkouts) checkouts, \(batch.events) events, \(batch.crashes) crashes: "
          + "\(report.violations.isEmpty ? "every promise kept" : "\(report.violations.count) broken")\n")
    }
    return report.violations.isEmpty ? .ok : .foundWrong
  }

  /// The smallest run found that breaks the same promise, as a timeline.
  private func shrink(_ report: RunReport, _ options: RunOptions) {
    var shrinker = Shrinker(seed: report.seed, options: options)
    guard let small = shrinker.shrink(report) else { return }
    context.output.write(
      "\nseed \(report.seed), made smaller: \(small.report.acts.count) of \(report.acts.count) acts, "
        + "\(small.report.faults.count) of \(report.faults.count) faults (\(small.tries) runs)\n")
    for line in small.report.trace { context.output.write(line + "\n") }
    write(small.report)
    context.output.write("\nthe whole of it: checkout simulate --seed \(report.seed) --trace\n\n")
  }
}
