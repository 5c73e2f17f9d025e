// How what is submitted is cut into transactions.

import CheckoutCore
import JournalQueue
import JournalSamples
import Testing

@Suite struct JournalBatchTests {
  @Test("two writes of one attempt never share a transaction, and no batch is longer than the limit")
  func cutting() throws {
    let attempt = try #require(SampleAttempts.new("key-of-the-cut-0001"))
    let other = try #require(SampleAttempts.new("key-of-the-cut-0002", checkout: "chk_2"))
    let twice: [JournalCommand] = [
      .create(AttemptWrite(attempt, "w1")), .create(AttemptWrite(other, "w2")),
      .update(AttemptWrite(attempt.next(), "w3")), .find(attempt.identity.attemptID),
    ]
    let requests = twice.enumerated().map { JournalRequest(id: UInt64($0), command: $1) }
    let submissions = [Submission(requests: requests) { _ in }, Submission(requests: requests) { _ in }]
    #expect(JournalBatch.batches(of: submissions, limit: 100).map(\.count) == [2, 2, 2, 2])
    let finds = (0..<10).map { JournalRequest(id: UInt64($0), command: .find(attempt.identity.attemptID)) }
    #expect(
      JournalBatch.batches(of: [Submission(requests: finds) { _ in }, Submission(requests: finds) { _ in }], limit: 7)
        .map(\.count) == [7, 7, 6])
    #expect(JournalBatch.batches(of: [], limit: 7).map(\.count) == [])
  }

  @Test("a write never shares a transaction with an earlier taking away of its owner")
  func givenUp() throws {
    let attempt = try #require(SampleAttempts.new("key-of-the-cut-0001"))
    let worker = WorkerID("worker-a/1")
    let commands: [JournalCommand] = [
      .update(AttemptWrite(attempt.next(), "w1")), .giveUp(worker, [attempt.identity.attemptID]),
      .update(AttemptWrite(attempt.next().next(), "w2")), .endLease(worker),
    ]
    let requests = commands.enumerated().map { JournalRequest(id: UInt64($0), command: $1) }
    #expect(JournalBatch.batches(of: [Submission(requests: requests) { _ in }], limit: 100).map(\.count) == [2, 2])
  }
}
