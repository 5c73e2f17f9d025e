// One commit job as a Kafka transaction, as a machine: it says which call comes next and is told how it ended. The thread that
// makes blocking calls (an adapter) and a simulation in virtual time both drive it.
//
//   fresh ──► beginning ──► producing ⇄ reporting ──► sendingOffsets ──► committing ──► ended(committed)
//     ▲           └─────────────┴───────────┴────────────────┴───────────────┘
//     │                                     │ table: abort
//     └─repeat whole── takingReports ◄── aborting ──► ended(dropped, refused, failed)
//   any call: the same again after a pause (retriable), or ended(broken) (rebuild), ended(failed) (stop)

/// How a job ended, as the commit thread sees it.
package enum CommitOutcome: Hashable, Sendable {
  /// With this result.
  case ended(CommitResult)
  /// The worker cannot go on.
  case failed(WorkerFailure)
  /// The broker is being closed; nobody waits for the result.
  case abandoned
  /// The producer is of no more use; new clients have to be made. What became of the job is found out by them.
  case broken(wasFenced: Bool, detail: String)
}

/// What follows once a transaction is aborted.
private enum AfterAbort: Hashable {
  case repeatWhole
  case drop
  case refuse(output: Int)
}

/// begin, produce all, send offsets with the membership they belong to, commit. What follows from an error is decided by
/// `TransactionErrorTable` alone.
package struct TransactionMachine: Sendable {
  /// What the driver has to do; it says by `next` how that ended.
  package enum Step: Hashable, Sendable {
    /// Make this call (not `produce`, not `delivery`); answer `done` or `failed`. `begin` opens a new batch of outputs.
    case call(TransactionCall)
    /// Hand this output to the library; answer `done`, `full` or `failed`.
    case produce(output: Int)
    /// Answer `outstanding` with the number of outputs that have no report yet.
    case countReports
    /// Answer `reports` with what went wrong with outputs since the last time.
    case takeReports
    /// Try to abort once, shortly; the answer does not matter.
    case abortOnce
    /// Let reports in for so long; answer `done`.
    case pause(nanoseconds: Int64)
    /// The producer is ready for jobs.
    case ready
    /// Over.
    case end(CommitOutcome)
  }

  /// How a step ended.
  package enum Answer: Sendable {
    /// Well.
    case done
    /// The local queue is full.
    case full
    /// With this error.
    case failed(TransactionError)
    /// So many outputs have no report.
    case outstanding(Int)
    /// Errors of outputs, by index.
    case reports([(index: Int, error: TransactionError)])
  }

  /// What the loop allows at this moment.
  package struct Gate: Hashable, Sendable {
    /// The worker is ending.
    package let isClosing: Bool
    /// The job's assignment owns its partitions.
    package let admits: Bool

    package init(isClosing: Bool, admits: Bool) {
      self.isClosing = isClosing
      self.admits = admits
    }
  }

  private enum Phase: Hashable {
    case fresh
    case initialising
    case beginning
    case producing(Int)
    case reporting(Int)
    case sendingOffsets
    case committing
    case aborting
    case takingReports
    case leaving
  }

  private let job: CommitJob?
  private var phase: Phase
  /// A pause is on; then the phase is entered again.
  private var isPausing = false
  /// Each output waits for the report of the one before: finds out which of them the broker refuses.
  private var isOneByOne = false
  /// Times this batch was repeated although the broker had answered.
  private var repeats = 0
  private var afterAbort = AfterAbort.repeatWhole
  private var cause = TransactionError(code: "", message: "")
  /// Something for the log, to be taken by the driver after each step; nil: nothing.
  package var notice: String?

  private static let retryNanoseconds: Int64 = 100_000_000
  private static let reportWaitNanoseconds: Int64 = 20_000_000
  /// The same batch is not repeated more often than this.
  private static let repeatsMax = 3

  /// A machine that makes a producer ready (`initialise`), before any job.
  package init() {
    job = nil
    phase = .fresh
    isPausing = true
  }

  /// A machine for one job. Call `next(.done, …)` for its first step.
  package init(_ job: CommitJob) {
    self.job = job
    phase = .fresh
    isPausing = true
  }

  /// What to do next, the last step having ended so. The first call says `done`.
  package mutating func next(_ answer: Answer, gate: Gate) -> Step {
    if isPausing {
      isPausing = false
      return enter(gate)
    }
    switch phase {
    case .fresh: return enter(gate)
    case .initialising: return react(to: answer, in: .initialise) ?? .ready
    case .beginning: return react(to: answer, in: .begin) ?? produce(0, gate)
    case .producing(let index): return produced(index, answer, gate)
    case .reporting(let index): return counted(index, answer, gate)
    case .sendingOffsets: return react(to: answer, in: .sendOffsets) ?? commit()
    case .committing: return react(to: answer, in: .commit) ?? .end(.ended(.committed))
    case .aborting: return react(to: answer, in: .abort) ?? aborted()
    case .takingReports: return decideRepeat(answer)
    case .leaving: return .end(.abandoned)
    }
  }
}

