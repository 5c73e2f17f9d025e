// The engine's `Broker` on librdkafka: one consumer, one producer, one commit thread.

import Synchronization
package import WorkerEngine

/// One worker's identity towards Kafka. All calls come from the worker's loop, `wake` from any thread.
package final class KafkaBroker: Broker, Sendable {
  private let alarm = WakeDescriptor()
  private let life: Mutex<BrokerLife>
  /// Without transactions nothing holds outputs and offsets together.
  package let sendsAhead: Bool

  /// Makes both clients; the group is joined after `subscribe`. Throws `.environment` for a setting the library refuses.
  package init(settings: KafkaSettings, group: KafkaGroupSettings) throws(KafkaError) {
    sendsAhead = group.delivery == .atLeastOnce
    life = Mutex(try BrokerLife(settings: settings, group: group, alarm: alarm))
  }

  package func subscribe() throws(WorkerFailure) {
    if let failure = life.withLock({ $0.subscribe() }) { throw failure }
  }

  package func poll(maxRecords: Int, waitNanoseconds: Int64) -> [BrokerEvent] {
    life.withLock { $0.poll(maxRecords: maxRecords, waitNanoseconds: waitNanoseconds) }
  }

  package var waker: @Sendable () -> Void { { [alarm] in alarm.ring() } }

  package func start(generation: Int, oneBefore slots: [Int]) {
    life.withLock { $0.start(generation: generation, oneBefore: slots) }
  }

  package func startOver(generation: Int, slots: [Int], at place: LogPlace) {
    life.withLock { $0.startOver(generation: generation, slots: slots, at: place) }
  }

  package func release(generation: Int) { life.withLock { $0.release(generation: generation) } }

  package func pause(_ slots: [Int]) { life.withLock { $0.pause(slots) } }

  package func resume(_ slots: [Int]) { life.withLock { $0.resume(slots) } }

  package func send(_ outputs: [Output], ofBatch batch: Int, generation: Int) {
    life.withLock { $0.send(outputs, ofBatch: batch, generation: generation) }
  }

  package func commit(_ job: CommitJob) { life.withLock { $0.commit(job) } }

  /// Leaves the group, ends the commit thread and destroys the clients. What has not ended within the limit is left
  /// alone for good: destroying a client while a call is inside it does not return (librdkafka 2.0.2).
  package func close(limitNanoseconds: Int64) { life.withLock { $0.close(limitNanoseconds: limitNanoseconds) } }
}
