// ISO 3166-1: the countries there are, and the postal code rule of each.

/// A country of ISO 3166-1; there is no other way to make one.
package struct Country: Hashable, Sendable {
  /// ISO 3166-1 alpha-2 code, upper case.
  package let code: String
  private let slot: Int

  /// Whether and how its addresses carry a postal code.
  package var postalCodeRule: PostalCodeRule {
    guard let rule = Self.rules[slot] else { preconditionFailure("a country without a rule") }
    return rule
  }

  /// The country with this alpha-2 code; nil for anything else (lower case, reserved codes such as UK and EU).
  package init?(code: String) {
    guard let slot = Self.slot(of: code), Self.rules[slot] != nil else { return nil }
    self.code = code
    self.slot = slot
  }

  /// Codes of all countries, in alphabetical order.
  package static let codes: [String] = allCodes.split(whereSeparator: \.isWhitespace).map(String.init)

  /// One slot for each of the 26² possible codes.
  private static let rules: [PostalCodeRule?] = {
    var rules = [PostalCodeRule?](repeating: nil, count: 26 * 26)
    for code in codes {
      guard let slot = slot(of: code) else { continue }
      rules[slot] = PostalCodeRule(country: code, isRequired: false, patterns: [])
    }
    for (text, isRequired) in [(PostalCodeTable.required, true), (PostalCodeTable.optional, false)] {
      for entry in text.split(separator: "\n") {
        let code = String(entry.prefix(2))
        guard let slot = slot(of: code), rules[slot] != nil else { continue }
        let patterns = entry.dropFirst(3).split(separator: "|").map { PostalCodePattern($0) }
        rules[slot] = PostalCodeRule(country: code, isRequired: isRequired, patterns: patterns)
      }
    }
    return rules
  }()

  /// Position of two upper-case ASCII letters in the table; nil for any other text.
  private static func slot(of code: String) -> Int? {
    let bytes = code.utf8.span
    guard bytes.count == 2, isLetter(bytes[0]), isLetter(bytes[1]) else { return nil }
    return Int(bytes[0] - 0x41) * 26 + Int(bytes[1] - 0x41)
  }

  private static func isLetter(_ byte: UInt8) -> Bool { byte >= 0x41 && byte <= 0x5A }

  /// ISO 3166-1, all 249 officially assigned codes.
  private static let allCodes = """
    AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA
    CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA
    GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP
    KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS
    MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS
    RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW
    TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
    """
}