// MARK: - One transaction

extension TransactionMachine {
  /// Enters the phase, for the first time or again after a pause.
  private mutating func enter(_ gate: Gate) -> Step {
    switch phase {
    case .fresh:
      guard job != nil else {
        phase = .initialising
        return .call(.initialise)
      }
      if gate.isClosing { return .end(.abandoned) }
      guard gate.admits else { return .end(.ended(Self.givenBack)) }
      phase = .beginning
      return .call(.begin)
    case .initialising: return again(.initialise, gate)
    case .beginning: return again(.begin, gate)
    case .committing: return again(.commit, gate)
    case .aborting: return again(.abort, gate)
    case .producing(let index): return interruption(gate) ?? .produce(output: index)
    case .reporting: return interruption(gate) ?? .countReports
    case .sendingOffsets: return interruption(gate) ?? .call(.sendOffsets)
    case .takingReports, .leaving: return .end(.abandoned)
    }
  }

  private func again(_ call: TransactionCall, _ gate: Gate) -> Step {
    gate.isClosing ? .end(.abandoned) : .call(call)
  }

  private mutating func produce(_ index: Int, _ gate: Gate) -> Step {
    guard let job, index < job.outputs.count else { return sendOffsets(gate) }
    phase = .producing(index)
    return .produce(output: index)
  }

  private mutating func produced(_ index: Int, _ answer: Answer, _ gate: Gate) -> Step {
    switch answer {
    case .full: return pause(Self.reportWaitNanoseconds)
    case .failed(let error):
      switch TransactionErrorTable.action(after: error, in: .produce) {
      case .sameCallAgain: return interruption(gate) ?? .produce(output: index)
      case .abortAndRefuse: return abort(.refuse(output: index), error)
      case .abortAndRepeat, .abortAndDrop, .rebuild, .stopFenced, .stopEnvironment: return follow(error, in: .produce)
      }
    case .done, .outstanding, .reports: break
    }
    guard isOneByOne else { return produce(index + 1, gate) }
    phase = .reporting(index)
    return .countReports
  }

  private mutating func counted(_ index: Int, _ answer: Answer, _ gate: Gate) -> Step {
    if case .outstanding(let count) = answer, count > 0 { return pause(Self.reportWaitNanoseconds) }
    return produce(index + 1, gate)
  }

  private mutating func sendOffsets(_ gate: Gate) -> Step {
    guard let job, !job.offsets.isEmpty else { return commit() }
    phase = .sendingOffsets
    return enter(gate)
  }

  /// The offsets have passed the broker's check of our membership: from here on the partitions may be taken away.
  private mutating func commit() -> Step {
    phase = .committing
    return .call(.commit)
  }

  /// What the loop demands between the calls of an open transaction, as long as it can still be given up.
  private mutating func interruption(_ gate: Gate) -> Step? {
    if gate.isClosing {
      // One short try, so that readers of the outputs do not wait for the transaction's timeout.
      phase = .leaving
      return .abortOnce
    }
    guard !gate.admits else { return nil }
    return abort(.drop, TransactionError(code: "", message: "the partitions were given back"))
  }

