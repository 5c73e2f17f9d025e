// The log: structured lines on standard error, for machines or for a person at a terminal.

/// How much a line matters.
package enum LogLevel: String, Hashable, Comparable, CaseIterable, Sendable {
  case debug
  case info
  case warning
  case error

  package static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }

  private var rank: Int {
    switch self {
    case .debug: 0
    case .info: 1
    case .warning: 2
    case .error: 3
    }
  }
}

/// The value of a field.
package enum LogValue: Hashable, Sendable {
  /// An id, a code or a library's message; cut at 512 bytes.
  case text(String)
  case integer(Int64)
  case decimal(Double)
  case flag(Bool)
}

extension LogValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
  /// A literal text.
  package init(stringLiteral value: String) { self = .text(value) }
  /// A literal number.
  package init(integerLiteral value: Int64) { self = .integer(value) }
  /// A literal truth.
  package init(booleanLiteral value: Bool) { self = .flag(value) }
}

/// One line before it is written.
package struct LogLine: Hashable, Sendable {
  /// Nanoseconds since the Unix epoch.
  package let wallNanoseconds: Int64
  /// How much it matters.
  package let level: LogLevel
  /// What happened, always in the same words.
  package let message: String
  /// In the order given; a key stands once.
  package let fields: [Field]

  /// A key and its value.
  package struct Field: Hashable, Sendable {
    /// Which field.
    package let key: LogKey
    /// What it says.
    package let value: LogValue

    package init(_ key: LogKey, _ value: LogValue) {
      self.key = key
      self.value = value
    }
  }

  package init(wallNanoseconds: Int64, level: LogLevel, message: String, fields: [Field]) {
    self.wallNanoseconds = wallNanoseconds
    self.level = level
    self.message = message
    self.fields = fields
  }
}

/// Where finished lines go. Called on any thread; must not block for long.
package protocol LogSink: Sendable {
  /// Takes one line, line break included.
  func write(_ line: String)
}

/// Writes structured lines. Any thread.
///
/// The message is a literal and the keys are an enum: what varies is in typed fields, so that lines can be counted and
/// no personal data slips into a sentence.
package struct Log: Sendable {
  private let format: LogFormat
  private let level: LogLevel
  private let clock: any ProcessClock
  private let sink: any LogSink
  private let limiter: RateLimiter

  /// A log that writes lines of `level` and above to `sink`.
  package init(format: LogFormat, level: LogLevel = .info, clock: any ProcessClock, sink: any LogSink) {
    self.format = format
    self.level = level
    self.clock = clock
    self.sink = sink
    limiter = RateLimiter()
  }

  /// Writes one line, if its level is wanted.
  package func write(_ level: LogLevel, _ message: StaticString, _ fields: KeyValuePairs<LogKey, LogValue> = [:]) {
    guard level >= self.level else { return }
    emit(level, message.description, fields.map { LogLine.Field($0.key, $0.value) })
  }

  /// As `write`, for what can come in floods (a library's own messages, refusals): at most 10 lines with this message
  /// in 10 seconds; the first one after a pause tells how many were left out (`suppressed`).
  package func writeLimited(
    _ level: LogLevel, _ message: StaticString, _ fields: KeyValuePairs<LogKey, LogValue> = [:]
  ) {
    guard level >= self.level else { return }
    let text = message.description
    guard let suppressed = limiter.admit(text, at: clock.bootNanoseconds()) else { return }
    var all = fields.map { LogLine.Field($0.key, $0.value) }
    if suppressed > 0 { all.append(LogLine.Field(.suppressed, .integer(Int64(suppressed)))) }
    emit(level, text, all)
  }

  /// For following the program step by step; off by default.
  package func debug(_ message: StaticString, _ fields: KeyValuePairs<LogKey, LogValue> = [:]) {
    write(.debug, message, fields)
  }

  /// What a person on call wants to have seen afterwards.
  package func info(_ message: StaticString, _ fields: KeyValuePairs<LogKey, LogValue> = [:]) {
    write(.info, message, fields)
  }

  /// Something is not as it should be; the program copes.
  package func warning(_ message: StaticString, _ fields: KeyValuePairs<LogKey, LogValue> = [:]) {
    write(.warning, message, fields)
  }

  /// Somebody has to do something.
  package func error(_ message: StaticString, _ fields: KeyValuePairs<LogKey, LogValue> = [:]) {
    write(.error, message, fields)
  }

  private func emit(_ level: LogLevel, _ message: String, _ fields: [LogLine.Field]) {
    let line = LogLine(wallNanoseconds: clock.wallNanoseconds(), level: level, message: message, fields: fields)
    sink.write(format.text(of: line))
  }
}
