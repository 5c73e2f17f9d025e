// What the client library says.

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
