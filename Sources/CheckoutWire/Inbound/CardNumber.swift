// What a payment card number looks like: digits, length, brand prefix and check digit.

/// Finds and masks card numbers (PAN) without ever keeping one.
enum CardNumber {
  /// The fewest digits of any brand; a shorter text is none.
  static let digitsMin = 13

  /// True if `text`, without spaces and dashes, is nothing but 13 to 19 digits with a card brand's prefix and length and
  /// a right check digit (ISO/IEC 7812-1 annex B).
  static func matches(_ text: Span<UInt8>) -> Bool {
    // Nearly every string ends here, at its first byte.
    guard text.count >= digitsMin, text.count <= 256, isDigit(text[0]) || isFiller(text[0]) else { return false }
    // Most ids that begin with a digit go on with a letter soon: looked at before anything is kept.
    var count = 0
    for index in text.indices where !isFiller(text[index]) {
      guard isDigit(text[index]), count < 19 else { return false }
      count += 1
    }
    guard count >= digitsMin else { return false }
    var digits: [UInt8] = []
    digits.reserveCapacity(count)
    for index in text.indices where isDigit(text[index]) { digits.append(text[index] - 0x30) }
    return hasBrand(digits) && hasCheckDigit(digits)
  }

  /// Space or dash.
  static func isFiller(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x2D }

  static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

  /// The text with every digit replaced by `*`.
  static func masked(_ text: ArraySlice<UInt8>) -> [UInt8] {
    text.map { isDigit($0) ? 0x2A : $0 }
  }

  private static func hasCheckDigit(_ digits: [UInt8]) -> Bool {
    var sum = 0
    for (place, digit) in digits.reversed().enumerated() {
      let value = Int(digit) * (place % 2 == 0 ? 1 : 2)
      sum += value > 9 ? value - 9 : value
    }
    return sum % 10 == 0
  }

  private static func hasBrand(_ digits: [UInt8]) -> Bool {
    let prefix = digits.prefix(6).reduce(0) { $0 * 10 + Int($1) }
    return brands.contains { $0.prefixes.contains(prefix) && $0.lengths.contains(digits.count) }
  }

  // Ranges of the first six digits, and the lengths in use: Visa, Mastercard (both series), American Express,
  // Diners Club, JCB, Discover and UnionPay, Mir, Maestro (which covers RuPay, Elo and others in 50 and 56 to 69).
  private static let brands: [(prefixes: ClosedRange<Int>, lengths: Set<Int>)] = [
    (400_000...499_999, [13, 16, 19]),
    (510_000...559_999, [16]),
    (222_100...272_099, [16]),
    (340_000...349_999, [15]),
    (370_000...379_999, [15]),
    (300_000...305_999, Set(14...19)),
    (309_500...309_599, Set(14...19)),
    (360_000...369_999, Set(14...19)),
    (380_000...399_999, Set(14...19)),
    (352_800...358_999, Set(16...19)),
    (220_000...220_499, Set(16...19)),
    (810_000...829_999, Set(16...19)),
    (500_000...509_999, Set(13...19)),
    (560_000...699_999, Set(13...19)),
  ]
}
