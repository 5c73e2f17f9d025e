// Commit jobs for brokers without transactions: outputs first, offsets once all of them are delivered.

import WorkerEngine

/// Outputs through the idempotent producer, then the offsets with their metadata through the consumer.
struct AtLeastOnceCommit: CommitStrategy {
  private let producer: ProducerHandle
  private let consumer: ConsumerHandle
  /// Where the answer to the commit under way arrives; a new one when an answer was not waited for, so that it cannot be taken
  /// for the next one's.
  private var answers: QueueHandle

  /// How long one wait lasts before the gate is looked at again.
  private static let waitNanoseconds: Int64 = 50_000_000
  /// How long to leave the broker alone after an error that may pass.
  private static let backoffNanoseconds: Int64 = 100_000_000

  init(producer: ProducerHandle, consumer: ConsumerHandle) {
    self.producer = producer
    self.consumer = consumer
    answers = consumer.makeQueue(wake: producer.wake)
  }

  mutating func prepare(gate: CommitGate) -> CommitOutcome? { nil }

  mutating func run(_ job: CommitJob, gate: CommitGate) -> CommitOutcome {
    // Nearly always all at once; what failed for a passing reason comes again, one by one.
    var pending = job.outputs.isEmpty ? [] : [job.outputs.indices]
    while !pending.isEmpty {
      switch deliver(job, pending, gate) {
      case .success(let undelivered):
        pending = undelivered
        if !pending.isEmpty { producer.wake.wait(limitNanoseconds: AtLeastOnceCommit.backoffNanoseconds) }
      case .failure(let stop):
        return stop.outcome
      }
    }
    return commitOffsets(job, gate)
  }

  /// Ends a job early.
  private struct Stop: Error {
    let outcome: CommitOutcome
  }

  /// Produces the outputs with these indices and waits for their reports. Returns those to be produced again.
  private func deliver(_ job: CommitJob, _ pending: [Range<Int>], _ gate: CommitGate) -> Result<[Range<Int>], Stop> {
    let batch = producer.open(job.outputs)
    for indices in pending {
      var next = indices.lowerBound
      while next < indices.upperBound {
        let (queued, result) = producer.enqueue(next..<indices.upperBound, batch: batch)
        next += queued
        guard let result else { break }
        if case .failed(let error) = result, let stop = stop(for: error, output: next) { return .failure(stop) }
        if let stop = interruption(job, gate) { return .failure(stop) }
        producer.wake.wait(limitNanoseconds: AtLeastOnceCommit.waitNanoseconds)
        producer.serve()
      }
    }
    producer.serve()
    while producer.outstanding(batch: batch) > 0 {
      producer.wake.wait(limitNanoseconds: AtLeastOnceCommit.waitNanoseconds)
      producer.serve()
      if let stop = interruption(job, gate) { return .failure(stop) }
    }
    let failures = producer.takeFailures(batch: batch)
    for failure in failures {
      if let stop = stop(for: failure.error, output: failure.index) { return .failure(stop) }
    }
    return .success(failures.map(\.index).sorted().map { $0..<$0 + 1 })
  }

  /// Commits the offsets and waits for the answer.
  private mutating func commitOffsets(_ job: CommitJob, _ gate: CommitGate) -> CommitOutcome {
    let states = job.offsets.map { PartitionState(partition: $0.partition, offset: $0.offset, metadata: $0.metadata) }
    guard !states.isEmpty else { return .ended(.committed) }
    while true {
      if let stop = interruption(job, gate) { return stop.outcome }
      guard let asked = gate.whileOwned(by: job.generation, { consumer.commit(states, answers: answers) }) else {
        return .ended(.dropped(detail: "the partitions were given back"))
      }
      var error = asked
      if asked == nil {
        switch awaitAnswer(job, gate) {
        case .success(let answer): error = answer
        case .failure(let stop):
          answers = consumer.makeQueue(wake: producer.wake)
          return stop.outcome
        }
      }
      guard let error else { return .ended(.committed) }
      if let stop = stop(for: error.during("committing offsets"), output: nil) { return stop.outcome }
      producer.wake.wait(limitNanoseconds: AtLeastOnceCommit.backoffNanoseconds)
    }
  }

  private func awaitAnswer(_ job: CommitJob, _ gate: CommitGate) -> Result<KafkaError?, Stop> {
    while true {
      if let event = answers.next(waitMilliseconds: 0) { return .success(event.commitError) }
      producer.wake.wait(limitNanoseconds: AtLeastOnceCommit.waitNanoseconds)
      producer.serve()
      if let stop = interruption(job, gate) { return .failure(stop) }
    }
  }

  /// Nil: the same again.
  private func stop(for error: KafkaError, output: Int?) -> Stop? {
    switch error.reaction {
    case .retry:
      return nil
    case .groupMoved:
      return Stop(outcome: .ended(.dropped(detail: error.message)))
    case .messageRefused:
      guard let output else { return Stop(outcome: .failed(WorkerFailure(.environment, error.message))) }
      return Stop(outcome: .ended(.refused(output: output, detail: error.message)))
    case .fenced:
      return Stop(outcome: .failed(WorkerFailure(.fenced, error.message)))
    case .environment, .clientBroken:
      return Stop(outcome: .failed(WorkerFailure(.environment, error.message)))
    }
  }

  private func interruption(_ job: CommitJob, _ gate: CommitGate) -> Stop? {
    if gate.isClosing { return Stop(outcome: .abandoned) }
    if !gate.admits(job.generation) {
      return Stop(outcome: .ended(.dropped(detail: "the partitions were given back")))
    }
    return nil
  }
}
