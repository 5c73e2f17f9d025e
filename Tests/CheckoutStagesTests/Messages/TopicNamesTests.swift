// What topics are called.

import CheckoutStages
import CheckoutWire
import Testing

@Suite("Topic names")
struct TopicNamesTests {
  @Test("by default they begin with checkout.")
  func standard() {
    #expect(
      TopicRole.allCases.map { TopicNames().name($0) } == [
        "checkout.requests", "checkout.validated", "checkout.rejections", "checkout.outcomes", "checkout.pending",
        "checkout.dead-letters",
      ])
  }

  @Test("another prefix takes the place of the default")
  func prefixed() {
    #expect(TopicNames(prefix: "eu.").name(.deadLetters) == "eu.dead-letters")
    #expect(TopicNames(prefix: "").name(.pending) == "pending")
  }
}
