// What the client library says, and how often it may say it.

/// One line of the client library's own log.
package struct KafkaLogLine: Hashable, Sendable {
  /// Severity as in syslog: 0 emergency … 3 error, 4 warning, 6 info, 7 debug.
  package let level: Int
  /// The library's short name for what the line is about, for example `FAIL`.
  package let facility: String
  /// The client's name inside the library, for example `checkout#consumer-1`.
  package let client: String
  /// The line itself, without time or severity.
  package let text: String
  /// How many lines of the same facility were left out since the last one shown.
  package let suppressed: Int

  package init(level: Int, facility: String, client: String, text: String, suppressed: Int = 0) {
    self.level = level
    self.facility = facility
    self.client = client
    self.text = text
    self.suppressed = suppressed
  }
}

/// Lets a few lines per facility and minute through and counts the rest: an unreachable broker must not flood the log.
struct LogLimiter: Sendable {
  private struct Window {
    var startedAt: Int64
    var shown: Int
    var suppressed: Int
  }

  /// Lines per facility and minute.
  private let linesPerMinuteMax: Int
  private var windows: [String: Window] = [:]

  init(linesPerMinuteMax: Int) {
    self.linesPerMinuteMax = linesPerMinuteMax
  }

  /// Nil: leave the line out. Otherwise show it, with how many were left out before it. `now` in nanoseconds of a
  /// monotonic clock.
  mutating func admit(facility: String, now: Int64) -> Int? {
    var window = windows[facility] ?? Window(startedAt: now, shown: 0, suppressed: 0)
    if now - window.startedAt >= 60_000_000_000 {
      window.startedAt = now
      window.shown = 0
    }
    guard window.shown < linesPerMinuteMax else {
      window.suppressed += 1
      windows[facility] = window
      return nil
    }
    let left = window.suppressed
    window.shown += 1
    window.suppressed = 0
    windows[facility] = window
    return left
  }
}
