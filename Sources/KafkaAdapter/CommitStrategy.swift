// How one commit job is done. Each delivery mode has its own strategy behind this protocol.

import WorkerEngine

/// Does commit jobs, one after the other, on the commit thread; may block as long as it looks at the gate in between.
protocol CommitStrategy {
  /// Once, before the first job; nil when jobs may come. Repeats what may pass until the gate closes.
  mutating func prepare(gate: CommitGate) -> CommitOutcome?
  /// Does the whole job. Transient errors are repeated for as long as the gate lets the job go on.
  mutating func run(_ job: CommitJob, gate: CommitGate) -> CommitOutcome
}
