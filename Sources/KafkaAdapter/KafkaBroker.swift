// The engine's `Broker` on librdkafka: one consumer, one producer, one commit thread.

import Operations
import Synchronization
package import WorkerEngine

/// One worker's identity towards Kafka. All calls come from the worker's loop, `wake` from any thread.
package final class KafkaBroker: Broker, Sendable {
  private let consumer: ConsumerHandle
  private let producer: ProducerHandle
  private let gate = CommitGate()
  private let commits: CommitThread
  private let alarm = WakeDescriptor()
  private let loop: Mutex<ConsumerLoop>

  /// Makes both clients; nothing is sent before `subscribe`. Throws `.environment` for a setting the library refuses.
  package init(settings: KafkaSettings, group: KafkaGroupSettings) throws(KafkaError) {
    let consumer = try ConsumerHandle(settings: settings, group: group, wake: alarm)
    let producer = try ProducerHandle(settings: settings)
    self.consumer = consumer
    self.producer = producer
    let notes = Inbox<CommitNote>()
    notes.onArrival { [alarm] in alarm.ring() }
    commits = CommitThread(gate: gate, notes: notes, wake: producer.wake)
    loop = Mutex(
      ConsumerLoop(consumer: consumer, commits: commits, gate: gate, notes: notes, wake: alarm, group: group))
    try commits.start(producer: producer, consumer: consumer) {
      switch group.delivery {
      case .atLeastOnce: AtLeastOnceCommit(producer: producer, consumer: consumer)
      }
    }
  }

  package func subscribe() throws(WorkerFailure) {
    if let failure = loop.withLock({ $0.subscribe() }) { throw failure }
  }

  package func poll(maxRecords: Int, waitNanoseconds: Int64) -> [BrokerEvent] {
    loop.withLock { $0.poll(maxRecords: maxRecords, waitNanoseconds: waitNanoseconds) }
  }

  package var waker: @Sendable () -> Void { { [alarm] in alarm.ring() } }

  package func start(generation: Int) { loop.withLock { $0.start(generation: generation) } }

  package func release(generation: Int) { loop.withLock { $0.release(generation: generation) } }

  package func pause(_ slots: [Int]) { loop.withLock { $0.pause(slots) } }

  package func resume(_ slots: [Int]) { loop.withLock { $0.resume(slots) } }

  package func commit(_ job: CommitJob) { commits.commit(job) }

  /// Leaves the group, ends the commit thread and destroys the clients. What has not ended within the limit is left
  /// alone for good: destroying a client while a call is inside it does not return (librdkafka 2.0.2).
  package func close(limitNanoseconds: Int64) {
    let deadline = monotonicNanoseconds() + limitNanoseconds
    let hasLeft = loop.withLock { $0.leave(deadline: deadline) }
    let hasEnded = commits.stop(limitNanoseconds: max(0, deadline - monotonicNanoseconds()))
    guard hasLeft, hasEnded else { return abandon() }
    let closing = try? NamedThread(name: "kafka-close") { [consumer, producer] in
      consumer.destroy()
      producer.destroy()
    }
    guard let closing, closing.waitForEnd(limitNanoseconds: max(0, deadline - monotonicNanoseconds())) else {
      return abandon()
    }
    closing.join()
  }

  private func abandon() {
    consumer.abandon()
    producer.abandon()
  }
}
