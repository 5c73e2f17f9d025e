// Runs seeds of the simulation without the rest of the program: `simulation-runner FIRST LAST [stop|trace]`. Built for
// the mutants and for profiles; `checkout simulate` is for people.

import CheckoutSimulation
import Operations

let output = Terminal(.output, environment: [:])

let numbers = CommandLine.arguments.dropFirst().prefix(2).compactMap { UInt64($0) }
let word = CommandLine.arguments.dropFirst(3).first
guard numbers.count == 2, numbers[0] <= numbers[1] else {
  output.write("usage: simulation-runner FIRST LAST [stop|trace]\n")
  throw UsageProblem()
}
let clock = ContinuousClock()
let begin = clock.now
var batch = SimulationBatch()
for seed in numbers[0]...numbers[1] {
  var options = RunOptions()
  options.traces = word == "trace"
  let report = batch.run(seed, options: options)
  for line in report.trace { output.write(line + "\n") }
  for violation in report.violations { output.write("seed \(seed): \(violation.promise): \(violation.detail)\n") }
  if word == "stop", !report.violations.isEmpty { break }
}
output.write(
  "seeds \(batch.seeds), failed \(batch.failed.count), checkouts \(batch.checkouts), events \(batch.events), "
    + "crashes \(batch.crashes), \(clock.now - begin)\n")

/// Wrong arguments.
struct UsageProblem: Error {}
