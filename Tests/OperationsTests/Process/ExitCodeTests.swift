// Tests of how a process ends: the codes are a contract with scripts.

import Testing

@testable import Operations

@Suite("Exit codes")
struct ExitCodeTests {
  @Test("codes never change")
  func codes() {
    #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 2, 3, 4])
    #expect(Problem.usage("x").exitCode == .usage)
    #expect(Problem.environment("x").exitCode == .environment)
    #expect(Problem.conflict("x").exitCode == .conflict)
  }

  @Test("a problem says what is wrong and what to do")
  func text() {
    #expect("\(Problem.environment("no broker", remedy: "start one"))" == "no broker\n  start one")
    #expect("\(Problem.usage("no"))" == "no")
  }
}
