// The table of countries and the forms of their postal codes.

import CheckoutCore
import Testing

@Suite("Countries and their postal codes")
struct CountryTests {
  @Test("there are the 249 of ISO 3166-1")
  func table() {
    #expect(Country.codes.count == 249)
    #expect(Set(Country.codes).count == 249)
    #expect(Country.codes == Country.codes.sorted())
    #expect(Country.codes.allSatisfy { Country(code: $0)?.code == $0 })
    for code in ["", "X", "XX", "ZZ", "UK", "EU", "XK", "AN", "SU", "de", "De", "DEU", "ＤＥ"] {
      #expect(Country(code: code) == nil, "\(code)")
    }
  }

  @Test(
    "codes as people write them",
    arguments: [
      ("GB", ["SW1A 1AA", "SW1A1AA", "sw1a 1aa", "M1 1AE", "B33 8TH", "CR2 6XH", "DN55 1PT", "W1A 0AX", "GIR 0AA"]),
      ("CA", ["K1A 0B1", "K1A0B1", "k1a 0b1", "K1A-0B1"]), ("NL", ["1234 AB", "1234AB", "1234 ab", "NL-1234 AB"]),
      ("US", ["94105", "94105-1234", "941051234", "94105 1234"]), ("JP", ["100-0001", "1000001"]),
      ("AU", ["2000"]), ("BR", ["01310-100", "01310100"]), ("CN", ["100000"]), ("IN", ["110001", "110 001"]),
      ("KR", ["04524"]), ("MX", ["06600"]), ("DE", ["10115", " 10115 ", "de-10115"]), ("FR", ["75001", "75 001"]),
      ("PL", ["00-001", "00001"]), ("PT", ["1000-001", "1000001"]), ("SE", ["114 55", "11455", "SE-114 55"]),
      ("CZ", ["110 00", "11000"]), ("SK", ["811 01"]), ("GR", ["104 31"]), ("LV", ["LV-1010", "1010"]),
      ("LT", ["LT-01100", "01100"]), ("IE", ["D02 X285", "D02X285", "d6w xy00"]), ("MT", ["VLT 1117", "VLT1117"]),
      ("AD", ["AD500"]), ("MC", ["98000"]), ("VA", ["00120"]), ("SM", ["47890"]), ("LU", ["1234", "L-1234"]),
      ("AX", ["22100", "AX-22100"]), ("GG", ["GY1 1AA"]), ("JE", ["JE2 3AB"]), ("IM", ["IM1 1AA"]),
      ("GI", ["GX11 1AA"]), ("CH", ["8001", "CH-8001"]), ("RS", ["11000", "110000"]),
      ("TW", ["100", "10617", "106-17"]),
      ("AR", ["C1425DKA", "1425"]), ("KZ", ["010000", "A05A1B2"]), ("RE", ["97400"]), ("HK", ["999077", "N-A"]),
      ("AE", ["00000"]), ("GH", ["GA-184-2175"]),
    ])
  func accepted(code: String, written: [String]) throws {
    let rule = try #require(Country(code: code)).postalCodeRule
    for text in written {
      #expect(rule.accepts(text), "\(code) \(text)")
    }
  }

  @Test(
    "codes of another form",
    arguments: [
      ("GB", ["SW1A", "SW1A 1A", "1SW 1AA", "SW1A  1AA", "SW1A 1AAA"]), ("CA", ["K1A 0B", "KIA 0B1", "11A 0B1"]),
      ("NL", ["1234", "1234 A", "AB 1234", "123 AB"]), ("US", ["9410", "941055", "94105-123", "94105-", "ABCDE"]),
      ("JP", ["100-001", "10-00001"]), ("DE", ["1011", "101155", "1011A", "", " ", "FR-10115", "10115x", "１０１１５"]),
      ("MC", ["75001"]), ("VA", ["00121"]), ("GG", ["JE1 1AA"]), ("AD", ["500"]), ("LU", ["L-L-1234", "12345"]),
      ("IE", ["D02", "002 X285"]), ("HK", ["A_B", "é", "1234567890123"]), ("PL", ["0-0001", "00--001"]),
    ])
  func refused(code: String, written: [String]) throws {
    let rule = try #require(Country(code: code)).postalCodeRule
    for text in written {
      #expect(!rule.accepts(text), "\(code) \(text)")
    }
  }

  @Test("every rule has readable patterns, and all of Europe has some")
  func rules() {
    let europe = """
      AD AL AT AX BA BE BG BY CH CY CZ DE DK EE ES FI FO FR GB GG GI GR HR HU IE IM IS IT JE LI LT LU LV MC MD ME MK
      MT NL NO PL PT RO RS RU SE SI SJ SK SM TR UA VA
      """
    for code in europe.split(whereSeparator: \.isWhitespace) {
      #expect(Country(code: String(code))?.postalCodeRule.patterns.isEmpty == false, "\(code)")
    }
    let required = Country.codes.filter { Country(code: $0)?.postalCodeRule.isRequired == true }
    #expect(required.count == 92)
    #expect(required.allSatisfy { Country(code: $0)?.postalCodeRule.patterns.isEmpty == false })
    #expect(!required.contains("HK") && !required.contains("AE") && !required.contains("IE"))
  }
}
