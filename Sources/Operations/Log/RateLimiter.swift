// Keeps a flood of equal log lines from filling the disk.

import Synchronization

/// Counts lines by message (or by what they are about): a burst is let through, the rest of the window is counted and left out.
package final class RateLimiter: Sendable {
  private struct Window {
    var start: Int64
    var admitted: Int
    var suppressed: Int
  }

  private let burst: Int
  private let windowNanoseconds: Int64
  /// Messages are literals of the program or of a library, so this cannot grow beyond their number.
  private let windows = Mutex<[String: Window]>([:])

  /// At most `burst` lines of one message in each window.
  package init(burst: Int = 10, windowNanoseconds: Int64 = 10_000_000_000) {
    self.burst = burst
    self.windowNanoseconds = windowNanoseconds
  }

  /// Nil: leave the line out. Else: write it; so many were left out since the last one written.
  package func admit(_ message: String, at bootNanoseconds: Int64) -> Int? {
    windows.withLock { windows in
      var window = windows[message] ?? Window(start: bootNanoseconds, admitted: 0, suppressed: 0)
      if bootNanoseconds - window.start >= windowNanoseconds {
        window.start = bootNanoseconds
        window.admitted = 0
      }
      guard window.admitted < burst else {
        window.suppressed += 1
        windows[message] = window
        return nil
      }
      let suppressed = window.suppressed
      window.admitted += 1
      window.suppressed = 0
      windows[message] = window
      return suppressed
    }
  }
}
