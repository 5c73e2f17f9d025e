// Runs one worker on a thread of its own until it has stopped or failed.

import Operations
import Synchronization
import WorkerEngine

/// A worker of any stage, as the thread drives it.
protocol RunnableWorker: AnyObject {
  var control: WorkerControl { get }
  func turn(waitNanoseconds: Int64) -> WorkerStatus
}

extension Worker: RunnableWorker {}

/// One worker and its thread.
final class WorkerThread: Sendable {
  private struct State {
    var control: WorkerControl?
    var stopAsked = false
    var ending: WorkerStatus?
  }

  /// Longest time a turn waits for something to happen.
  private static let waitNanoseconds: Int64 = 250_000_000

  let stage: StageName
  private let shared: SharedState
  private let thread: NamedThread

  /// Starts the thread; `make` is called on it. `onEnd` is called once, on it, when the worker is over.
  init(
    _ stage: StageName, make: @escaping @Sendable () throws(Problem) -> any RunnableWorker,
    onEnd: @escaping @Sendable (StageName, WorkerStatus) -> Void
  ) throws(Problem) {
    self.stage = stage
    let shared = SharedState()
    self.shared = shared
    do throws(ThreadProblem) {
      thread = try NamedThread(name: "w-\(stage.rawValue.prefix(12))") {
        let ending = WorkerThread.drive(make, shared)
        shared.state.withLock { $0.ending = ending }
        onEnd(stage, ending)
      }
    } catch {
      throw .environment(error.description)
    }
  }

  private final class SharedState: Sendable {
    let state = Mutex(State())
  }

  private static func drive(
    _ make: @Sendable () throws(Problem) -> any RunnableWorker, _ shared: SharedState
  ) -> WorkerStatus {
    let worker: any RunnableWorker
    do throws(Problem) {
      worker = try make()
    } catch {
      return .failed(WorkerFailure(.environment, error.description))
    }
    let stopAsked = shared.state.withLock { state in
      state.control = worker.control
      return state.stopAsked
    }
    if stopAsked { worker.control.requestStop() }
    while true {
      let status = worker.turn(waitNanoseconds: waitNanoseconds)
      if status != .running { return status }
    }
  }

  /// Asks the worker to drain and leave. Any thread.
  func requestStop() {
    let control = shared.state.withLock { state in
      state.stopAsked = true
      return state.control
    }
    control?.requestStop()
  }

  /// The worker's health; nil before it runs.
  var health: WorkerHealth? { shared.state.withLock { $0.control }?.health }

  /// How it ended; nil while it runs.
  var ending: WorkerStatus? { shared.state.withLock { $0.ending } }

  /// Waits for the thread's end.
  func join() { thread.join() }
}
