// A thread with a name that debuggers and `top -H` show: for loops that block, which never belong on Swift's task pool.

import CLinux
import Glibc
import Synchronization

/// Why a thread could not be started.
package struct ThreadProblem: Error, Hashable, CustomStringConvertible {
  /// The name the thread would have had.
  package let name: String
  /// The `errno` value that `pthread_create` answered; `EAGAIN`: a limit on threads or memory was reached.
  package let code: Int32

  /// One line for a person.
  package var description: String {
    "cannot start the thread \(name): error \(code); raise the limit of tasks (ulimit -u, or the container's pids limit)"
  }
}

/// Owns one POSIX thread, from its start to `join()`.
///
/// The body runs once, on that thread. Who starts a thread joins it: dropping the last reference without `join()` lets
/// the thread run on by itself, which is meant for the moment before the process exits, and for a body that is stuck in a
/// call of a library and was given up (`waitForEnd`).
package final class NamedThread: Sendable {
  /// The stack of a thread unless told otherwise: enough for our loops, small beside glibc's 8 MiB.
  package static let defaultStackBytes = 1 << 20

  /// What the thread is called; the system shows its first 15 bytes.
  package let name: String

  private enum State {
    case running(pthread_t)
    case joined
  }
  private let state: Mutex<State>
  private let end = ThreadEnd()

  /// Starts the thread.
  ///
  /// - `stackBytes`: at least 64 KiB are given, whatever is asked.
  /// - Throws when the system refuses a thread: an environment problem (exit 3), nothing was started.
  package init(
    name: String,
    stackBytes: Int = NamedThread.defaultStackBytes,
    body: @escaping @Sendable () -> Void
  ) throws(ThreadProblem) {
    self.name = name
    let start = Start(name: name, end: end, body: body)
    var attributes = pthread_attr_t()
    var thread = pthread_t()
    // SAFETY: both out-parameters live on this stack for the calls' length; the attributes are initialised before use
    // and destroyed once. The start object is retained for the new thread, which takes that reference over; when no
    // thread came to be, it is released here.
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setstacksize(&attributes, max(stackBytes, 64 << 10))
    let retained = unsafe Unmanaged.passRetained(start)
    let code = unsafe pthread_create(&thread, &attributes, runStart, retained.toOpaque())
    if code != 0 { unsafe retained.release() }
    guard code == 0 else { throw ThreadProblem(name: name, code: code) }
    state = Mutex(.running(thread))
  }

  deinit {
    state.withLock { state in
      if case .running(let thread) = state { pthread_detach(thread) }
    }
  }

  /// Waits until the body has returned. Called again, it returns at once; called by the thread itself, it would wait
  /// for ever and traps instead.
  ///
  /// Blocks the caller: never call it on Swift's task pool.
  package func join() {
    state.withLock { state in
      guard case .running(let thread) = state else { return }
      precondition(pthread_equal(thread, pthread_self()) == 0, "a thread cannot join itself")
      // The handle is valid until joined, and the lock lets one caller join it once.
      pthread_join(thread, nil)
      state = .joined
    }
  }
}

extension NamedThread {
  /// True once the body has returned; waits for it at most `limitNanoseconds`. Afterwards `join()` returns at once. One
  /// thread at a time; blocks the caller, so never on Swift's task pool.
  package func waitForEnd(limitNanoseconds: Int64) -> Bool {
    let clock = ContinuousClock()
    let limit = clock.now + .nanoseconds(limitNanoseconds)
    while !end.isReached.load(ordering: .acquiring) {
      let left = limit - clock.now
      guard left > .zero else { return false }
      end.bell.wait(nanoseconds: Int64(left / .nanoseconds(1)))
    }
    return true
  }
}

/// Says that a body has returned.
private final class ThreadEnd: Sendable {
  let isReached = Atomic(false)
  let bell = Doorbell()
}

/// What a new thread needs, handed over by reference.
private final class Start: Sendable {
  let name: String
  let end: ThreadEnd
  let body: @Sendable () -> Void

  init(name: String, end: ThreadEnd, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.end = end
    self.body = body
  }
}

/// The C entry of every thread: takes the reference over, names itself, runs the body.
private func runStart(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  // SAFETY: the argument is the reference retained for this thread in `init`; it is taken over exactly once, here.
  guard let argument = unsafe argument else { return nil }
  let start = unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
  // SAFETY: the string is a valid C string for the length of the call.
  unsafe start.name.withCString { unsafe clinux_name_this_thread($0) }
  start.body()
  start.end.isReached.store(true, ordering: .releasing)
  start.end.bell.ring()
  return nil
}
