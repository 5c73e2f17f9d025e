// How one commit job is done. Each delivery mode has its own strategy behind this protocol.

import WorkerEngine

/// How a job ended, as the commit thread sees it.
enum CommitOutcome: Hashable, Sendable {
  case ended(CommitResult)
  /// The worker cannot go on.
  case failed(WorkerFailure)
  /// The broker is being closed; nobody waits for the result.
  case abandoned
  /// The producer is of no more use; new clients have to be made. What became of the job is found out by them.
  case broken(wasFenced: Bool, detail: String)
}

/// Does commit jobs, one after the other, on the commit thread; may block as long as it looks at the gate in between.
protocol CommitStrategy {
  /// Once, before the first job; nil when jobs may come. Repeats what may pass until the gate closes.
  mutating func prepare(gate: CommitGate) -> CommitOutcome?
  /// Does the whole job. Transient errors are repeated for as long as the gate lets the job go on.
  mutating func run(_ job: CommitJob, gate: CommitGate) -> CommitOutcome
}