  private mutating func pause(_ nanoseconds: Int64) -> Step {
    isPausing = true
    return .pause(nanoseconds: nanoseconds)
  }

  private mutating func abort(_ then: AfterAbort, _ error: TransactionError) -> Step {
    afterAbort = then
    cause = error
    phase = .aborting
    return .call(.abort)
  }
}

// MARK: - Errors

extension TransactionMachine {
  /// Nil: the call has succeeded.
  private mutating func react(to answer: Answer, in call: TransactionCall) -> Step? {
    guard case .failed(let error) = answer else { return nil }
    return follow(error, in: call)
  }

  private mutating func follow(_ error: TransactionError, in call: TransactionCall) -> Step {
    let then: AfterAbort
    switch TransactionErrorTable.action(after: error, in: call) {
    case .sameCallAgain:
      notice = "\(call.rawValue): \(error.message); trying again"
      return pause(Self.retryNanoseconds)
    case .rebuild(let wasFenced):
      return .end(.broken(wasFenced: wasFenced, detail: "\(call.rawValue): \(error.message)"))
    case .stopFenced: return .end(.failed(Self.sharedIdentity(error)))
    case .stopEnvironment: return .end(.failed(Self.environment(error, in: call)))
    case .abortAndRepeat, .abortAndRefuse: then = .repeatWhole
    case .abortAndDrop: then = .drop
    }
    // Nothing is open before the first job, and what cannot be aborted cannot be used any more.
    switch call {
    case .initialise: return .end(.broken(wasFenced: false, detail: error.message))
    case .abort: return .end(.broken(wasFenced: false, detail: "abort: \(error.message)"))
    case .begin, .produce, .delivery, .sendOffsets, .commit: return abort(then, error)
    }
  }

  private mutating func aborted() -> Step {
    switch afterAbort {
    case .drop: return .end(.ended(.dropped(detail: cause.message)))
    case .refuse(let output): return .end(.ended(.refused(output: output, detail: cause.message)))
    case .repeatWhole:
      phase = .takingReports
      return .takeReports
    }
  }

  /// The outputs' own errors say whether the same once more makes sense.
  private mutating func decideRepeat(_ answer: Answer) -> Step {
    var errors: [(index: Int, error: TransactionError)] = []
    if case .reports(let reports) = answer { errors = reports }
    phase = .fresh
    for (index, error) in errors {
      switch TransactionErrorTable.action(after: error, in: .delivery) {
      case .abortAndRefuse:
        // The broker refuses a request as a whole: alone, each output shows whether it is the one.
        if isOneByOne || job?.outputs.count == 1 {
          return .end(.ended(.refused(output: index, detail: error.message)))
        }
        isOneByOne = true
        return pause(Self.retryNanoseconds)
      case .stopEnvironment:
        return .end(.failed(Self.environment(error, in: .delivery, topic: job?.outputs[index].topic)))
      case .stopFenced: return .end(.failed(Self.sharedIdentity(error)))
      case .sameCallAgain, .abortAndRepeat, .abortAndDrop, .rebuild: break
      }
    }
    let isOutage =
      TransactionErrorTable.isOutage(cause) || errors.contains { TransactionErrorTable.isOutage($0.error) }
    if !isOutage { repeats += 1 }
    guard repeats <= Self.repeatsMax else { return .end(.failed(tooOften)) }
    notice = "transaction aborted (\(cause.message)); repeating it"
    return pause(Self.retryNanoseconds)
  }
}

// MARK: - Words

extension TransactionMachine {
  /// How a job ends whose partitions are gone before it began.
  package static var givenBack: CommitResult { .dropped(detail: "the partitions were given back") }

  private var tooOften: WorkerFailure {
    WorkerFailure(
      .environment,
      "the same transaction was aborted \(repeats) times; the last reason: \(cause.message); look at the "
        + "broker's log, then start again: nothing of it was committed")
  }

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
