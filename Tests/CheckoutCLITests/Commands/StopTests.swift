// Signals, and brokers that are not there: what a worker does, says, and how it ends.

import Foundation
import Testing

@Suite("Signals and lost brokers", .serialized, .timeLimit(.minutes(3)))
struct StopTests {
  /// What a worker says of brokers it cannot reach; `address` is theirs.
  private static let unreachable = "\"message\":\"no Kafka broker can be reached, trying again\",\"address\":\""

  @Test("a broker and a worker end on SIGTERM also when their parent had it blocked", arguments: [SIGTERM, SIGINT])
  func blocked(signal: Int32) throws {
    let start = """
      import os, signal, sys
      signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGINT])
      os.execv(sys.argv[1], sys.argv[1:])
      """
    let broker = try RunningProgram(OtherClients.python, ["-c", start, try Project.program(), "broker"])
    try broker.outputLine()
    broker.send(signal)
    #expect(try broker.finish(withinSeconds: 10).ending == .exit(0))
  }

  @Test("a second signal ends a worker at once that still waits for its broker")
  func second() throws {
    let pipeline = try LocalPipeline()
    let worker = try pipeline.worker("validation", ["worker.shutdown_grace=60s"])
    try worker.errorLine(containing: "partitions assigned")
    // Stopped, it answers nothing, and so nobody can leave its group.
    pipeline.broker.send(SIGSTOP)
    worker.send(SIGTERM)
    try worker.errorLine(containing: "\"worker stopping\"")
    #expect(worker.ending == nil)
    worker.send(SIGTERM)
    #expect(try worker.finish(withinSeconds: 2).ending == .exit(143))
  }

  @Test("brokers that cannot be reached are named in one line, and SIGTERM still ends the worker in time")
  func unreachable() throws {
    let folder = try TestFolder()
    let worker = try RunningProgram(
      try Project.program(),
      [
        "run", "--brokers", "127.0.0.1:9", "--reference", "samples/reference.json", "--journal",
        "sqlite:\(folder.path("journal.db"))", "--set", "worker.shutdown_grace=6s",
      ])
    try worker.errorLine(containing: "\(Self.unreachable)127.0.0.1:9\"")
    worker.send(SIGTERM)
    let finished = try worker.finish(withinSeconds: 7)
    #expect(finished.ending == .exit(0))
    let lines = finished.errors.split(separator: "\n")
    #expect(lines.filter { $0.contains("Connection refused") }.count == 1, "\(finished.errors)")
  }

  @Test(
    "submit and topics say at once which broker cannot be reached", arguments: ["submit", "submit --wait", "topics"])
  func commands(command: String) throws {
    let arguments =
      command == "topics"
      ? ["topics", "check"]
      : ["submit", "samples/requests.ndjson"] + command.split(separator: " ").dropFirst().map(String.init)
    let finished = try Project.checkout(arguments + ["--brokers", "127.0.0.1:9"], withinSeconds: 8)
    #expect(finished.ending == .exit(3))
    #expect(finished.output == "")
    #expect(finished.errors.hasPrefix("checkout: no Kafka broker can be reached at 127.0.0.1:9 ("))
    #expect(finished.errors.split(separator: "\n").count == 1, "\(finished.errors)")
  }

  @Test("a worker that found no broker begins when there is one")
  func late() throws {
    let pipeline = try LocalPipeline()
    let listener = try RunningProgram(
      OtherClients.python,
      [Project.root.appending(path: "Tests/Scripts/late_listener.py").path, pipeline.brokers])
    let address = try listener.outputLine()
    let worker = try RunningProgram(
      try Project.program(),
      ["run", "--stage", "validation", "--brokers", address, "--reference", "samples/reference.json"])
    try worker.errorLine(containing: "\(Self.unreachable)\(address)\"")
    listener.send(SIGUSR1)
    try worker.errorLine(containing: "\"partitions assigned\"")
    try pipeline.stop([worker])
  }

  @Test("exactly once is refused on the mock cluster, which has no transactions, and promised nowhere silently")
  func mockRefused() throws {
    let pipeline = try LocalPipeline(partitions: 1)
    let refused = try pipeline.worker("all", ["worker.delivery=exactly-once"]).finish(withinSeconds: 20)
    #expect(refused.ending == .exit(3))
    #expect(refused.errors.hasPrefix("checkout: the cluster mockCluster"))
    #expect(refused.errors.hasSuffix("\n  use --delivery at-least-once, or a real Kafka\n"))
  }

  @Test("a broker that dies under a worker is told once; the worker stays, and SIGTERM ends it in time")
  func killedBroker() throws {
    let pipeline = try LocalPipeline()
    let worker = try pipeline.worker("all", ["worker.shutdown_grace=6s"])
    let first = try pipeline.folder.file(
      "first.ndjson", try #require(try Project.lines("samples/requests.ndjson").first))
    #expect(try pipeline.submit(first).ending == .exit(0))
    pipeline.broker.kill()
    try worker.errorLine(containing: "\(Self.unreachable)\(pipeline.brokers)\"")
    #expect(worker.ending == nil)
    let asked = ContinuousClock.now
    worker.send(SIGTERM)
    let finished = try worker.finish(withinSeconds: 8)
    #expect(finished.ending == .exit(0), "\(finished.errors)")
    #expect(ContinuousClock.now - asked < .seconds(7))
    #expect(finished.errors.split(separator: "\n").filter { $0.contains("\"level\":\"error\"") }.count == 1)
  }
}
