// Commit jobs as Kafka transactions: outputs and offsets become visible together or not at all.

import WorkerEngine

// Not inside the generic type: there the compiler's optimiser (6.3.1) crashes on a function that throws it.

/// Ends an attempt early.
private enum Ending: Error {
  /// The job is over.
  case over(CommitOutcome)
  /// The transaction must be aborted; then the rest follows.
  case abort(Then, cause: TransactionError)
}

/// What follows an abort.
private enum Then {
  case repeatWhole
  case drop
  case refuse(output: Int)
}

/// begin, produce all, send offsets with the membership they belong to, commit. What follows from an error is decided by
/// `TransactionErrorTable` alone.
struct TransactionalCommit<Client: TransactionClient>: CommitStrategy {
  /// The job that is being done.
  private struct Attempt {
    let job: CommitJob
    let membership: Client.Membership
    /// Each output waits for the report of the one before: finds out which of them the broker refuses.
    var isOneByOne = false
    /// Times this batch was repeated although the broker had answered.
    var repeats = 0
    var batch: UInt = 0
  }

  private let client: Client
  /// The membership that goes with an assignment; nil if the assignment is over.
  private let membership: (Int) -> Client.Membership?

  /// One call of commit, abort and initialise lasts no longer, so that the end of the worker is noticed.
  private static var callMilliseconds: Int32 { 2_000 }
  private static var sendOffsetsMilliseconds: Int32 { 5_000 }
  private static var lastAbortMilliseconds: Int32 { 1_000 }
  private static var pauseNanoseconds: Int64 { 100_000_000 }
  private static var reportWaitNanoseconds: Int64 { 20_000_000 }
  /// The same batch is not repeated more often than this.
  private static var repeatsMax: Int { 3 }

  init(client: Client, membership: @escaping (Int) -> Client.Membership?) {
    self.client = client
    self.membership = membership
  }

  // MARK: What the commit thread calls

  mutating func prepare(gate: CommitGate) -> CommitOutcome? {
    do throws(Ending) {
      try call(.initialise, gate) { client.initialise(limitMilliseconds: Self.callMilliseconds) }
      return nil
    } catch {
      switch error {
      case .over(let outcome): return outcome
      case .abort(_, let cause): return .broken(wasFenced: false, detail: cause.message)
      }
    }
  }

  mutating func run(_ job: CommitJob, gate: CommitGate) -> CommitOutcome {
    guard let membership = membership(job.generation) else { return .ended(Self.givenBack) }
    var attempt = Attempt(job: job, membership: membership)
    while true {
      do throws(Ending) {
        try transact(&attempt, gate)
        return .ended(.committed)
      } catch {
        switch error {
        case .over(let outcome): return outcome
        case .abort(let then, let cause):
          if let outcome = abort(&attempt, then, cause, gate) { return outcome }
        }
      }
      client.pause(nanoseconds: Self.pauseNanoseconds)
    }
  }

  // MARK: One transaction

  private func transact(_ attempt: inout Attempt, _ gate: CommitGate) throws(Ending) {
    try checkBeforeBegin(attempt.job, gate)
    try call(.begin, gate) { client.begin() }
    attempt.batch = client.open(attempt.job.outputs)
    for index in attempt.job.outputs.indices { try produce(index, attempt, gate) }
    if !attempt.job.offsets.isEmpty { try sendOffsets(attempt, gate) }
    // The offsets have passed the broker's check of our membership: from here on the partitions may be taken away.
    try call(.commit, gate) { client.commit(limitMilliseconds: Self.callMilliseconds) }
  }

  private func checkBeforeBegin(_ job: CommitJob, _ gate: CommitGate) throws(Ending) {
    if gate.isClosing { throw .over(.abandoned) }
    if !gate.admits(job.generation) { throw .over(.ended(Self.givenBack)) }
  }

  private func produce(_ index: Int, _ attempt: Attempt, _ gate: CommitGate) throws(Ending) {
    while let failure = client.produce(attempt.job.outputs[index], batch: attempt.batch, index: index) {
      switch failure {
      case .full: client.pause(nanoseconds: Self.reportWaitNanoseconds)
      case .failed(let error): try react(to: error, in: .produce, output: index)
      }
      try checkInside(attempt.job, gate)
    }
    guard attempt.isOneByOne else { return }
    while client.outstanding(batch: attempt.batch) > 0 {
      client.pause(nanoseconds: Self.reportWaitNanoseconds)
      try checkInside(attempt.job, gate)
    }
  }

  private func sendOffsets(_ attempt: Attempt, _ gate: CommitGate) throws(Ending) {
    let states = attempt.job.offsets.map {
      PartitionState(partition: $0.partition, offset: $0.offset, metadata: $0.metadata)
    }
    try call(.sendOffsets, gate, job: attempt.job) {
      client.sendOffsets(states, of: attempt.membership, limitMilliseconds: Self.sendOffsetsMilliseconds)
    }
  }

