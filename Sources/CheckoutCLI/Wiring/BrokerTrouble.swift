// One line for brokers that cannot be reached, instead of the client library's dozens.

import KafkaAdapter
import Operations
import Synchronization

/// What the clients of one process say about their connections, put together. Any thread.
///
/// The library logs every failed attempt of every client (`FAIL`, `ERROR`, `CONSUME`), and says "all brokers are down"
/// after the one that was the last. Only this last word is worth a line; a single broker's failure is, too, unless that
/// word follows.
final class BrokerTrouble: Sendable {
  /// What to do with one line of the library.
  enum Verdict: Hashable {
    /// Write it as it is.
    case pass
    /// It says nothing that has not been told.
    case leaveOut
    /// No broker can be reached, for this reason; once a minute.
    case unreachable(reason: String)
  }

  private struct State {
    var reason = ""
    var toldAt: Int64?
    /// A single broker's failure, told only if others are up.
    var failedAt: Int64?
  }

  private static let tellAgainNanoseconds: Int64 = 60_000_000_000
  private static let otherClientsNanoseconds: Int64 = 1_000_000_000

  private let state = Mutex(State())

  /// Judges a line heard at `now` (nanoseconds of a steady clock).
  func judge(facility: String, text: String, at now: Int64) -> Verdict {
    state.withLock { state in
      let isTold = state.toldAt.map { now - $0 < Self.tellAgainNanoseconds } ?? false
      if text.contains("brokers are down") {
        state.failedAt = nil
        return Self.tell(state.reason, &state, at: now)
      }
      guard facility == "FAIL" else { return Self.repeats.contains { text.contains($0) } ? .leaveOut : .pass }
      state.reason = Self.reason(text)
      if isTold { return .leaveOut }
      // All clients fail at once; the word that all brokers are down comes within this time, or not at all.
      let isLasting = state.failedAt.map { now - $0 > Self.otherClientsNanoseconds } ?? false
      state.failedAt = state.failedAt ?? now
      return isLasting ? .pass : .leaveOut
    }
  }

  /// The same for brokers that let themselves be connected to and do not answer, of which the library says nothing.
  func judgeSilence(reason: String, at now: Int64) -> Verdict {
    state.withLock { Self.tell(reason, &$0, at: now) }
  }

  private static func tell(_ reason: String, _ state: inout State, at now: Int64) -> Verdict {
    if let toldAt = state.toldAt, now - toldAt < tellAgainNanoseconds { return .leaveOut }
    state.toldAt = now
    return .unreachable(reason: reason)
  }

  /// Parts of lines that say again what a `FAIL` line has said.
  private static let repeats = ["Connect to ", "(_TRANSPORT)", "(_RESOLVE)", "Failed to resolve", "Disconnected"]

  /// `[thrd:x/bootstrap]: x/bootstrap: Connect to … failed: …` without the thread's name.
  private static func reason(_ text: String) -> String {
    guard text.hasPrefix("["), let end = text.firstRange(of: "]: ") else { return text }
    return String(text[end.upperBound...])
  }
}

extension BrokerTrouble {
  /// Writes a line of the library, or what stands in its place.
  func write(_ line: KafkaLogLine, to log: Log, brokers: String, at now: Int64) {
    let level: LogLevel = line.level <= 4 ? .warning : .debug
    switch judge(facility: line.facility, text: line.text, at: now) {
    case .pass: Self.write(line, level, log)
    case .leaveOut: Self.write(line, .debug, log)
    case .unreachable(let reason): Self.write(brokers: brokers, reason: reason, log)
    }
  }

  /// Writes that the brokers are silent, unless that they are away was written lately.
  func writeSilence(brokers: String, reason: String, to log: Log, at now: Int64) {
    if case .unreachable = judgeSilence(reason: reason, at: now) { Self.write(brokers: brokers, reason: reason, log) }
  }

  private static func write(brokers: String, reason: String, _ log: Log) {
    log.error(
      "no Kafka broker can be reached, trying again",
      [
        .address: .text(brokers), .detail: .text(reason),
        .remedy: "check --brokers, that the broker runs and can be reached from here, and TLS or SASL settings",
      ])
  }

  private static func write(_ line: KafkaLogLine, _ level: LogLevel, _ log: Log) {
    log.writeLimited(
      level, "kafka client",
      [.facility: .text(line.facility), .detail: .text(line.text), .suppressed: .integer(Int64(line.suppressed))])
  }
}
