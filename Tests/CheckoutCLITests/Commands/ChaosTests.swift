// The fault suite's short form: real workers, real brokers, kill -9, rebalances, outages; an independent client judges.
// `make chaos` runs the long form; Tests/Chaos/scenarios.py names the scenarios.

import Foundation
import Testing

@Suite(
  "Fault suite", .otherClients, .timeLimit(.minutes(8)),
  // Its scenarios judge by time-outs of seconds: beside hundreds of other tests on two cores they miss them.
  .enabled(if: ProcessInfo.processInfo.environment["CHECKOUT_CHAOS"] == "1", "CHECKOUT_CHAOS=1 runs it by itself"))
struct ChaosTests {
  @Test("Every scenario keeps its promises in its short form")
  func short() throws {
    let script = Project.root.appending(path: "Tests/Chaos/chaos.py").path
    let finished = try RunningProgram(
      OtherClients.python, [script, "--jobs", "4", "--program", try Project.program()]
    ).finish(withinSeconds: 450)
    // Seeds and figures, also of a run that went well.
    try FileHandle.standardError.write(contentsOf: Data(finished.output.utf8))
    #expect(finished.ending == .exit(0), "\(finished.output)\(finished.errors)")
  }
}
