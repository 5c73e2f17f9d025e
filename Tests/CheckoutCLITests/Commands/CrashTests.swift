// Workers stopped and killed under load: nothing lost, nothing answered or charged twice.

import Foundation
import Testing

@Suite("Workers that end under load", .serialized, .otherClients, .timeLimit(.minutes(4)))
struct CrashTests {
  private static let requests = 3_000
  private static let slow = ["sandbox.latency_max=50ms"]
  /// For workers that are to be ended: so few at a time that much is left when it happens.
  private static let slower = slow + ["worker.in_flight_max=40"]

  @Test("SIGTERM in the middle: the worker leaves in time and another goes on where it stopped")
  func drained() throws {
    let pipeline = try LocalPipeline()
    try send(pipeline)
    let first = try pipeline.worker("all", Self.slower + ["worker.shutdown_grace=10s"])
    _ = try Audit.until(answered: 500, brokers: pipeline.brokers)
    let asked = ContinuousClock.now
    try pipeline.stop([first], withinSeconds: 12)
    #expect(ContinuousClock.now - asked < .seconds(10))
    try checkMuchIsLeft(pipeline)
    let second = try pipeline.worker("all", Self.slow)
    try conclude(pipeline, [second])
  }

  @Test("kill -9 three times: leases and the session run out, and the next worker finishes the work")
  func killed() throws {
    let pipeline = try LocalPipeline()
    try send(pipeline)
    for round in 1...3 {
      let worker = try pipeline.worker("all", Self.slower)
      _ = try Audit.until(answered: round * 300, brokers: pipeline.brokers)
      worker.kill()
      #expect(try worker.finish().ending == .signal(SIGKILL))
    }
    try checkMuchIsLeft(pipeline)
    try conclude(pipeline, [try pipeline.worker("all", Self.slow)])
  }

  private func send(_ pipeline: LocalPipeline) throws {
    let lines = try Requests.keyed(Self.requests, slowEvery: 20)
    let file = try pipeline.folder.file("load.txt", lines.joined(separator: "\n") + "\n")
    _ = try OtherClients.kcat(["-P", "-b", pipeline.brokers, "-t", "checkout.requests", "-K", "\\t", "-l", file])
  }

  /// A worker that had done everything before it was ended would show nothing.
  private func checkMuchIsLeft(_ pipeline: LocalPipeline) throws {
    let audit = try Audit.until(answered: nil, brokers: pipeline.brokers)
    #expect(audit.answered < Self.requests - 100)
  }

  private func conclude(_ pipeline: LocalPipeline, _ workers: [RunningProgram]) throws {
    let all = try Audit.until(answered: Self.requests, brokers: pipeline.brokers)
    #expect(all.answered == Self.requests)
    for worker in workers {
      let resident = try #require(worker.residentKibibytesMax)
      try FileHandle.standardError.write(contentsOf: Data("worker under load: \(resident / 1024) MiB resident\n".utf8))
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
