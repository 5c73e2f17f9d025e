// What a command needs to know of the person in front of it, if there is one.

import Synchronization

/// Colours by what they mean.
package enum TextStyle: String, Hashable, CaseIterable, Sendable {
  case good = "32"
  case bad = "31"
  case warning = "33"
  case quiet = "2"
  case strong = "1"
}

/// One output stream, as a person or a program sees it.
package struct Terminal: Sendable {
  private let stream: FileDescriptorStream
  /// True: a person looks at it.
  package let isInteractive: Bool
  /// True: styles may be written. False off a terminal, with `NO_COLOR` set (no-color.org) or `TERM=dumb`.
  package let hasColour: Bool

  /// Looks at `stream` and the environment once.
  package init(_ stream: FileDescriptorStream, environment: [String: String]) {
    self.init(stream, isInteractive: stream.isTerminal, environment: environment)
  }

  init(_ stream: FileDescriptorStream, isInteractive: Bool, environment: [String: String]) {
    self.stream = stream
    self.isInteractive = isInteractive
    let refused = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    hasColour = isInteractive && !refused && environment["TERM"] != "dumb"
  }

  /// Columns now (a window can be resized); nil off a terminal.
  package var columns: Int? { isInteractive ? stream.columns ?? 80 : nil }

  /// `text` in a style, if this terminal has colours.
  package func styled(_ text: String, _ style: TextStyle) -> String {
    hasColour ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// Writes text as it is. False: nobody reads any more.
  @discardableResult
  package func write(_ text: String) -> Bool { stream.write(text) }
}

/// One line that is overwritten in place; silent off a terminal.
package final class ProgressLine: Sendable {
  private let terminal: Terminal
  private let clock: any ProcessClock
  private let lastShown = Mutex<Int64?>(nil)
  private static let intervalNanoseconds: Int64 = 100_000_000

  /// A line on `terminal`, which should be the error stream, so that results stay clean.
  package init(_ terminal: Terminal, clock: any ProcessClock) {
    self.terminal = terminal
    self.clock = clock
  }

  /// Shows `text` in place of what was shown, at most ten times a second.
  package func show(_ text: String) {
    guard terminal.isInteractive else { return }
    let now = clock.bootNanoseconds()
    let isDue = lastShown.withLock { last in
      if let last, now - last < Self.intervalNanoseconds { return false }
      last = now
      return true
    }
    guard isDue else { return }
    terminal.write("\r" + DisplayWidth.cut(text, to: (terminal.columns ?? 80) - 1) + "\u{1B}[K")
  }

  /// Removes the line, so that what is printed next starts clean.
  package func clear() {
    let wasShown = lastShown.withLock { last in
      defer { last = nil }
      return last != nil
    }
    if wasShown { terminal.write("\r\u{1B}[K") }
  }
}
