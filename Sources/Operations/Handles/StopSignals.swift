// SIGTERM and SIGINT: the first asks the process to stop, the second ends it at once.

import Glibc
import Synchronization

/// The process's signals. Made once, by the command line; lives as long as the process.
package enum StopSignals {
  /// From now on SIGPIPE is ignored (a closed pipe is an error of the write), the first SIGTERM or SIGINT calls
  /// `onStop` once with its number, on a thread of its own, and any later one ends the process at once with exit code
  /// 128 + number (143, 130) without further ado. Both are unblocked in the calling thread.
  ///
  /// Call it once, before work starts. Throws when the system refuses a pipe or a thread: exit 3.
  package static func install(onStop: @escaping @Sendable (Int32) -> Void) throws(Problem) {
    var ends: [Int32] = [-1, -1]
    // SAFETY: the array has the two elements the call fills.
    guard unsafe pipe(&ends) == 0 else {
      throw .environment("cannot make a pipe: error \(errno)", remedy: "raise the limit of open files (ulimit -n)")
    }
    received.pipe.store(ends[1], ordering: .releasing)
    do {
      let readEnd = ends[0]
      _ = try NamedThread(name: "signals", stackBytes: 256 << 10) {
        if let signal = firstByte(from: readEnd) { onStop(Int32(signal)) }
      }
    } catch {
      throw .environment(error.description)
    }
    catchSignals()
  }

  private static func catchSignals() {
    var action = sigaction()
    // SAFETY: the handler is a C function that calls only async-signal-safe functions; the structure lives on this
    // stack for the calls' length.
    unsafe action.__sigaction_handler.sa_handler = { handle($0) }
    action.sa_flags = SA_RESTART
    // SAFETY: as above.
    unsafe sigaction(SIGTERM, &action, nil)
    unsafe sigaction(SIGINT, &action, nil)
    signal(SIGPIPE, SIG_IGN)
    // A parent that blocks signals in the thread it starts us from hands its mask down: we would be deaf to both.
    var stops = sigset_t()
    // SAFETY: the set lives on this stack for the calls' length.
    unsafe sigemptyset(&stops)
    unsafe sigaddset(&stops, SIGTERM)
    unsafe sigaddset(&stops, SIGINT)
    unsafe pthread_sigmask(SIG_UNBLOCK, &stops, nil)
  }

  private static func firstByte(from descriptor: Int32) -> UInt8? {
    var byte: UInt8 = 0
    while true {
      // SAFETY: one byte on this stack, and the count says one.
      let count = unsafe read(descriptor, &byte, 1)
      if count == 1 { return byte }
      if count < 0, errno == EINTR { continue }
      return nil
    }
  }
}

/// What the handler shares with the rest: atomics only, because a handler may not lock.
private struct Received: ~Copyable {
  let count = Atomic<Int>(0)
  let pipe = Atomic<Int32>(-1)
}
private let received = Received()

/// Runs inside a signal: may only touch atomics and call async-signal-safe functions.
private func handle(_ signal: Int32) {
  let saved = errno
  if received.count.add(1, ordering: .relaxed).oldValue > 0 { _exit(128 + signal) }
  var byte = UInt8(truncatingIfNeeded: signal)
  // SAFETY: one byte on this stack, and the count says one.
  unsafe _ = write(received.pipe.load(ordering: .acquiring), &byte, 1)
  errno = saved
}
