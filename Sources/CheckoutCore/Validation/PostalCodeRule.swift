// The form of postal codes, as patterns of a small language of their own.

/// Whether a country's addresses need a postal code, and what one looks like.
package struct PostalCodeRule: Hashable, Sendable {
  /// True if an address without one cannot be delivered.
  package let isRequired: Bool
  /// Accepted forms; none: 1 to 12 ASCII letters, digits, spaces and dashes.
  package let patterns: [PostalCodePattern]
  // `lv-`: people put it in front of their code, as in LV-1010.
  private let countryPrefix: PostalCodePattern

  /// A rule for the country with this ISO 3166-1 alpha-2 code.
  init(country: String, isRequired: Bool, patterns: [PostalCodePattern]) {
    self.isRequired = isRequired
    self.patterns = patterns
    countryPrefix = PostalCodePattern(country.lowercased())
  }

  /// True if `text` has one of the forms. Case does not count, nor do spaces around it; a separator may be left out,
  /// and the country's own code with a dash may stand in front (`LV-1010`).
  package func accepts(_ text: String) -> Bool {
    let written = Self.trimmed(text)
    guard !written.isEmpty else { return false }
    if patterns.isEmpty { return written.count <= 12 && written.allSatisfy(Self.isPlain) }
    if patterns.contains(where: { $0.matches(written) }) { return true }
    guard let dash = written.firstIndex(of: UInt8(ascii: "-")), countryPrefix.matches(written[..<dash]) else {
      return false
    }
    let rest = written[written.index(after: dash)...]
    return patterns.contains { $0.matches(rest) }
  }

  /// The bytes without the spaces around them.
  private static func trimmed(_ text: String) -> Substring.UTF8View {
    let space = UInt8(ascii: " ")
    var bytes = text.utf8.drop { $0 == space }
    while bytes.last == space { bytes.removeLast() }
    return bytes
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: " "),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }
}

/// One form of a postal code: `D` is a digit, `A` a letter, `X` either; a space or dash is a separator that may be
/// left out; a lower-case letter or a digit is itself.
package struct PostalCodePattern: Hashable, Sendable {
  private let symbols: [UInt8]

  /// The pattern written as `text`.
  init(_ text: some StringProtocol) {
    symbols = Array(text.utf8)
  }

  /// True if the whole of `written` has this form; upper and lower case are the same.
  func matches(_ written: Substring.UTF8View) -> Bool {
    var position = written.startIndex
    for symbol in symbols {
      let byte = position < written.endIndex ? written[position] : nil
      if symbol == UInt8(ascii: " ") || symbol == UInt8(ascii: "-") {
        if byte == symbol { written.formIndex(after: &position) }
        continue
      }
      guard let byte, Self.stands(symbol, for: byte) else { return false }
      written.formIndex(after: &position)
    }
    return position == written.endIndex
  }

  private static func stands(_ symbol: UInt8, for byte: UInt8) -> Bool {
    let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
    let lower = isUpper ? byte | 0x20 : byte
    let isDigit = byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    let isLetter = lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z")
    return switch symbol {
    case UInt8(ascii: "D"): isDigit
    case UInt8(ascii: "A"): isLetter
    case UInt8(ascii: "X"): isDigit || isLetter
    default: symbol == lower
    }
  }
}
