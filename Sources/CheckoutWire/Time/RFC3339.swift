// RFC 3339 timestamps as bytes, with zone and up to nine fraction digits; no calendar library.
package import CheckoutCore

/// Reads and writes RFC 3339.
package enum RFC3339 {
  /// Reads `2026-11-30T12:00:00.123+01:00`; nil if it is not exactly of that form or no such moment exists.
  ///
  /// `T` and `Z` may be lower case; a zone is required; 0 to 9 fraction digits. Second 60 is accepted where UTC can have
  /// a leap second, at 23:59:60 on the last day of a month, and means the first instant of the next day (the epoch
  /// counts none). Years 0000 to 9999; what `Timestamp` cannot hold saturates.
  package static func parse(_ text: ArraySlice<UInt8>) -> Timestamp? { parse(utf8: text.span) }

  /// The same for a view of the bytes.
  package static func parse(utf8 text: Span<UInt8>) -> Timestamp? {
    var reader = DigitReader()
    guard let year = reader.number(4, in: text), reader.skip(0x2D, in: text),
      let month = reader.number(2, in: text), reader.skip(0x2D, in: text),
      let day = reader.number(2, in: text), reader.skip(0x54, or: 0x74, in: text),
      let hour = reader.number(2, in: text), reader.skip(0x3A, in: text),
      let minute = reader.number(2, in: text), reader.skip(0x3A, in: text),
      let second = reader.number(2, in: text), let nanoseconds = reader.fraction(in: text),
      let offset = reader.zoneMinutes(in: text), reader.at == text.count,
      (1...12).contains(month), day >= 1, day <= daysInMonth(year, month), hour <= 23, minute <= 59, second <= 60
    else { return nil }
    let days = daysSinceEpoch(year, month, day)
    let minutes = days * 1440 + hour * 60 + minute - offset
    if second == 60 && !mayHaveLeapSecond(endingAt: minutes + 1) { return nil }
    return saturating(seconds: minutes * 60 + second, nanoseconds: second == 60 ? 0 : nanoseconds)
  }

  /// Writes UTC with no fraction, or 3, 6 or 9 digits of it, whichever is shortest and exact.
  package static func text(_ time: Timestamp) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(30)
    append(time, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends what `text` gives.
  static func append(_ time: Timestamp, to bytes: inout [UInt8]) {
    let (seconds, nanoseconds) = floorDivide(time.nanoseconds, 1_000_000_000)
    let (days, secondOfDay) = floorDivide(seconds, 86_400)
    let (year, month, day) = civil(days)
    bytes.append(addingCapacity: 30) { output in
      output.append(twoDigits: year / 100)
      output.append(twoDigits: year % 100)
      output.append(0x2D)
      output.append(twoDigits: month)
      output.append(0x2D)
      output.append(twoDigits: day)
      output.append(0x54)
      output.append(twoDigits: secondOfDay / 3600)
      output.append(0x3A)
      output.append(twoDigits: secondOfDay / 60 % 60)
      output.append(0x3A)
      output.append(twoDigits: secondOfDay % 60)
      appendFraction(nanoseconds.magnitude, to: &output)
      output.append(0x5A)
    }
  }
}

// Where reading stands; the text is handed to each step, because a view of bytes cannot be kept.
private struct DigitReader {
  private(set) var at = 0

  @inline(__always)
  mutating func number(_ digits: Int, in text: Span<UInt8>) -> Int64? {
    guard text.count - at >= digits else { return nil }
    var value: Int64 = 0
    for index in at..<at + digits {
      let digit = text[index] &- 0x30
      guard digit <= 9 else { return nil }
      value = value &* 10 &+ Int64(digit)
    }
    at += digits
    return value
  }

  @inline(__always)
  mutating func skip(_ byte: UInt8, or other: UInt8? = nil, in text: Span<UInt8>) -> Bool {
    guard at < text.count, text[at] == byte || text[at] == other else { return false }
    at += 1
    return true
  }

  // Nanoseconds; 0 without a point, nil if no digit or more than nine follow it.
  mutating func fraction(in text: Span<UInt8>) -> Int64? {
    guard skip(0x2E, in: text) else { return 0 }
    var value: Int64 = 0
    var digits = 0
    while at < text.count, text[at] &- 0x30 <= 9 {
      if digits == 9 { return nil }
      value = value &* 10 &+ Int64(text[at] &- 0x30)
      digits += 1
      at += 1
    }
    guard digits > 0 else { return nil }
    for _ in digits..<9 { value &*= 10 }
    return value
  }

  mutating func zoneMinutes(in text: Span<UInt8>) -> Int64? {
    if skip(0x5A, or: 0x7A, in: text) { return 0 }
    let sign: Int64
    if skip(0x2B, in: text) { sign = 1 } else if skip(0x2D, in: text) { sign = -1 } else { return nil }
    guard let hours = number(2, in: text), skip(0x3A, in: text), let minutes = number(2, in: text), hours <= 23,
      minutes <= 59
    else { return nil }
    return sign * (hours * 60 + minutes)
  }
}

private func isLeap(_ year: Int64) -> Bool {
  year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

private func daysInMonth(_ year: Int64, _ month: Int64) -> Int64 {
  switch month {
  case 2: isLeap(year) ? 29 : 28
  case 4, 6, 9, 11: 30
  default: 31
  }
}

// Howard Hinnant's days_from_civil: years start in March, so that the leap day comes last.
private func daysSinceEpoch(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
  let shifted = month <= 2 ? year - 1 : year
  let (era, yearOfEra) = floorDivide(shifted, 400)
  let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
  return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
}

private func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
  let (era, dayOfEra) = floorDivide(days + 719_468, 146_097)
  let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let shifted = (5 * dayOfYear + 2) / 153
  let month = shifted + (shifted < 10 ? 3 : -9)
  return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
}

private func mayHaveLeapSecond(endingAt minute: Int64) -> Bool {
  let (days, minuteOfDay) = floorDivide(minute, 1440)
  return minuteOfDay == 0 && civil(days).day == 1
}

private func floorDivide(_ value: Int64, _ divisor: Int64) -> (Int64, Int64) {
  let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
  return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
}

private func saturating(seconds: Int64, nanoseconds: Int64) -> Timestamp {
  let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
  if overflow { return Timestamp(nanoseconds: seconds < 0 ? .min : .max) }
  return Timestamp(nanoseconds: scaled) + TimeSpan(nanoseconds: nanoseconds)
}

extension OutputSpan<UInt8> {
  fileprivate mutating func append(twoDigits value: Int64) {
    // Of a number below 100, 103/1024 is a tenth, rounded down.
    let tens = (UInt16(truncatingIfNeeded: value) &* 103) >> 10
    append(0x30 &+ UInt8(truncatingIfNeeded: tens))
    append(0x30 &+ UInt8(truncatingIfNeeded: value &- Int64(tens) &* 10))
  }
}

private func appendFraction(_ nanoseconds: UInt64, to output: inout OutputSpan<UInt8>) {
  if nanoseconds == 0 { return }
  output.append(0x2E)
  if nanoseconds % 1_000_000 == 0 {
    output.append(decimal: nanoseconds / 1_000_000, digits: 3)
  } else if nanoseconds % 1000 == 0 {
    output.append(decimal: nanoseconds / 1000, digits: 6)
  } else {
    output.append(decimal: nanoseconds, digits: 9)
  }
}
