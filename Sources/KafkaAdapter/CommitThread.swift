// The thread beside the loop that makes the calls which may block: commit jobs and reading committed offsets.

import Operations
import Synchronization
import WorkerEngine

/// What the commit thread tells the loop.
enum CommitNote: Sendable {
  case ended(job: Int, CommitResult)
  case lookedUp(generation: Int, [AssignedPartition])
  case failed(WorkerFailure)
  /// Jobs may come.
  case prepared
  /// The thread has ended: the clients have to be made anew.
  case broken(ClientBreakdown)
}

/// Why clients are of no more use.
struct ClientBreakdown: Hashable, Sendable {
  /// Another client may have taken our transactional id over.
  let wasFenced: Bool
  let detail: String
  /// The job that was under way.
  let job: Int?
}

/// One named thread, one piece of work at a time, in order. Reading offsets waits behind a job that is still running, so
/// that it cannot miss what that job commits.
final class CommitThread: Sendable {
  private enum Work: Sendable {
    case commit(CommitJob)
    case lookUp(generation: Int, [TopicPartition])
  }

  private struct State {
    var work: [Work] = []
    var wantedLookUp: Int?
  }

  private let state = Mutex(State())
  private let gate: CommitGate
  private let notes: Inbox<CommitNote>
  private let wake: WakeDescriptor
  private let thread = Mutex<NamedThread?>(nil)

  /// The client is served at least this often while there is nothing to do.
  private static let idleNanoseconds: Int64 = 500_000_000
  /// One call that reads committed offsets lasts no longer than this.
  private static let lookUpMilliseconds: Int32 = 1_000
  /// Pause between two such calls.
  private static let lookUpBackoffNanoseconds: Int64 = 100_000_000

  init(gate: CommitGate, notes: Inbox<CommitNote>, wake: WakeDescriptor) {
    self.gate = gate
    self.notes = notes
    self.wake = wake
  }

  /// Starts the thread. `makeStrategy` runs on it, so that the strategy never leaves it. Throws `.environment` if the
  /// system refuses a thread.
  func start(
    producer: ProducerHandle, consumer: ConsumerHandle, makeStrategy: @escaping @Sendable () -> any CommitStrategy
  ) throws(KafkaError) {
    do throws(ThreadProblem) {
      let started = try NamedThread(name: "kafka-commit") { self.run(producer, consumer, makeStrategy) }
      thread.withLock { $0 = started }
    } catch {
      throw .environment(error.description)
    }
  }

  /// Starts a job.
  func commit(_ job: CommitJob) {
    state.withLock { $0.work.append(.commit(job)) }
    wake.ring()
  }

  /// Starts reading the committed offsets of an assignment.
  func lookUp(_ partitions: [TopicPartition], generation: Int) {
    state.withLock { state in
      state.wantedLookUp = generation
      state.work.append(.lookUp(generation: generation, partitions))
    }
    wake.ring()
  }

  /// The assignment has gone: its offsets are of no interest any more.
  func cancelLookUp() { state.withLock { $0.wantedLookUp = nil } }

  /// Makes the thread end as soon as it returns from the call it is in. Returns false if that was not within the limit.
  func stop(limitNanoseconds: Int64) -> Bool {
    gate.close()
    wake.ring()
    guard let started = thread.withLock({ $0 }) else { return true }
    return started.waitForEnd(limitNanoseconds: limitNanoseconds)
  }

  private func run(
    _ producer: ProducerHandle, _ consumer: ConsumerHandle, _ makeStrategy: @Sendable () -> any CommitStrategy
  ) {
    var strategy = makeStrategy()
    let mayWork =
      if let outcome = strategy.prepare(gate: gate) { tell(outcome, of: nil) } else { true }
    guard mayWork else { return }
    notes.put([.prepared])
    while !gate.isClosing {
      guard let next = state.withLock({ $0.work.isEmpty ? nil : $0.work.removeFirst() }) else {
        wake.wait(limitNanoseconds: CommitThread.idleNanoseconds)
        producer.serve()
        continue
      }
      switch next {
      case .commit(let job):
        guard tell(strategy.run(job, gate: gate), of: job) else { return }
      case .lookUp(let generation, let partitions):
        readCommitted(consumer, partitions, generation)
      }
    }
  }

  /// Returns false if the thread has nothing left to do.
  private func tell(_ outcome: CommitOutcome, of job: CommitJob?) -> Bool {
    switch outcome {
    case .ended(let result):
      if let job { notes.put([.ended(job: job.id, result)]) }
      return true
    case .failed(let failure):
      notes.put([.failed(failure)])
      return true
    case .abandoned:
      return false
    case .broken(let wasFenced, let detail):
      notes.put([.broken(ClientBreakdown(wasFenced: wasFenced, detail: detail, job: job?.id))])
      return false
    }
  }

  /// Repeats short calls: with a dead owner's transaction open the broker does not answer for a while.
  private func readCommitted(_ consumer: ConsumerHandle, _ partitions: [TopicPartition], _ generation: Int) {
    while !gate.isClosing, state.withLock({ $0.wantedLookUp == generation }), !consumer.isAssignmentLost {
      switch consumer.committed(partitions, limitMilliseconds: CommitThread.lookUpMilliseconds) {
      case .success(let states):
        let assigned = states.map { state in
          AssignedPartition(
            partition: state.partition, committed: state.offset >= 0 ? state.offset : nil, metadata: state.metadata)
        }
        notes.put([.lookedUp(generation: generation, assigned)])
        return
      case .failure(let error):
        if let failure = error.workerFailure(during: "reading committed offsets") {
          notes.put([.failed(failure)])
          return
        }
        consumer.log(level: 6, facility: "COMMITTED", "reading committed offsets: \(error.message); trying again")
        wake.wait(limitNanoseconds: CommitThread.lookUpBackoffNanoseconds)
      }
    }
  }
}

extension KafkaError {
  /// Nil if the error may pass or concerns only the present membership.
  func workerFailure(during what: String) -> WorkerFailure? {
    switch reaction {
    case .retry, .groupMoved, .messageRefused: nil
    case .fenced:
      WorkerFailure(
        .fenced,
        "\(what): \(message): another live process uses the same group.instance.id or worker identity; stop one of them"
      )
    case .environment, .clientBroken: WorkerFailure(.environment, "\(what): \(message)")
    }
  }
}
