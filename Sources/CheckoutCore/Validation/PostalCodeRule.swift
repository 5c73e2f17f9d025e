// The form of postal codes, as patterns of a small language of their own.

/// Whether a country's addresses need a postal code, and what one looks like.
package struct PostalCodeRule: Hashable, Sendable {
  /// True if an address without one cannot be delivered.
  package let isRequired: Bool
  /// Accepted forms; none: 1 to 12 ASCII letters, digits, spaces and dashes.
  package let patterns: [PostalCodePattern]
  // Lower case; people put it in front of their code, as in LV-1010.
  private let countryPrefix: [UInt8]

  /// A rule for the country with this ISO 3166-1 alpha-2 code.
  init(country: String, isRequired: Bool, patterns: [PostalCodePattern]) {
    self.isRequired = isRequired
    self.patterns = patterns
    countryPrefix = Array(country.lowercased().utf8)
  }

  /// True if `text` has one of the forms. Case does not count, nor do spaces around it; a separator may be left out,
  /// and the country's own code with a dash may stand in front (`LV-1010`).
  package func accepts(_ text: String) -> Bool {
    let written = Self.normalised(text)
    guard !written.isEmpty else { return false }
    if patterns.isEmpty { return written.count <= 12 && written.allSatisfy(Self.isPlain) }
    if patterns.contains(where: { $0.matches(written[...]) }) { return true }
    guard written.starts(with: countryPrefix + [UInt8(ascii: "-")]) else { return false }
    let rest = written.dropFirst(countryPrefix.count + 1)
    return patterns.contains { $0.matches(rest) }
  }

  /// ASCII lower case without the spaces around it.
  private static func normalised(_ text: String) -> [UInt8] {
    let space = UInt8(ascii: " ")
    var bytes = text.utf8.drop { $0 == space }
    while bytes.last == space { bytes.removeLast() }
    return bytes.map { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") ? $0 | 0x20 : $0 }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: " "),
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

  /// True if the whole of `written`, in ASCII lower case, has this form.
  func matches(_ written: ArraySlice<UInt8>) -> Bool {
    var position = written.startIndex
    for symbol in symbols {
      let byte = position < written.endIndex ? written[position] : nil
      if symbol == UInt8(ascii: " ") || symbol == UInt8(ascii: "-") {
        if byte == symbol { position += 1 }
        continue
      }
      guard let byte, Self.stands(symbol, for: byte) else { return false }
      position += 1
    }
    return position == written.endIndex
  }

  private static func stands(_ symbol: UInt8, for byte: UInt8) -> Bool {
    let isDigit = byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    let isLetter = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
    return switch symbol {
    case UInt8(ascii: "D"): isDigit
    case UInt8(ascii: "A"): isLetter
    case UInt8(ascii: "X"): isDigit || isLetter
    default: symbol == byte
    }
  }
}