  /// To be asked between the calls of an open transaction, as long as it can still be given up.
  private func checkInside(_ job: CommitJob, _ gate: CommitGate) throws(Ending) {
    if gate.isClosing {
      // One short try, so that readers of the outputs do not wait for the transaction's timeout.
      _ = client.abort(limitMilliseconds: Self.lastAbortMilliseconds)
      throw .over(.abandoned)
    }
    if !gate.admits(job.generation) {
      throw .abort(.drop, cause: TransactionError(code: "", message: "the partitions were given back"))
    }
  }

  /// Repeats one call until it has succeeded or the table says something else. With `job`, the assignment must last.
  private func call(
    _ call: TransactionCall, _ gate: CommitGate, job: CommitJob? = nil, _ body: () -> TransactionError?
  ) throws(Ending) {
    while true {
      if let job { try checkInside(job, gate) }
      guard let error = body() else { return }
      try react(to: error, in: call, output: nil)
      client.log("\(call.rawValue): \(error.message); trying again")
      client.pause(nanoseconds: Self.pauseNanoseconds)
      if gate.isClosing, job == nil { throw .over(.abandoned) }
    }
  }

  /// Returns if the same call is to be made again.
  private func react(to error: TransactionError, in call: TransactionCall, output: Int?) throws(Ending) {
    switch TransactionErrorTable.action(after: error, in: call) {
    case .sameCallAgain: return
    case .abortAndRepeat: throw .abort(.repeatWhole, cause: error)
    case .abortAndDrop: throw .abort(.drop, cause: error)
    case .abortAndRefuse: throw .abort(output.map { .refuse(output: $0) } ?? .repeatWhole, cause: error)
    case .rebuild(let wasFenced):
      throw .over(.broken(wasFenced: wasFenced, detail: "\(call.rawValue): \(error.message)"))
    case .stopFenced: throw .over(.failed(Self.sharedIdentity(error)))
    case .stopEnvironment: throw .over(.failed(Self.environment(error, in: call)))
    }
  }

  // MARK: After a failed attempt

  /// Aborts and decides how the job goes on; nil: once more from the beginning.
  private func abort(
    _ attempt: inout Attempt, _ then: Then, _ cause: TransactionError, _ gate: CommitGate
  ) -> CommitOutcome? {
    do throws(Ending) {
      try call(.abort, gate) { client.abort(limitMilliseconds: Self.callMilliseconds) }
    } catch {
      switch error {
      case .over(let outcome): return outcome
      case .abort(_, let cause): return .broken(wasFenced: false, detail: "abort: \(cause.message)")
      }
    }
    switch then {
    case .drop: return .ended(.dropped(detail: cause.message))
    case .refuse(let output): return .ended(.refused(output: output, detail: cause.message))
    case .repeatWhole: return repeatWhole(&attempt, cause)
    }
  }

  private func repeatWhole(_ attempt: inout Attempt, _ cause: TransactionError) -> CommitOutcome? {
    let errors = client.takeDeliveryErrors(batch: attempt.batch)
    for (index, error) in errors {
      switch TransactionErrorTable.action(after: error, in: .delivery) {
      case .abortAndRefuse:
        // The broker refuses a request as a whole: alone, each output shows whether it is the one.
        if attempt.isOneByOne || attempt.job.outputs.count == 1 {
          return .ended(.refused(output: index, detail: error.message))
        }
        attempt.isOneByOne = true
        return nil
      case .stopEnvironment:
        return .failed(Self.environment(error, in: .delivery, topic: attempt.job.outputs[index].topic))
      case .stopFenced: return .failed(Self.sharedIdentity(error))
      case .sameCallAgain, .abortAndRepeat, .abortAndDrop, .rebuild: break
      }
    }
    let isOutage =
      TransactionErrorTable.isOutage(cause) || errors.contains { TransactionErrorTable.isOutage($0.error) }
    if !isOutage { attempt.repeats += 1 }
    guard attempt.repeats <= Self.repeatsMax else {
      return .failed(
        WorkerFailure(
          .environment,
          "the same transaction was aborted \(attempt.repeats) times; the last reason: \(cause.message); look at the "
            + "broker's log, then start again: nothing of it was committed"))
    }
    client.log("transaction aborted (\(cause.message)); repeating it")
    return nil
  }

  // MARK: Words

  private static var givenBack: CommitResult { .dropped(detail: "the partitions were given back") }

  private static func sharedIdentity(_ error: TransactionError) -> WorkerFailure {
    WorkerFailure(
      .fenced, "\(error.message): another live process uses the same group.instance.id; stop one of them")
  }

  private static func environment(
    _ error: TransactionError, in call: TransactionCall, topic: String? = nil
  ) -> WorkerFailure {
    let place = topic.map { " to \($0)" } ?? ""
    let remedy =
      switch call {
      case .initialise: "; if the broker has no transactions, use --delivery at-least-once"
      case .sendOffsets where error.code == "OFFSET_METADATA_TOO_LARGE":
        "; the broker's offset.metadata.max.bytes must be 4096 or more"
      case .begin, .produce, .delivery, .sendOffsets, .commit, .abort: ""
      }
    return WorkerFailure(.environment, "\(call.rawValue)\(place): \(error.message)\(remedy)")
  }
}
