// How a log line looks: JSON for machines, aligned text for a person.

/// The form of log lines.
package enum LogFormat: Hashable, Sendable {
  /// One JSON object a line: `time`, `level`, `message`, then the fields.
  case json
  /// For a terminal; colours only if asked for.
  case pretty(colour: Bool)

  /// The line as text, with its line break.
  package func text(of line: LogLine) -> String {
    switch self {
    case .json: jsonText(of: line)
    case .pretty(let colour): prettyText(of: line, colour: colour)
    }
  }

  private func jsonText(of line: LogLine) -> String {
    var text = "{\"time\":\"\(WallTime.text(line.wallNanoseconds))\",\"level\":\"\(line.level.rawValue)\""
    text += ",\"message\":\(JSONText.quoted(line.message))"
    for field in line.fields { text += ",\"\(field.key.rawValue)\":\(jsonText(of: field.value))" }
    return text + "}\n"
  }

  private func jsonText(of value: LogValue) -> String {
    switch value {
    case .text(let text): JSONText.quoted(bounded(text))
    case .integer(let number): "\(number)"
    case .decimal(let number): number.isFinite ? "\(number)" : "null"
    case .flag(let flag): flag ? "true" : "false"
    }
  }

  private func prettyText(of line: LogLine, colour: Bool) -> String {
    let time = WallTime.text(line.wallNanoseconds).dropFirst(11).prefix(12)
    let (name, code) =
      switch line.level {
      case .debug: ("debug", "2")
      case .info: ("info ", "36")
      case .warning: ("warn ", "33")
      case .error: ("ERROR", "1;31")
      }
    let level = colour ? "\u{1B}[\(code)m\(name)\u{1B}[0m" : name
    let fields = line.fields.map { " \($0.key.rawValue)=\(plainText(of: $0.value))" }.joined()
    return "\(time) \(level) \(line.message)\(fields)\n"
  }

  private func plainText(of value: LogValue) -> String {
    switch value {
    case .text(let text):
      text.isEmpty || text.contains { $0 == " " || $0 == "\"" || $0.isNewline || $0 == "\u{1B}" || $0 == "=" }
        ? JSONText.quoted(bounded(text)) : bounded(text)
    case .integer(let number): "\(number)"
    case .decimal(let number): "\(number)"
    case .flag(let flag): "\(flag)"
    }
  }

  /// Foreign text is cut, so that one line cannot fill the disk.
  private func bounded(_ text: String) -> String {
    text.utf8.count <= 512 ? text : String(decoding: text.utf8.prefix(509), as: UTF8.self) + "…"
  }
}

/// JSON string literals.
package enum JSONText {
  /// `text` in quotes, with control characters, quotes and backslashes escaped (RFC 8259).
  package static func quoted(_ text: String) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var bytes: [UInt8] = [0x22]
    for byte in text.utf8 {
      switch byte {
      case 0x22, 0x5C: bytes += [0x5C, byte]
      case 0x0A: bytes += Array("\\n".utf8)
      case 0x0D: bytes += Array("\\r".utf8)
      case 0x09: bytes += Array("\\t".utf8)
      case 0..<0x20, 0x7F: bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(0x22)
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Dates for people and logs.
package enum WallTime {
  /// RFC 3339 in UTC with milliseconds, for example `2026-11-30T12:00:00.000Z`.
  package static func text(_ nanoseconds: Int64) -> String {
    let milliseconds = (nanoseconds - floorRemainder(nanoseconds, 1_000_000)) / 1_000_000
    let fraction = floorRemainder(milliseconds, 1_000)
    let seconds = (milliseconds - fraction) / 1_000
    let ofDay = floorRemainder(seconds, 86_400)
    let (year, month, day) = civil(days: (seconds - ofDay) / 86_400)
    let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    let time = "\(padded(ofDay / 3_600, 2)):\(padded(ofDay / 60 % 60, 2)):\(padded(ofDay % 60, 2))"
    return "\(date)T\(time).\(padded(fraction, 3))Z"
  }

  /// Days since 1970-01-01 to a date, by Howard Hinnant's `civil_from_days` (March-based years of 400-year eras).
  private static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let dayOfEra = floorRemainder(shifted, 146_097)
    let era = (shifted - dayOfEra) / 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  private static func floorRemainder(_ value: Int64, _ divisor: Int64) -> Int64 {
    let remainder = value % divisor
    return remainder < 0 ? remainder + divisor : remainder
  }

  private static func padded(_ value: Int64, _ width: Int) -> String {
    let digits = "\(value)"
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
