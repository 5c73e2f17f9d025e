// From text to a setting's value, and what is allowed, in words.

/// Reads and writes the values of settings.
package enum SettingParser {
  private static let durationUnits: [(suffix: String, nanoseconds: Int64)] = [
    ("ms", 1_000_000), ("us", 1_000), ("ns", 1), ("s", 1_000_000_000), ("m", 60_000_000_000),
    ("h", 3_600_000_000_000), ("d", 86_400_000_000_000),
  ]
  private static let sizeUnits: [(suffix: String, bytes: Int64)] = [
    ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000),
    ("B", 1),
  ]

  /// The value `text` stands for; nil: it is not of this kind, or out of range.
  package static func value(_ text: String, _ kind: SettingKind) -> SettingValue? {
    switch kind {
    case .text: .text(text)
    case .integer(let range): Int64(text).flatMap { range.contains($0) ? .integer($0) : nil }
    case .flag: flag(text).map { .flag($0) }
    case .duration(let range): duration(text).flatMap { range.contains($0) ? .duration(nanoseconds: $0) : nil }
    case .size(let range): size(text).flatMap { range.contains($0) ? .size(bytes: $0) : nil }
    case .choice(let words): words.contains(text) ? .text(text) : nil
    case .addresses: addresses(text).map { .addresses($0) }
    case .list: .list(list(text))
    }
  }

  /// What is allowed, as the end of a sentence.
  package static func allowed(_ kind: SettingKind) -> String {
    switch kind {
    case .text: "any text"
    case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .flag: "true or false"
    case .duration(let range):
      "a time such as 250ms, 10s or 5m, from \(durationText(range.lowerBound)) to \(durationText(range.upperBound))"
    case .size(let range):
      "a size such as 512KiB or 64MiB, from \(sizeText(range.lowerBound)) to \(sizeText(range.upperBound))"
    case .choice(let words): "one of " + words.joined(separator: ", ")
    case .addresses: "HOST:PORT, several with commas between"
    case .list: "words with commas between"
    }
  }

  /// A time with its unit, in nanoseconds; nil: no number, no unit, negative or too large. `0` needs no unit.
  package static func duration(_ text: String) -> Int64? {
    if text == "0" { return 0 }
    for unit in durationUnits where text.hasSuffix(unit.suffix) {
      return scaled(text.dropLast(unit.suffix.count), by: unit.nanoseconds)
    }
    return nil
  }

  /// A size in bytes; nil: no number, negative or too large.
  package static func size(_ text: String) -> Int64? {
    for unit in sizeUnits where text.hasSuffix(unit.suffix) {
      return scaled(text.dropLast(unit.suffix.count), by: unit.bytes)
    }
    return scaled(text[...], by: 1)
  }

  /// `host:port` with commas between, IPv6 in brackets; nil: one of them has no host, or no port from 0 to 65535.
  package static func addresses(_ text: String) -> [HostPort]? {
    let parts = list(text)
    let addresses = parts.compactMap(address)
    return parts.isEmpty || addresses.count < parts.count ? nil : addresses
  }

  /// The span as one would write it: in the largest unit that divides it.
  package static func durationText(_ nanoseconds: Int64) -> String {
    if nanoseconds == 0 { return "0s" }
    let units = durationUnits.sorted { $0.nanoseconds > $1.nanoseconds }
    let unit = units.first { nanoseconds % $0.nanoseconds == 0 }
    return unit.map { "\(nanoseconds / $0.nanoseconds)\($0.suffix)" } ?? "\(nanoseconds)ns"
  }

  /// The size as one would write it: in the largest binary unit that divides it.
  package static func sizeText(_ bytes: Int64) -> String {
    let units: [(String, Int64)] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]
    let unit = units.first { bytes != 0 && bytes % $0.1 == 0 }
    return unit.map { "\(bytes / $0.1)\($0.0)" } ?? "\(bytes)"
  }

  /// The value as one would write it.
  package static func text(_ value: SettingValue) -> String {
    switch value {
    case .text(let text): text
    case .integer(let number): "\(number)"
    case .flag(let flag): "\(flag)"
    case .duration(let nanoseconds): durationText(nanoseconds)
    case .size(let bytes): sizeText(bytes)
    case .addresses(let addresses): addresses.map(\.description).joined(separator: ",")
    case .list(let words): words.joined(separator: ",")
    }
  }

  private static func flag(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "true", "yes", "on", "1": true
    case "false", "no", "off", "0": false
    default: nil
    }
  }

  private static func list(_ text: String) -> [String] {
    text.split(separator: ",").map { trimmed($0) }.filter { !$0.isEmpty }
  }

  private static func address(_ text: String) -> HostPort? {
    guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]) else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    let isPlain = !host.isEmpty && !host.contains { $0.isWhitespace || $0 == "/" || $0 == "@" }
    return isPlain && (0...65_535).contains(port) ? HostPort(host: String(host), port: port) : nil
  }

  private static func scaled(_ digits: Substring, by unit: Int64) -> Int64? {
    guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int64(digits) else {
      return nil
    }
    let (product, overflow) = number.multipliedReportingOverflow(by: unit)
    return overflow ? nil : product
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop { $0.isWhitespace }
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
