// For commands that pass messages on: publishes some and says in a consumer group's committed offsets that they are done, in one
// step. On brokers with transactions both happen or neither; else messages first, offsets once they are delivered.

import Operations
import Synchronization
package import WorkerEngine

/// A producer with a memory in a group's offsets. Not a member of the group: nobody consumes in it. One call at a time; calls
/// block and so belong on a thread of the caller's own.
package final class KafkaRelay: Sendable {
  /// What became of one step.
  package enum Ending: Hashable, Sendable {
    /// Messages and offsets are durable.
    case done
    /// The broker refuses one message for its own sake (index): nothing was published.
    case refused(output: Int, detail: String)
    /// The broker refuses these for their own sake; all others are durable, and no offset was committed (without transactions
    /// only): commit what was done with a step that publishes nothing.
    case publishedExcept([RefusedOutput])
  }

  private let consumer: ConsumerHandle
  private let producer: ProducerHandle
  private let gate = CommitGate()
  private let ahead = SentAhead()
  private let delivery: DeliveryMode
  private let brokers: String
  private let isPrepared = Mutex(false)

  /// How long the calls inside have after the limit to notice it.
  private static let graceNanoseconds: Int64 = 20_000_000_000

  /// With `exactlyOnce`, a second live relay of the same group and name fences the first.
  package init(settings: KafkaSettings, group: String, name: String, delivery: DeliveryMode) throws(KafkaError) {
    let group = KafkaGroupSettings(group: group, topics: [], delivery: delivery, workerName: name)
    consumer = try ConsumerHandle(settings: settings, group: group, wake: WakeDescriptor())
    producer = try ProducerHandle(settings: settings, transactionalID: try group.transactionalID())
    self.delivery = delivery
    brokers = settings.brokers
    gate.open(generation: 0, membership: consumer.membership())
  }

  deinit { close() }

  /// Ends both clients; may take some seconds.
  package func close() {
    consumer.destroy()
    producer.destroy()
  }

  /// Takes the name over from whoever had it, so that what `committed` says stays true until we change it.
  package func takeOver(limitNanoseconds: Int64 = 30_000_000_000) throws(KafkaError) {
    guard !isPrepared.withLock({ $0 }) else { return }
    if let outcome = try bounded(limitNanoseconds, { $0.prepare(gate: $1) }) { _ = try ending(of: outcome) }
    isPrepared.withLock { $0 = true }
  }

  /// What is committed for these partitions, with its metadata.
  package func committed(
    _ partitions: [TopicPartition], limitMilliseconds: Int = 15_000
  ) throws(KafkaError) -> [AssignedPartition] {
    try consumer.committed(partitions, limitMilliseconds: Int32(limitMilliseconds)).get().map { state in
      AssignedPartition(
        partition: state.partition, committed: state.offset >= 0 ? state.offset : nil, metadata: state.metadata)
    }
  }

  /// Publishes and commits. Throws `.fenced` if another relay has taken the name over, `.retry` if the limit is over: it may
  /// have happened, and `committed` tells.
  package func publish(
    _ outputs: [Output], _ offsets: [PartitionCommit], limitNanoseconds: Int64
  ) throws(KafkaError) -> Ending {
    let job = CommitJob(id: 0, generation: 0, outputs: outputs, offsets: offsets)
    guard let outcome = try bounded(limitNanoseconds, { $0.run(job, gate: $1) }) else { return .done }
    return try ending(of: outcome)
  }

  private func ending(of outcome: CommitOutcome) throws(KafkaError) -> Ending {
    switch outcome {
    case .ended(.committed): return .done
    case .ended(.refused(let output, let detail)): return .refused(output: output, detail: detail)
    case .ended(.deliveredExcept(let refused)): return .publishedExcept(refused)
    case .ended(.dropped(let detail)): throw KafkaError(code: "", reaction: .groupMoved, message: detail)
    case .failed(let failure):
      throw KafkaError(code: "", reaction: failure.kind == .fenced ? .fenced : .environment, message: failure.message)
    case .broken(true, let detail):
      throw KafkaError(
        code: "", reaction: .fenced,
        message: "another process does the same at this time (\(detail)); look again, then repeat")
    case .broken(false, let detail): throw KafkaError(code: "", reaction: .environment, message: detail)
    case .abandoned: throw .unreachable(brokers: brokers, detail: "no end of the transaction in time")
    }
  }

  /// Runs a step on a thread of its own; past the limit the gate ends it.
  private func bounded(
    _ limit: Int64, _ body: @escaping @Sendable (inout any CommitStrategy, CommitGate) -> CommitOutcome?
  ) throws(KafkaError) -> CommitOutcome? {
    let box = OutcomeBox()
    let thread: NamedThread
    do throws(ThreadProblem) {
      thread = try NamedThread(name: "kafka-relay") { [self] in
        var strategy: any CommitStrategy =
          switch delivery {
          case .atLeastOnce:
            AtLeastOnceCommit(client: DeliveryClients(producer: producer, consumer: consumer), ahead: ahead)
          case .exactlyOnce: TransactionalCommit(client: producer) { [gate] in gate.membership(of: $0) }
          }
        box.set(body(&strategy, gate))
      }
    } catch {
      throw .environment(error.description)
    }
    guard !thread.waitForEnd(limitNanoseconds: limit) else {
      thread.join()
      return box.outcome
    }
    gate.close()
    guard thread.waitForEnd(limitNanoseconds: Self.graceNanoseconds) else {
      consumer.abandon()
      producer.abandon()
      throw .unreachable(brokers: brokers, detail: "no answer in time")
    }
    thread.join()
    return box.outcome
  }
}

/// What the thread came to.
private final class OutcomeBox: Sendable {
  private let result = Mutex<CommitOutcome?>(nil)

  var outcome: CommitOutcome? { result.withLock { $0 } }

  func set(_ outcome: CommitOutcome?) { result.withLock { $0 = outcome } }
}
