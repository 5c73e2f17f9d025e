// A plain producer for commands that send messages and want to know what became of each.

import Synchronization
package import WorkerEngine

/// Publishes batches with the idempotent producer, `acks=all`. One call at a time; calls block and so belong on a thread
/// of the caller's own, not on the cooperative pool.
package final class KafkaPublisher: Sendable {
  private let producer: ProducerHandle
  private let turn = Mutex(())

  /// Makes the client; it connects with the first batch.
  package init(settings: KafkaSettings) throws(KafkaError) {
    producer = try ProducerHandle(settings: settings)
  }

  /// Sends the messages in order and waits for their reports. Returns one entry per message: nil if it is durable,
  /// else why not. What has no report by the deadline is `.retry` ("may have arrived": an idempotent consumer is
  /// needed to send it again). Waits at most `limitNanoseconds`.
  package func publish(_ outputs: [Output], limitNanoseconds: Int64) -> [KafkaError?] {
    turn.withLock { _ in
      let deadline = monotonicNanoseconds() + limitNanoseconds
      let batch = producer.open(outputs)
      var refused: [(index: Int, error: KafkaError)] = []
      var enqueued = 0
      while enqueued < outputs.count {
        switch producer.enqueue(outputs, enqueued..<enqueued + 1, batch: batch).stop {
        case nil:
          enqueued += 1
        case .failed(let error):
          refused.append((enqueued, error))
          enqueued += 1
        case .full:
          let left = deadline - monotonicNanoseconds()
          guard left > 0 else { return results(outputs.count, batch, refused, unreportedFrom: enqueued) }
          producer.wake.wait(limitNanoseconds: min(left, KafkaPublisher.waitNanoseconds))
          producer.serve()
        }
      }
      producer.serve()
      while producer.outstanding(batch: batch) > 0 {
        let left = deadline - monotonicNanoseconds()
        guard left > 0 else { break }
        producer.wake.wait(limitNanoseconds: min(left, KafkaPublisher.waitNanoseconds))
        producer.serve()
      }
      return results(outputs.count, batch, refused, unreportedFrom: enqueued)
    }
  }

  private static let waitNanoseconds: Int64 = 50_000_000

  private func results(
    _ count: Int, _ batch: UInt, _ refused: [(index: Int, error: KafkaError)], unreportedFrom enqueued: Int
  ) -> [KafkaError?] {
    let late = KafkaError(
      code: "_TIMED_OUT", reaction: .retry,
      message: "no delivery report in time: the message may have arrived or still arrive; check the brokers")
    var results: [KafkaError?] = Array(repeating: nil, count: count)
    for index in 0..<count where index >= enqueued || !producer.hasReport(index, batch: batch) { results[index] = late }
    for (index, error) in refused + producer.takeFailures(batch: batch) { results[index] = error }
    return results
  }
}
