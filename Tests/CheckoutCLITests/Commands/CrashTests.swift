// Workers stopped and killed under load: nothing lost, nothing answered or charged twice.

import Foundation
import Testing

@Suite("Workers that end under load", .serialized, .otherClients, .timeLimit(.minutes(4)))
struct CrashTests {
  private static let requests = 3_000
  private static let slow = ["sandbox.latency_max=50ms"]

  @Test("SIGTERM in the middle: the worker leaves in time and another goes on where it stopped")
  func drained() throws {
    let pipeline = try LocalPipeline()
    try send(pipeline)
    let first = try pipeline.worker("all", Self.slow + ["worker.shutdown_grace=10s"])
    let middle = try Audit.until(answered: 500, brokers: pipeline.brokers)
    #expect(middle.answered < Self.requests)
    let asked = ContinuousClock.now
    try pipeline.stop([first], withinSeconds: 12)
    #expect(ContinuousClock.now - asked < .seconds(10))
    let second = try pipeline.worker("all", Self.slow)
    try conclude(pipeline, [second])
  }

  @Test("kill -9 three times: leases and the session run out, and the next worker finishes the work")
  func killed() throws {
    let pipeline = try LocalPipeline()
    try send(pipeline)
    var worker = try pipeline.worker("all", Self.slow)
    for round in 1...3 {
      _ = try Audit.until(answered: round * 500, brokers: pipeline.brokers)
      worker.kill()
      #expect(try worker.finish().ending == .signal(SIGKILL))
      worker = try pipeline.worker("all", Self.slow)
    }
    try conclude(pipeline, [worker])
  }

  private func send(_ pipeline: LocalPipeline) throws {
    let lines = try Requests.keyed(Self.requests, slowEvery: 20)
    let file = try pipeline.folder.file("load.txt", lines.joined(separator: "\n") + "\n")
    _ = try OtherClients.kcat(["-P", "-b", pipeline.brokers, "-t", "checkout.requests", "-K", "\\t", "-l", file])
  }

  private func conclude(_ pipeline: LocalPipeline, _ workers: [RunningProgram]) throws {
    let all = try Audit.until(answered: Self.requests, brokers: pipeline.brokers)
    #expect(all.answered == Self.requests)
    for worker in workers {
      let resident = try #require(worker.residentKibibytesMax)
      // Measured: 60 MiB. The bound says "does not grow with the load", no more.
      #expect(resident < 400 * 1024, "\(resident) KiB resident")
    }
    try pipeline.stop(workers)
    let audit = try Audit.until(answered: nil, brokers: pipeline.brokers, ledger: pipeline.ledger)
    #expect(audit.requests == Self.requests)
    #expect(audit.answered == Self.requests)
    #expect(audit.answered_twice == [])
    #expect(audit.unasked == [])
    #expect(audit.faults == [])
    #expect(audit.dead_letters == [:])
    #expect(
      audit.ledger
        == Audit.Ledger(
          charged: Self.requests, charged_twice: [], receipts: Self.requests, receipted_twice: 0))
  }
}
