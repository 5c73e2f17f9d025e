// `checkout dead-letters` beside a live worker: what is shown, what is sent again, and that nothing is sent twice by accident.

import Foundation
import Testing

@Suite("checkout dead-letters", .serialized, .otherClients, .timeLimit(.minutes(3)))
struct DeadLettersCommandTests {
  /// A record as an independent client reads it; bytes in hexadecimal.
  private struct Stored: Decodable {
    let place: String
    let key: String?
    let value: String?
    let headers: [[String?]]

    /// The message's own headers.
    var originals: [[String?]] { headers.filter { $0.first??.hasPrefix("dlq-") != true } }

    /// The text of one of our headers.
    func text(_ name: String) -> String? {
      guard let hex = headers.last(where: { $0.first == name })?.last ?? nil else { return nil }
      let digits = Array(hex)
      let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  private func stored(_ pipeline: LocalPipeline, _ topic: String, count: Int) throws -> [Stored] {
    let finished = try OtherClients.script("topic_bytes.py", [pipeline.brokers, "dump", topic, "\(count)"])
    try #require(finished.ending == .exit(0), "\(finished.errors)")
    return try finished.lines.map { try JSONDecoder().decode(Stored.self, from: Data($0.utf8)) }
  }

  private func run(_ pipeline: LocalPipeline, _ arguments: [String]) throws -> Finished {
    try Project.checkout(["dead-letters"] + arguments + ["--brokers", pipeline.brokers])
  }

  private func send(_ pipeline: LocalPipeline) throws {
    let sent = try OtherClients.script("topic_bytes.py", [pipeline.brokers, "send", "checkout.requests"])
    try #require(sent.ending == .exit(0), "\(sent.errors)")
  }

  @Test("byte for byte with null key and odd headers, counted, once each; the third failure needs --force")
  func redriven() throws {
    let pipeline = try LocalPipeline(partitions: 1)
    let worker = try pipeline.worker("validation")
    try send(pipeline)
    var letters = try stored(pipeline, "checkout.dead-letters", count: 1)
    let dry = try run(pipeline, ["redrive", "--all"])
    #expect(dry.ending == .exit(0), "\(dry.errors)")
    #expect(dry.output.hasSuffix("1 would be sent again, 0 left; --apply does it\n"))
    for generation in 2...3 {
      let id = try #require(letters.last).place
      let sent = try run(pipeline, ["redrive", id, "--apply"])
      #expect(sent.ending == .exit(0), "\(sent.errors)")
      let again = try run(pipeline, ["redrive", id, "--apply"])
      #expect(again.ending == .exit(1))
      #expect(again.output.contains("was sent again already"))
      letters = try stored(pipeline, "checkout.dead-letters", count: generation)
      #expect(letters.last?.text("dlq-generation") == "\(generation)")
    }
    let third = try #require(letters.last)
    #expect(third.text("dlq-parked") == "true")
    let refused = try run(pipeline, ["redrive", third.place, "--apply"])
    #expect(refused.ending == .exit(1))
    #expect(refused.output.contains("--force sends it again"))
    #expect(try run(pipeline, ["redrive", third.place, "--apply", "--force"]).ending == .exit(0))
    letters = try stored(pipeline, "checkout.dead-letters", count: 4)
    try expectSame(try stored(pipeline, "checkout.requests", count: 4), letters)
    try pipeline.stop([worker])
  }

  /// The original and three redrives, and four letters, all with the bytes of the first.
  private func expectSame(_ requests: [Stored], _ letters: [Stored]) throws {
    let first = try #require(requests.first)
    #expect(first.key == nil)
    #expect(first.value?.hasPrefix("fffe7b") == true)
    #expect(
      first.originals == [
        ["content-type", "746578742f706c61696e"], ["x", "ff00"], ["x", nil], ["x", ""], ["x", "ff00"],
      ])
    for record in requests + letters {
      #expect(record.key == nil)
      #expect(record.value == first.value)
      #expect(record.originals == first.originals, "\(record.place)")
    }
    #expect(letters.map { $0.text("dlq-generation") } == ["1", "2", "3", "4"])
    #expect(Set(letters.map { $0.text("dlq-first-failed-at") }).count == 1)
    #expect(
      requests.map { $0.text("dlq-redriven-from") } == [nil]
        + letters.dropLast().map { "checkout.dead-letters-\($0.place)" })
  }

  @Test("the list fits 80 columns; show has every header in its order; JSON is read by another parser")
  func shown() throws {
    let pipeline = try LocalPipeline(partitions: 1)
    let worker = try pipeline.worker("validation")
    try send(pipeline)
    _ = try stored(pipeline, "checkout.dead-letters", count: 1)
    let list = try run(pipeline, ["list"])
    #expect(list.lines.count == 2)
    #expect(list.lines.allSatisfy { $0.count <= 80 })
    #expect(try run(pipeline, ["list", "--code", "missing_identity"]).output == "no dead letters that fit\n")
    let page = try run(pipeline, ["show", "0-0"]).output
    #expect(
      page.contains(
        """
        headers of the message
          content-type = "text/plain"
          x = 0xff00
          x = null
          x = ""
          x = 0xff00

        key    null
        value  12 bytes, not text: shown as hexadecimal
          00000000  ff fe 7b 20 6e 6f 74 20 4a 53 4f 4e              ..{ not JSON
        """))
    let object = try #require(try Project.objects(try run(pipeline, ["show", "0-0", "--json"]).lines).first)
    #expect((object["headers"] as? [Any])?.count == 5)
    #expect(try run(pipeline, ["show", "0-9"]).ending == .exit(1))
    #expect(try run(pipeline, ["redrive"]).ending == .exit(2))
    try pipeline.stop([worker])
  }
}
