// The check `payment_method`, alone.

import CheckoutCore
import Testing

@Suite("The payment method check")
struct PaymentMethodCheckTests {
  private let check = PaymentMethodCheck(types: ["card", "apple_pay"])

  private func paying(_ payment: CheckoutRequest.Payment?) -> SampleRequest {
    var sample = SampleRequest()
    sample.payment = payment
    return sample
  }

  @Test("lets types on offer pass")
  func passes() {
    #expect(check.examine(SampleRequest()) == .passed)
    #expect(check.examine(paying(SampleRequest.payment(type: "apple_pay"))) == .passed)
  }

  @Test("refuses a missing method for good")
  func missing() {
    #expect(check.complaint(paying(nil)) == "missing_payment_method /payment content")
    #expect(
      check.complaint(paying(SampleRequest.payment(token: "")))
        == "missing_payment_method /payment/method_token content")
    #expect(
      check.complaint(paying(SampleRequest.payment(type: "")))
        == "missing_payment_method /payment/method_type content")
  }

  @Test("refuses types that are not on offer, for now", arguments: ["shells", "Card", "card "])
  func unsupported(type: String) {
    #expect(
      check.complaint(paying(SampleRequest.payment(type: type)))
        == "unsupported_payment_method /payment/method_type changeable")
  }
}
