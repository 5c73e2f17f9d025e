// The check `address`, alone.

import CheckoutCore
import Testing

@Suite("The address check")
struct AddressCheckTests {
  private let check = AddressCheck(countries: nil)

  private func to(_ address: CheckoutRequest.Address?) -> SampleRequest {
    var sample = SampleRequest()
    sample.address = address
    return sample
  }

  @Test("lets proper addresses pass")
  func passes() {
    #expect(check.examine(SampleRequest()) == .passed)
    #expect(check.examine(to(SampleRequest.address(postalCode: nil, country: "HK"))) == .passed)
    #expect(check.examine(to(SampleRequest.address(postalCode: "", country: "AE"))) == .passed)
    #expect(check.examine(to(SampleRequest.address(postalCode: "D02 X285", country: "IE"))) == .passed)
    #expect(check.examine(to(SampleRequest.address(postalCode: nil, country: "IE"))) == .passed)
  }

  @Test("refuses an absent address")
  func absent() {
    #expect(check.complaint(to(nil)) == "missing_address /shipping_address content")
  }

  @Test(
    "refuses an address without its required parts; white space is no part", arguments: ["", " ", "\t\u{A0}\u{3000}"])
  func parts(blank: String) {
    let expected = { (field: String) in "missing_address /shipping_address/\(field) content" }
    #expect(check.complaint(to(SampleRequest.address(name: blank))) == expected("name"))
    #expect(check.complaint(to(SampleRequest.address(line1: blank))) == expected("line1"))
    #expect(check.complaint(to(SampleRequest.address(city: blank))) == expected("city"))
    #expect(check.complaint(to(SampleRequest.address(country: blank))) == expected("country"))
    #expect(check.complaint(to(SampleRequest.address(postalCode: blank))) == expected("postal_code"))
  }

  @Test("needs a postal code where the country does")
  func requiredPostalCode() {
    let expected = "missing_address /shipping_address/postal_code content"
    #expect(check.complaint(to(SampleRequest.address(postalCode: nil, country: "US"))) == expected)
    #expect(check.complaint(to(SampleRequest.address(postalCode: nil, country: "JP"))) == expected)
  }

  @Test("refuses postal codes of another form")
  func postalCodeForm() {
    let expected = "invalid_postal_code /shipping_address/postal_code content"
    #expect(check.complaint(to(SampleRequest.address(postalCode: "1011", country: "DE"))) == expected)
    #expect(check.complaint(to(SampleRequest.address(postalCode: "10115-1", country: "DE"))) == expected)
    #expect(check.complaint(to(SampleRequest.address(postalCode: "12_3", country: "HK"))) == expected)
    #expect(check.complaint(to(SampleRequest.address(postalCode: "1234567890123", country: "AE"))) == expected)
  }

  @Test("refuses what is no country, for good", arguments: ["ZZ", "de", "UK", "EU", "XK", "DEU", "D", "Ö1"])
  func noCountry(code: String) {
    #expect(
      check.complaint(to(SampleRequest.address(country: code)))
        == "unsupported_country /shipping_address/country content")
  }

  @Test("refuses countries that are not on the list, for now, and after what is wrong for good")
  func countryList() {
    let check = AddressCheck(countries: ["FR", "NL"])
    let expected = "unsupported_country /shipping_address/country changeable"
    #expect(check.complaint(to(SampleRequest.address())) == expected)
    #expect(check.examine(to(SampleRequest.address(postalCode: "1234 ab", country: "NL"))) == .passed)
    #expect(
      check.complaint(to(SampleRequest.address(postalCode: "x")))
        == "invalid_postal_code /shipping_address/postal_code content")
  }

  @Test("says nothing of the address in its messages")
  func noPersonalData() {
    for address in [
      SampleRequest.address(city: ""), SampleRequest.address(postalCode: "SECRET"),
      SampleRequest.address(country: "QQ"),
    ] {
      guard case .refused(let refusal, _) = check.examine(to(address)) else {
        Issue.record("not refused")
        continue
      }
      #expect(!refusal.message.contains("Ana"))
      #expect(!refusal.message.contains("SECRET"))
      #expect(refusal.actual == nil)
    }
  }
}
