// The check `account`, alone.

import CheckoutCore
import Testing

@Suite("The account check")
struct AccountCheckTests {
  private let check = AccountCheck()

  private func of(_ accountID: String, merchant: String = "shop-eu") -> SampleRequest {
    var sample = SampleRequest()
    sample.accountID = accountID
    sample.merchantID = merchant
    return sample
  }

  @Test("lets enabled accounts pass, refuses disabled and unknown ones")
  func verdicts() {
    #expect(check.examine(of("acct_7781")) == .passed)
    #expect(check.complaint(of("acct_0666")) == "disabled_account /account_id changeable")
    #expect(check.complaint(of("acct_9999")) == "unknown_account /account_id changeable")
  }

  @Test("an account belongs to one merchant")
  func merchant() {
    #expect(check.complaint(of("acct_7781", merchant: "shop-us")) == "unknown_account /account_id changeable")
  }

  @Test("does not guess while the source is down, or has not been asked")
  func waits() {
    let key = AccountKey(merchantID: "shop-eu", accountID: "acct_7781")
    let down = CheckContext(now: SampleRequest.noon, reference: .unavailable(version: ReferenceVersion("none")))
    #expect(check.examine(SampleRequest().request, in: down) == .needs(.account(key)))
    var reference = ReferenceData.sample
    reference.accounts = ReferenceTable(coverage: .partial)
    #expect(
      check.examine(SampleRequest().request, in: CheckContext(now: SampleRequest.noon, reference: reference))
        == .needs(.account(key)))
    reference.accounts.set(.enabled, for: key)
    #expect(
      check.examine(SampleRequest().request, in: CheckContext(now: SampleRequest.noon, reference: reference))
        == .passed)
    reference.accounts.set(nil, for: key)
    #expect(
      check.complaint(SampleRequest(), in: CheckContext(now: SampleRequest.noon, reference: reference))
        == "unknown_account /account_id changeable")
  }
}
