// Commit jobs as Kafka transactions: makes the calls that the engine's `TransactionMachine` asks for, one after the other.

import WorkerEngine

/// Drives one machine a job with calls that may block.
struct TransactionalCommit<Client: TransactionClient>: CommitStrategy {
  private let client: Client
  /// The membership that goes with an assignment; nil if the assignment is over.
  private let membership: (Int) -> Client.Membership?

  /// One call of commit, abort and initialise lasts no longer, so that the end of the worker is noticed.
  private static var callMilliseconds: Int32 { 2_000 }
  private static var sendOffsetsMilliseconds: Int32 { 5_000 }
  private static var lastAbortMilliseconds: Int32 { 1_000 }

  init(client: Client, membership: @escaping (Int) -> Client.Membership?) {
    self.client = client
    self.membership = membership
  }

  mutating func prepare(gate: CommitGate) -> CommitOutcome? {
    var machine = TransactionMachine()
    var answer = TransactionMachine.Answer.done
    while true {
      switch next(&machine, answer, gate, admits: true) {
      case .ready: return nil
      case .end(let outcome): return outcome
      case .call(.initialise): answer = Self.answer(client.initialise(limitMilliseconds: Self.callMilliseconds))
      case .pause(let nanoseconds):
        client.pause(nanoseconds: nanoseconds)
        answer = .done
      case .call, .produce, .countReports, .takeReports, .abortOnce: answer = .done
      }
    }
  }

  mutating func run(_ job: CommitJob, gate: CommitGate) -> CommitOutcome {
    guard let membership = membership(job.generation) else { return .ended(TransactionMachine.givenBack) }
    var machine = TransactionMachine(job)
    var answer = TransactionMachine.Answer.done
    var batch: UInt = 0
    while true {
      switch next(&machine, answer, gate, admits: gate.admits(job.generation)) {
      case .end(let outcome): return outcome
      case .call(let call): answer = make(call, job, membership, &batch)
      case .produce(let index):
        switch client.produce(job.outputs, index: index, batch: batch) {
        case nil: answer = .done
        case .full: answer = .full
        case .failed(let error): answer = .failed(error)
        }
      case .countReports: answer = .outstanding(client.outstanding(batch: batch))
      case .takeReports: answer = .reports(client.takeDeliveryErrors(batch: batch))
      case .abortOnce:
        _ = client.abort(limitMilliseconds: Self.lastAbortMilliseconds)
        answer = .done
      case .pause(let nanoseconds):
        client.pause(nanoseconds: nanoseconds)
        answer = .done
      case .ready: answer = .done
      }
    }
  }

  private func next(
    _ machine: inout TransactionMachine, _ answer: TransactionMachine.Answer, _ gate: CommitGate, admits: Bool
  ) -> TransactionMachine.Step {
    let step = machine.next(answer, gate: TransactionMachine.Gate(isClosing: gate.isClosing, admits: admits))
    if let notice = machine.notice {
      client.log(notice)
      machine.notice = nil
    }
    return step
  }

  private func make(
    _ call: TransactionCall, _ job: CommitJob, _ membership: Client.Membership, _ batch: inout UInt
  ) -> TransactionMachine.Answer {
    switch call {
    case .initialise: return Self.answer(client.initialise(limitMilliseconds: Self.callMilliseconds))
    case .begin:
      let error = client.begin()
      if error == nil { batch = client.open(job.outputs) }
      return Self.answer(error)
    case .sendOffsets:
      let states = job.offsets.map {
        PartitionState(partition: $0.partition, offset: $0.offset, metadata: $0.metadata)
      }
      return Self.answer(
        client.sendOffsets(states, of: membership, limitMilliseconds: Self.sendOffsetsMilliseconds))
    case .commit: return Self.answer(client.commit(limitMilliseconds: Self.callMilliseconds))
    case .abort: return Self.answer(client.abort(limitMilliseconds: Self.callMilliseconds))
    case .produce, .delivery: return .done
    }
  }

  private static func answer(_ error: TransactionError?) -> TransactionMachine.Answer {
    error.map { .failed($0) } ?? .done
  }
}
