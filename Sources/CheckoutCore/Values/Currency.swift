// ISO 4217: the currencies and how many decimals each has.

/// A currency of the table below; there is no other way to make one.
package struct Currency: Hashable, Sendable {
  /// ISO 4217 alphabetic code, upper case.
  package let code: String
  /// Decimals of the minor unit: JPY 0, EUR 2, KWD 3.
  package let exponent: Int

  /// The active currency with this code; nil for anything else: lower case, withdrawn codes, and codes that have no
  /// minor unit and so no integer amounts (metals, XXX, XTS, XDR).
  package init?(code: String) {
    guard let index = Self.index(of: code), Self.table[index] & Self.withdrawnFlag == 0 else { return nil }
    self.init(code: code, entry: Self.table[index])
  }

  /// The currency with this code, whether active or withdrawn since: for requests that were accepted before, which
  /// must stay readable when a new release has dropped their currency.
  package init?(readmitting code: String) {
    guard let index = Self.index(of: code) else { return nil }
    self.init(code: code, entry: Self.table[index])
  }

  private init(code: String, entry: UInt8) {
    self.code = code
    self.exponent = Int(entry & Self.exponentMask)
  }

  /// Codes of all active currencies, in alphabetical order.
  package static let activeCodes: [String] = codes(in: activeTable).sorted()
  /// Codes that were active once and are readable still, in alphabetical order.
  package static let withdrawnCodes: [String] = codes(in: withdrawnTable).sorted()

  private static let none: UInt8 = 0xFF
  private static let withdrawnFlag: UInt8 = 0x80
  private static let exponentMask: UInt8 = 0x0F

  /// One byte for each of the 26³ possible codes: the exponent, the mark of a withdrawn one, or `none`.
  private static let table: [UInt8] = {
    var table = [UInt8](repeating: none, count: 26 * 26 * 26)
    for (text, flag) in [(activeTable, 0), (withdrawnTable, withdrawnFlag)] {
      for (exponent, codes) in text {
        for code in codes.split(whereSeparator: \.isWhitespace) {
          guard let slot = slot(of: String(code)) else { continue }
          table[slot] = exponent | flag
        }
      }
    }
    return table
  }()

  private static func index(of code: String) -> Int? {
    guard let slot = slot(of: code), table[slot] != none else { return nil }
    return slot
  }

  /// Position of three upper-case ASCII letters in the table; nil for any other text.
  private static func slot(of code: String) -> Int? {
    let bytes = code.utf8.span
    guard bytes.count == 3 else { return nil }
    var slot = 0
    for index in bytes.indices {
      guard bytes[index] >= 0x41, bytes[index] <= 0x5A else { return nil }
      slot = slot * 26 + Int(bytes[index] - 0x41)
    }
    return slot
  }

  private static func codes(in text: [(UInt8, String)]) -> [String] {
    text.flatMap { $0.1.split(whereSeparator: \.isWhitespace).map(String.init) }
  }

  /// ISO 4217 list one (amendments up to 2026-01: XCG, ZWG and XAD in; ANG, CUC, ZWL and BGN out), by exponent.
  private static let activeTable: [(UInt8, String)] = [
    (0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"),
    (
      2,
      """
      AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY
      COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS
      INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR
      MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP
      STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG
      """
    ),
    (3, "BHD IQD JOD KWD LYD OMR TND"),
    (4, "CLF UYW"),
  ]

  /// Withdrawn in recent years (ISO 4217 list three).
  private static let withdrawnTable: [(UInt8, String)] = [
    (2, "ANG BGN CUC HRK SLL ZWL")
  ]
}
