// What may leave ahead of its commit job, and when it has to wait.

import Testing

@testable import KafkaAdapter

struct SentAheadTests {
  private let ahead = SentAhead()

  /// Sends what it may of a batch; returns the first index sent, nil if it had to wait.
  private func send(_ batch: Int, count: Int, taken: Int? = nil, generation: Int = 1) -> Int? {
    guard
      let (_, next) = ahead.begin(
        batch: batch, generation: generation, count: count, makeNumber: { UInt(generation * 100 + batch) })
    else { return nil }
    ahead.sent(taken ?? count, batch: batch, generation: generation)
    return next
  }

  @Test("a batch goes on where it was, and the next one follows when it is whole")
  func inOrder() {
    #expect(send(1, count: 3) == 0)
    #expect(send(1, count: 5) == 3)
    #expect(send(2, count: 1) == 0)
    let (entry, orphans) = ahead.take(batch: 1, generation: 1)
    #expect(entry == SentAhead.Entry(generation: 1, batch: 1, number: 101, known: 5, sent: 5))
    #expect(orphans.isEmpty)
  }

  @Test("behind a batch that is not whole nothing leaves until its job has sent the rest")
  func incompleteBlocks() {
    #expect(send(1, count: 3, taken: 2) == 0)
    #expect(send(1, count: 4, taken: 3) == 2)
    #expect(send(2, count: 1) == nil)
    #expect(ahead.take(batch: 1, generation: 1).entry?.sent == 3)
    #expect(send(2, count: 2) == nil, "the job is still sending")
    ahead.settle(batch: 1, generation: 1)
    #expect(send(2, count: 3) == 0)
  }

  @Test("a batch that had to wait blocks the one behind it too")
  func waitingBlocks() {
    #expect(send(1, count: 3, taken: 0) == 0)
    #expect(send(2, count: 2) == nil)
    ahead.settle(batch: 1, generation: 1)
    #expect(send(3, count: 1) == nil)
    ahead.settle(batch: 2, generation: 1)
    #expect(send(3, count: 2) == 0)
  }

  @Test("after a failure nothing leaves until all that has left has had its job")
  func closed() {
    #expect(send(1, count: 1) == 0)
    #expect(send(2, count: 1) == 0)
    #expect(send(3, count: 1) == 0)
    #expect(ahead.close(batch: 1, generation: 1) == 3)
    #expect(send(3, count: 2) == nil)
    ahead.settle(batch: 1, generation: 1)
    #expect(send(4, count: 1) == nil)
    ahead.settle(batch: 2, generation: 1)
    ahead.settle(batch: 3, generation: 1)
    #expect(send(4, count: 2) == 0)
  }

  @Test("a new assignment is not held up by the old one, whose batches are handed over once")
  func nextGeneration() {
    #expect(send(1, count: 3, taken: 1) == 0)
    #expect(ahead.close(batch: 1, generation: 1) == 1)
    #expect(send(1, count: 2, generation: 2) == 0)
    let (entry, orphans) = ahead.take(batch: 1, generation: 2)
    #expect(entry?.number == 201)
    #expect(orphans == [SentAhead.Entry(generation: 1, batch: 1, number: 101, known: 3, sent: 1)])
    #expect(ahead.take(batch: 1, generation: 2).orphans.isEmpty)
  }
}
