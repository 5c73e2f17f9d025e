// The currency table: what is a currency, and with how many decimals.

import CheckoutCore
import Testing

@Suite("Currency")
struct CurrencyTests {
  @Test(
    "has the decimals that ISO 4217 gives it",
    arguments: [
      ("JPY", 0), ("KRW", 0), ("CLP", 0), ("ISK", 0), ("UGX", 0), ("VND", 0), ("XOF", 0), ("EUR", 2), ("USD", 2),
      ("HUF", 2), ("TWD", 2), ("XCG", 2), ("ZWG", 2), ("KWD", 3), ("BHD", 3), ("TND", 3), ("IQD", 3), ("CLF", 4),
      ("UYW", 4),
    ])
  func exponents(code: String, exponent: Int) {
    #expect(Currency(code: code)?.exponent == exponent)
    #expect(Currency(code: code)?.code == code)
  }

  @Test(
    "refuses what is not an active code with a minor unit",
    arguments: [
      "", "E", "EU", "EURO", "eur", "Eur", "usd", "XXX", "XTS", "XAU", "XAG", "XPT", "XPD", "XDR", "XSU", "XUA",
      "XBA", "BTC", "DEM", "FRF", "HRK", "BGN", "ANG", "ZWL", "E€R", "ＥＵＲ", "EU ", " EUR", "EU\u{0}", "ÀÀÀ",
    ])
  func refused(code: String) {
    #expect(Currency(code: code) == nil)
  }

  @Test("knows withdrawn codes only where it reads back what was accepted before")
  func withdrawn() {
    #expect(Currency.withdrawnCodes == ["ANG", "BGN", "CUC", "HRK", "SLL", "ZWL"])
    for code in Currency.withdrawnCodes {
      #expect(Currency(code: code) == nil)
      #expect(Currency(readmitting: code)?.exponent == 2)
    }
    #expect(Currency(readmitting: "EUR") == Currency(code: "EUR"))
    #expect(Currency(readmitting: "XXX") == nil)
    #expect(Currency(readmitting: "eur") == nil)
  }

  @Test("lists every active code once")
  func activeCodes() {
    let codes = Currency.activeCodes
    #expect(codes.count == 165)
    #expect(Set(codes).count == codes.count)
    #expect(codes.allSatisfy { Currency(code: $0)?.code == $0 })
    #expect(Set(codes).isDisjoint(with: Currency.withdrawnCodes))
  }

  @Test("finds nothing but its own codes among all three-letter words")
  func exhaustive() {
    let letters = (UInt8(ascii: "A")...UInt8(ascii: "Z")).map { Character(UnicodeScalar($0)) }
    var found: [String] = []
    for first in letters {
      for second in letters {
        for third in letters {
          let code = String([first, second, third])
          if Currency(code: code) != nil { found.append(code) }
        }
      }
    }
    #expect(found == Currency.activeCodes)
  }
}
