// How one commit job is done. Each delivery mode has its own strategy behind this protocol.

import WorkerEngine

/// How a job ended, as the commit thread sees it.
enum CommitOutcome: Hashable, Sendable {
  case ended(CommitResult)
  /// The worker cannot go on.
  case failed(WorkerFailure)
  /// The broker is being closed; nobody waits for the result.
  case abandoned
}

/// Does commit jobs, one after the other, on the commit thread; may block as long as it looks at the gate in between.
protocol CommitStrategy {
  /// Does the whole job. Transient errors are repeated for as long as the gate lets the job go on.
  mutating func run(_ job: CommitJob, gate: CommitGate) -> CommitOutcome
}
