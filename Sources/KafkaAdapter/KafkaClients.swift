// The clients of one worker, made and ended together.

import Operations
import WorkerEngine

/// One consumer, one producer and the thread that commits. When a producer is of no more use, all are made anew.
final class KafkaClients: Sendable {
  let consumer: ConsumerHandle
  let producer: ProducerHandle
  let gate = CommitGate()
  /// Outputs that left before their commit job; without transactions only.
  let ahead = SentAhead()
  let notes = Inbox<CommitNote>()
  let commits: CommitThread

  /// Makes both clients and starts the thread; `alarm` rings when there is something for the loop.
  init(settings: KafkaSettings, group: KafkaGroupSettings, alarm: WakeDescriptor) throws(KafkaError) {
    let consumer = try ConsumerHandle(settings: settings, group: group, wake: alarm)
    let producer = try ProducerHandle(settings: settings, transactionalID: try group.transactionalID())
    self.consumer = consumer
    self.producer = producer
    notes.onArrival { alarm.ring() }
    commits = CommitThread(gate: gate, notes: notes, wake: producer.wake)
    try commits.start(producer: producer, consumer: consumer) { [gate, ahead] in
      switch group.delivery {
      case .atLeastOnce:
        AtLeastOnceCommit(client: DeliveryClients(producer: producer, consumer: consumer), ahead: ahead)
      case .exactlyOnce: TransactionalCommit(client: producer) { gate.membership(of: $0) }
      }
    }
  }

  /// Ends the commit thread, then destroys the clients; false if that was not over in time. What has not ended is left
  /// alone for good: destroying a client while a call is inside it does not return (librdkafka 2.0.2). Precondition: the
  /// group has been left, or `hasLeft` is false.
  func end(hasLeft: Bool, deadline: Int64) -> Bool {
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
    return true
  }

  private func abandon() -> Bool {
    consumer.abandon()
    producer.abandon()
    return false
  }
}

extension KafkaGroupSettings {
  /// `<group>-<instance>-<worker>`; nil without transactions.
  func transactionalID() throws(KafkaError) -> String? {
    switch delivery {
    case .atLeastOnce: return nil
    case .exactlyOnce:
      guard let workerName, !workerName.isEmpty else {
        throw .environment("exactly-once delivery needs a name for the worker that stays the same over restarts")
      }
      return "\(group)-\(workerName)"
    }
  }
}
