// Dead letters sent again: byte for byte, counted, and left where they must be.

import CheckoutCore
import CheckoutTools
import Foundation
import Testing
import WorkerEngine

@Suite("Redrive")
struct RedriveTests {
  private static let topic = "checkout.dead-letters"

  private let redrive = Redrive(force: false, again: false, nowMilliseconds: 1_796_040_000_500, topic: topic) { bytes in
    "digest of \(bytes.count)"
  }

  /// A header with two values of which one is null, a binary key, a value that is no text.
  private static let originals = [
    Header("content-type", "text/plain"), Header(name: Bytes("x"), value: nil),
    Header(name: Bytes("x"), value: Bytes([0xFF, 0x00])), Header(name: Bytes("x"), value: Bytes([])),
  ]

  private static func letter(
    _ more: [Header] = [], key: Bytes? = Bytes([0x00, 0xFE]), value: Bytes? = Bytes([0x7B, 0xFF]),
    isRedriven: Bool = false
  ) -> DeadLetterItem {
    let ours = [
      Header("dlq-topic", "checkout.requests"), Header("dlq-partition", "3"), Header("dlq-offset", "17"),
      Header("dlq-timestamp", "1796040000123"), Header("dlq-code", "malformed_json"), Header("dlq-detail", "not JSON"),
      Header("dlq-stage", "validation"), Header("dlq-generation", "2"), Header("dlq-first-failed-at", "1796040000200"),
      Header("dlq-last-failed-at", "1796040000300"),
    ]
    return DeadLetterItem(
      TopicRecord(
        position: Position(topic: topic, partition: 1, offset: 5, timestampMilliseconds: 1_796_040_000_300), key: key,
        value: value, headers: originals + ours + more),
      isRedriven: isRedriven)
  }

  private func source(_ value: Bytes?, timestamp: Int64 = 1_796_040_000_123) -> TopicRecord {
    TopicRecord(
      position: Position(topic: "checkout.requests", partition: 3, offset: 17, timestampMilliseconds: timestamp),
      key: Bytes("whole key"), value: value, headers: Self.originals + [Header("dlq-generation", "1")])
  }

