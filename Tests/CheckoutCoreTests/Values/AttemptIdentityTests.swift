// Keys are equal to the byte, or not at all.

import CheckoutCore
import Testing

@Suite struct AttemptIdentityTests {
  @Test func `an accent written in two ways makes two keys, as it does in the journal`() {
    let composed = AttemptID(merchantID: "shop", idempotencyKey: "caf\u{E9}-0000000000001")
    let decomposed = AttemptID(merchantID: "shop", idempotencyKey: "cafe\u{301}-0000000000001")
    #expect(composed.idempotencyKey == decomposed.idempotencyKey, "Swift's own equality does not see it")
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed]).count == 2)
  }

  @Test func `equal bytes are one key`() {
    let first = CheckoutKey(merchantID: "shop", checkoutID: "chk_1")
    let second = CheckoutKey(merchantID: "shop", checkoutID: "chk_1")
    #expect(first == second)
    #expect(Set([first, second]).count == 1)
  }

  @Test func `parts do not run into each other`() {
    #expect(
      AttemptID(merchantID: "ab", idempotencyKey: "c") != AttemptID(merchantID: "a", idempotencyKey: "bc"))
  }
}
