// What other threads may do with a worker: ask it to stop, look at its health.

import Synchronization

/// The part of a worker that any thread may use.
package final class WorkerControl: Sendable {
  private let stop = Atomic<Bool>(false)
  private let picture = Mutex(WorkerHealth())
  private let waker: @Sendable () -> Void

  init(waker: @escaping @Sendable () -> Void) {
    self.waker = waker
  }

  /// Asks the worker to drain, commit and leave; returns at once. Not to be called from a signal handler (it wakes the
  /// broker's poll, which may take a lock); use a thread that waits for signals.
  package func requestStop() {
    stop.store(true, ordering: .releasing)
    waker()
  }

  /// True once a stop was asked for.
  package var isStopRequested: Bool { stop.load(ordering: .acquiring) }

  /// The state at the end of the latest turn.
  package var health: WorkerHealth { picture.withLock { health in health } }

  func publish(_ health: WorkerHealth) {
    picture.withLock { picture in picture = health }
  }
}
