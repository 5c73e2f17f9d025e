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
    let whole = text.utf8.span
    let written = whole.extracting(Self.withoutSpaces(whole))
    guard !written.isEmpty else { return false }
    if patterns.isEmpty { return written.count <= 12 && written.indices.allSatisfy { Self.isPlain(written[$0]) } }
    if anyPatternMatches(written) { return true }
    guard let dash = written.indices.first(where: { written[$0] == UInt8(ascii: "-") }),
      countryPrefix.matches(written.extracting(..<dash))
    else { return false }
    return anyPatternMatches(written.extracting((dash + 1)...))
  }

  private func anyPatternMatches(_ written: Span<UInt8>) -> Bool {
    for index in patterns.indices where patterns[index].matches(written) { return true }
    return false
  }

  /// Where the text stands without the spaces around it.
  private static func withoutSpaces(_ text: Span<UInt8>) -> Range<Int> {
    let space = UInt8(ascii: " ")
    var range = text.indices
    while let first = range.first, text[first] == space { range.removeFirst() }
    while let last = range.last, text[last] == space { range.removeLast() }
    return range
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
  func matches(_ written: Span<UInt8>) -> Bool {
    var position = 0
    for symbol in symbols {
      let byte = position < written.count ? written[position] : nil
      if symbol == UInt8(ascii: " ") || symbol == UInt8(ascii: "-") {
        if byte == symbol { position += 1 }
        continue
      }
      guard let byte, Self.stands(symbol, for: byte) else { return false }
      position += 1
    }
    return position == written.count
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