  @Test("key, value and headers go out as they came, null and repeated ones too; only ours are replaced")
  func exact() throws {
    guard case .send(let output) = redrive.decide(Self.letter()) else {
      Issue.record("not sent")
      return
    }
    #expect(output.topic == "checkout.requests")
    #expect(output.key == Bytes([0x00, 0xFE]))
    #expect(output.value == Bytes([0x7B, 0xFF]))
    #expect(
      output.headers == Self.originals + [
        Header("dlq-generation", "2"), Header("dlq-first-failed-at", "1796040000200"),
        Header("dlq-redriven-from", "checkout.dead-letters-1-5"), Header("dlq-redriven-at", "1796040000500"),
      ])
  }

  @Test("a null key and a null value stay null")
  func nulls() throws {
    guard case .send(let output) = redrive.decide(Self.letter(key: nil, value: nil)) else {
      Issue.record("not sent")
      return
    }
    #expect(output.key == nil)
    #expect(output.value == nil)
  }

  @Test("left: sent again before, failed three times, not ours; flags change the first two")
  func left() throws {
    #expect(redrive.decide(Self.letter(isRedriven: true)) == .leave(.alreadyRedriven))
    let parked = Self.letter([Header("dlq-parked", "true")])
    #expect(parked.state == .parked)
    #expect(redrive.decide(parked) == .leave(.parked))
    let foreign = DeadLetterItem(
      TopicRecord(
        position: Position(topic: Self.topic, partition: 0, offset: 0, timestampMilliseconds: 0), key: nil, value: nil,
        headers: []), isRedriven: false)
    #expect(redrive.decide(foreign) == .leave(.foreign))
    var bold = redrive
    bold.force = true
    bold.again = true
    guard case .send = bold.decide(Self.letter([Header("dlq-parked", "true")], isRedriven: true)) else {
      Issue.record("not sent")
      return
    }
  }

  @Test("what was cut or masked is read at its source, and only if that is still the same message")
  func changed() throws {
    let cut = Self.letter([
      Header("dlq-truncated", "true"), Header("dlq-length", "4"), Header("dlq-sha256", "digest of 4"),
    ])
    let place = DeadLetterID(partition: 3, offset: 17)
    #expect(redrive.decide(cut) == .readSource(topic: "checkout.requests", place))
    #expect(
      redrive.decide(Self.letter([Header("dlq-redacted", "true")])) == .readSource(topic: "checkout.requests", place))
    #expect(redrive.decide(cut, source: nil) == .leave(.sourceGone))
    #expect(redrive.decide(cut, source: source(Bytes([1, 2, 3]))) == .leave(.sourceChanged))
    #expect(redrive.decide(cut, source: source(Bytes([1, 2, 3, 4]), timestamp: 1)) == .leave(.sourceChanged))
    guard case .send(let output) = redrive.decide(cut, source: source(Bytes([1, 2, 3, 4]))) else {
      Issue.record("not sent")
      return
    }
    #expect(output.value == Bytes([1, 2, 3, 4]))
    #expect(output.key == Bytes("whole key"))
    #expect(Array(output.headers.prefix(5)) == Self.originals + [Header("dlq-generation", "2")])
  }

  @Test(
    "places as people write them",
    arguments: [
      ("3-17", DeadLetterSelection.Place.one(DeadLetterID(partition: 3, offset: 17))),
      ("checkout.dead-letters-3-17", .one(DeadLetterID(partition: 3, offset: 17))),
      ("3-17..42", .range(partition: 3, 17...42)), ("3-17..3-42", .range(partition: 3, 17...42)),
      ("my-own.requests-0-5", .source(topic: "my-own.requests", DeadLetterID(partition: 0, offset: 5))),
    ])
  func places(text: String, place: DeadLetterSelection.Place) {
    #expect(DeadLetterSelection.place(text, deadLetters: Self.topic) == place)
  }

  @Test("what names no letter is refused", arguments: ["", "17", "a-b", "3-", "-17", "3-17..2", "x-3-17..19", "3--1"])
  func noPlace(text: String) {
    #expect(DeadLetterSelection.place(text, deadLetters: Self.topic) == nil)
  }

  @Test("the list fits 80 columns; a page shows null, empty, repeated and binary headers as they are")
  func shown() throws {
    let item = Self.letter()
    let now = Timestamp(milliseconds: 1_796_040_060_300)
    let lines = DeadLetterText.table([item], at: now, columns: nil).split(separator: "\n").map(String.init)
    #expect(
      lines == [
        "ID   AGE  CODE            GEN  STATE  SOURCE         DETAIL",
        "1-5  60s  malformed_json    2  new    requests 3-17  not JSON",
      ])
    let page = DeadLetterText.page(item, showsWhole: false)
    for line in [
      "id                checkout.dead-letters-1-5", "code              malformed_json",
      "timestamp         2026-11-30T12:00:00.123Z (1796040000123)", "  content-type = \"text/plain\"", "  x = null",
      "  x = 0xff00", "  x = \"\"", "key    0x00fe", "value  2 bytes, not text: shown as hexadecimal",
    ] {
      #expect(page.contains("\n\(line)\n") || page.hasPrefix("\(line)\n"), "\(line) in \(page)")
    }
    #expect(page.contains("  00000000  7b ff"))
  }

  @Test("JSON has text as text, bytes in hexadecimal, null as null")
  func json() throws {
    let text = Self.letter().json(isWhole: true)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(object["id"] as? String == "checkout.dead-letters-1-5")
    #expect(object["key_hex"] as? String == "00fe")
    #expect(object["value_hex"] as? String == "7bff")
    let headers = try #require(object["headers"] as? [[String: Any]])
    #expect(headers.map { $0["name"] as? String } == ["content-type", "x", "x", "x"])
    #expect(headers[1]["value"] is NSNull)
    #expect(headers[2]["value_hex"] as? String == "ff00")
    #expect(headers[3]["value"] as? String == "")
    #expect(object["source_offset"] as? Int == 17)
  }
}
