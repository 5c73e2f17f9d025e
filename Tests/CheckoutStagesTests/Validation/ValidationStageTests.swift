// What validation and the facade do with messages that are none.

import CheckoutCore
import CheckoutSandbox
import CheckoutSimulation
import CheckoutStages
import CheckoutWire
import Foundation
import Testing
import WorkerEngine

@Suite("Strange messages")
struct ValidationStageTests {
  @Test("an event on checkout.validated that does not decode becomes a dead letter, others are unharmed")
  func malformedEvent() throws {
    let world = try StageWorld()
    world.pipeline.send(.validated, key: Bytes("chk_1"), value: Bytes("{}"), partition: 0)
    world.pipeline.send(
      .validated, key: nil, value: Bytes("no json"), headers: [Header("ce_type", "checkout.validated")], partition: 1)
    let request = world.send(Order())
    #expect(world.pipeline.settle(atMost: .seconds(30)))
    let letters = world.pipeline.log(.deadLetters)
    #expect(letters.compactMap { $0.header("dlq-code") } == ["malformed_event", "malformed_event"])
    #expect(Set(letters.map(\.valueText)) == ["{}", "no json"])
    #expect(Set(letters.compactMap { $0.header("dlq-stage") }) == ["facade"])
    #expect(try world.answers(request) == ["checkout.completed"])
  }

  @Test("tombstones are passed over in every topic")
  func tombstones() throws {
    let world = try StageWorld()
    for role in [TopicRole.requests, .validated, .pending] {
      world.pipeline.send(role, key: Bytes("chk_1"), value: nil, partition: 0)
    }
    let request = world.send(Order())
    #expect(world.pipeline.settle(atMost: .seconds(30)))
    #expect(world.pipeline.log(.deadLetters) == [])
    #expect(try world.answers() == [request: ["checkout.completed"]])
  }

  @Test("a request without a key, and one under another's key, are keyed by their checkout from then on")
  func keys() throws {
    let world = try StageWorld()
    let none = world.send(Order(checkout: "chk_1", key: "key-0123456789-1").json, key: nil)
    let wrong = world.send(Order(checkout: "chk_2", key: "key-0123456789-2").json, key: "chk_1")
    #expect(world.pipeline.settle(atMost: .seconds(30)))
    #expect(try world.answers(none) == ["checkout.completed"])
    #expect(try world.answers(wrong) == ["checkout.completed"])
    #expect(world.pipeline.log(.validated).map(\.keyText).sorted() == ["chk_1", "chk_2"])
    #expect(world.pipeline.log(.outcomes).map(\.keyText).sorted() == ["chk_1", "chk_2"])
  }

  @Test("a paid request repeated after its price has changed gets the first result, not a refusal")
  func refusedLater() throws {
    let world = try StageWorld()
    world.send(Order())
    #expect(world.pipeline.settle(atMost: .seconds(30)))
    let paid = try #require(world.pipeline.log(.validated).first)
    // The same request as validation publishes it once the price is another one.
    let origin = "checkout.requests/1/5/1796040000000"
    let text = paid.valueText
    let start = try #require(text.range(of: #""fingerprint":""#)?.upperBound)
    let fingerprint = text[start...].prefix { $0 != "\"" }
    let identity = AttemptIdentity(
      merchantID: "shop-eu", checkoutID: "chk_1", idempotencyKey: "key-0123456789-1")
    for (offset, print) in [(5, String(fingerprint)), (6, "1:" + String(repeating: "0", count: 64))] {
      let place = try #require(Position(text: origin.replacingOccurrences(of: "/5/", with: "/\(offset)/")))
      let event = EventEncoder().encode(
        PipelineEvent(
          id: "refused-\(offset)", type: .refused, origin: Origin(place), time: world.pipeline.now,
          subject: EventSubject(identity), trace: nil,
          body: .refused(
            fingerprint: Fingerprint(print),
            [Refusal(.priceChanged, path: "/items/0/unit_price_minor", message: "The price has changed.")],
            Decision(at: world.pipeline.now, referenceVersion: ReferenceVersion("test")))))
      world.pipeline.send(
        .validated, key: Bytes(event.key), value: Bytes(event.value),
        headers: event.headers.map { Header($0.name, $0.value) })
    }
    #expect(world.pipeline.settle(atMost: .seconds(30)))
    #expect(try world.answers("1/5") == ["checkout.completed replayed"])
    #expect(try world.answers("1/6") == ["checkout.rejected idempotency_conflict"])
  }
}
