// One worker of the simulated pipeline: the real loop and stage with a broker connection, a journal connection and a way to the
// services of its own, as a process has them.

import CheckoutCore
package import CheckoutSandbox
package import WorkerEngine

/// The stages, in the order messages pass them.
package enum PipelineStage: String, Hashable, CaseIterable, Sendable {
  case validation
  case facade
  case reconciliation
}

/// A worker whatever its stage.
protocol WorkerLoop: AnyObject {
  var control: WorkerControl { get }
  var nextDue: Int64? { get }
  var hasEvents: Bool { get }
  func turn() -> WorkerStatus
}

/// The loop of one stage with its mailbox.
final class StageLoop<S: Stage>: WorkerLoop {
  private let worker: Worker<S>
  private let inbox: Inbox<S.Event>

  init(worker: Worker<S>, inbox: Inbox<S.Event>) {
    self.worker = worker
    self.inbox = inbox
  }

  var control: WorkerControl { worker.control }
  var nextDue: Int64? { worker.nextDue }
  var hasEvents: Bool { !inbox.isEmpty }
  func turn() -> WorkerStatus { worker.turn(waitNanoseconds: 0) }
}

/// A process with one worker in it.
package final class SimulatedWorker {
  /// What it works on.
  package let stage: PipelineStage
  /// Its name in the journal: `STAGE-INSTANCE/INCARNATION`.
  package let name: String
  /// True if it is this one of its stage's workers.
  package func isInstance(_ instance: Int) -> Bool { name.hasPrefix("\(stage.rawValue)-\(instance)/") }
  /// Its consumer and producer.
  package let endpoint: InMemoryBrokerEndpoint
  /// Its way to the journal; nil in validation.
  package let journal: JournalConnection?
  /// Its way to the services; nil in validation.
  package let exchange: SandboxExchange?
  /// Its host's clocks.
  package let clock: HostClock
  /// How its latest turn ended.
  package private(set) var status = WorkerStatus.running
  /// True while the process stands still (`SIGSTOP`, a paused virtual machine): time passes, it does nothing.
  package var isSuspended = false {
    didSet {
      journal?.freeze(isSuspended)
      endpoint.suspend(isSuspended)
    }
  }

  private let loop: any WorkerLoop
  /// True until the turn in which it hears of a stop.
  private var isWoken = false

  init(
    stage: PipelineStage, name: String, endpoint: InMemoryBrokerEndpoint, journal: JournalConnection?,
    exchange: SandboxExchange?, clock: HostClock, loop: any WorkerLoop
  ) {
    self.clock = clock
    self.stage = stage
    self.name = name
    self.endpoint = endpoint
    self.journal = journal
    self.exchange = exchange
    self.loop = loop
  }

  /// Its state at the end of its latest turn.
  package var health: WorkerHealth { loop.control.health }

  /// Asks it to drain, commit and leave.
  package func requestStop() {
    loop.control.requestStop()
    isWoken = true
  }

  /// When it has something to do (the world's boot clock): now if something has arrived, else its next timer; nil: nothing is
  /// known to come. What is on its way to the cluster arrives also when the worker stands still.
  func nextDue(at now: Int64) -> Int64? {
    let linkDue = endpoint.linkDue(isSuspended: isSuspended || status != .running)
    guard !isSuspended, status == .running else { return linkDue }
    if isWoken || loop.hasEvents || endpoint.hasArrivals { return now }
    var due = Self.earlier(linkDue, endpoint.nextDue)
    due = Self.earlier(due, journal?.nextDue)
    due = Self.earlier(due, loop.nextDue.map { $0 - clock.bootOffset })
    return Self.earlier(due, exchange?.nextDue.map { $0.nanoseconds - clock.bootOffset })
  }

  private static func earlier(_ one: Int64?, _ other: Int64?) -> Int64? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
  }

  /// Does one thing that is due; false: nothing is.
  func step(at now: Int64, isRebalanceDue: Bool) -> Bool {
    if endpoint.advanceLink(isSuspended: isSuspended || status != .running) { return true }
    guard !isSuspended, status == .running else { return false }
    if let due = journal?.nextDue, due <= now {
      journal?.advance()
      return true
    }
    if let due = exchange?.nextDue, due.nanoseconds - clock.bootOffset <= now {
      exchange?.advance()
      return true
    }
    guard isRebalanceDue || isTurnDue(at: now) else { return false }
    isWoken = false
    status = loop.turn()
    return true
  }

  private func isTurnDue(at now: Int64) -> Bool {
    if isWoken || loop.hasEvents || endpoint.hasArrivals { return true }
    if let due = loop.nextDue, due - clock.bootOffset <= now { return true }
    if let due = endpoint.nextDue, due <= now { return true }
    return false
  }

  /// The process is gone at once: what it had not sent never happens, what comes back finds nobody.
  func kill(pendingCommit: PendingCommit, pendingRequests: PendingRequests) {
    isSuspended = true
    endpoint.kill(pendingCommit: pendingCommit)
    journal?.cut(pendingRequests: pendingRequests)
    exchange?.dropEverything()
  }
}
