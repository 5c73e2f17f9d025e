// Ids of events, which every message needs, are made by a shorter way than other ids: it has to give the same.
import CheckoutCore
import CheckoutWire
import Testing

struct EventIDTests {
  @Test(arguments: [
    Position(topic: "checkout.requests", partition: 0, offset: 0, timestampMilliseconds: -1),
    Position(topic: "t", partition: 11, offset: 9, timestampMilliseconds: 0),
    Position(topic: "über", partition: .max, offset: .max, timestampMilliseconds: .min),
    Position(topic: "checkout.requests", partition: 100, offset: 99_999, timestampMilliseconds: 1_796_040_001_000),
  ])
  func `an event's id is the hash of its parts`(position: Position) {
    let identifiers = Identifiers(digest: SHA256.digest)
    for type in [EventType.validated, .rejected, .completed] {
      #expect(
        identifiers.event(type, of: Origin(position)) == identifiers.hash(["event", position.text, type.rawValue]))
    }
  }

  @Test func `positions read back`() {
    let position = Position(topic: "checkout.requests", partition: 3, offset: 1234, timestampMilliseconds: 56789)
    #expect(position.text == "checkout.requests/3/1234/56789")
    #expect(Position(text: position.text) == position)
  }
}
