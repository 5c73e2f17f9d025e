// Dead letters: exact bytes, the reason, bounds, and what happens when the broker refuses an output.

import CheckoutSimulation
import Testing

@testable import WorkerEngine

@Suite("Dead letters")
struct DeadLetterTests {
  private let noon: Int64 = 1_796_040_000_000
  private let envelope = DeadLetterEnvelope(
    settings: DeadLetterSettings(
      topic: "dead", recordBytesMax: 2000, prefixBytes: 100, digest: { bytes in "digest-of-\(bytes.count)" }),
    group: "g", stage: "test")

  private func record(_ value: Bytes?, headers: [Header] = [], key: Bytes? = Bytes("k")) -> Record {
    Record(slot: 0, offset: 42, timestamp: 1234, key: key, value: value, headers: headers)
  }

  private func letter(
    of record: Record, detail: String = "why", redacted: Bytes? = nil
  ) -> Output {
    envelope.output(
      of: DeadLetterSource(record, of: TopicPartition(topic: "in", partition: 3)),
      DeadLetter(code: "invalid_json", detail: detail, redactedValue: redacted),
      now: Moment(wall: noon * 1_000_000, boot: 5))
  }

  private func value(_ name: String, in output: Output) -> String? {
    output.headers.last { header in header.name == Bytes(name) }.map { header in text(header.value) }
  }

  @Test("Value, key and headers are the exact bytes in order, with duplicates and nulls; then where from and why")
  func exact() {
    let odd: [UInt8] = [0xFF, 0xFE, 0, 0x7B]
    let headers = [
      Header("b", "2"), Header(name: Bytes("a"), value: nil), Header("b", "1"),
      Header(name: Bytes([0xC3, 0x28]), value: Bytes(odd)), Header(name: Bytes(""), value: Bytes("")),
    ]
    let output = letter(of: record(Bytes(odd), headers: headers))
    #expect(output.topic == "dead")
    #expect(output.key == Bytes("k"))
    #expect(output.value == Bytes(odd))
    #expect(Array(output.headers.prefix(5)) == headers)
    #expect(
      Array(output.headers.dropFirst(5)) == [
        Header("dlq-topic", "in"), Header("dlq-partition", "3"), Header("dlq-offset", "42"),
        Header("dlq-timestamp", "1234"), Header("dlq-group", "g"), Header("dlq-stage", "test"),
        Header("dlq-code", "invalid_json"), Header("dlq-detail", "why"), Header("dlq-attempt", "1"),
        Header("dlq-generation", "1"), Header("dlq-first-failed-at", "1796040000000"),
        Header("dlq-last-failed-at", "1796040000000"),
      ])
  }

  @Test("A null value and a null key stay null")
  func nulls() {
    let output = letter(of: record(nil, key: nil))
    #expect(output.key == nil)
    #expect(output.value == nil)
  }

  @Test("Failing again replaces our headers, counts, and keeps the first time; the third failure parks")
  func again() {
    let second = letter(
      of: record(
        Bytes("v"),
        headers: [
          Header("x", "1"), Header("dlq-generation", "1"), Header("dlq-first-failed-at", "99"),
          Header("dlq-code", "old"),
          Header("y", "2"),
        ]))
    #expect(Array(second.headers.prefix(2)) == [Header("x", "1"), Header("y", "2")])
    #expect(second.headers.count { header in header.name == Bytes("dlq-code") } == 1)
    #expect(value("dlq-generation", in: second) == "2")
    #expect(value("dlq-first-failed-at", in: second) == "99")
    #expect(value("dlq-last-failed-at", in: second) == "1796040000000")
    #expect(value("dlq-parked", in: second) == nil)
    let third = letter(of: record(Bytes("v"), headers: second.headers))
    #expect(value("dlq-generation", in: third) == "3")
    #expect(value("dlq-parked", in: third) == "true")
  }

  @Test("Twenty failures do not make it grow")
  func bounded() {
    var headers: [Header] = []
    var sizes: Set<Int> = []
    for _ in 0..<20 {
      let output = letter(of: record(Bytes("v"), headers: headers))
      headers = output.headers
      sizes.insert(output.payloadBytes)
    }
    #expect((sizes.max() ?? 0) - (sizes.min() ?? 0) < 20)
  }

  @Test("Nonsense in our own headers is taken for a first failure", arguments: ["", "-1", "9999999999999999999", "x"])
  func nonsense(generation: String) {
    let headers = [Header("dlq-generation", generation), Header("dlq-first-failed-at", "soon")]
    let output = letter(of: record(Bytes("v"), headers: headers))
    #expect(value("dlq-generation", in: output) == "1")
    #expect(value("dlq-first-failed-at", in: output) == "1796040000000")
  }

  @Test("The detail is one line of at most 512 bytes, cut between characters")
  func detail() {
    let output = letter(of: record(nil), detail: "a\nb\u{7F}" + String(repeating: "é", count: 400))
    let detail = value("dlq-detail", in: output) ?? ""
    #expect(detail.hasPrefix("a b é"))
    #expect(detail.utf8.count == 512)
  }

  @Test("A value too large keeps its beginning, length and digest")
  func truncated() {
    let output = letter(of: record(Bytes(Array(repeating: 7, count: 1990))))
    #expect(output.value == Bytes(Array(repeating: 7, count: 100)))
    #expect(value("dlq-truncated", in: output) == "true")
    #expect(value("dlq-length", in: output) == "1990")
    #expect(value("dlq-sha256", in: output) == "digest-of-1990")
    #expect(output.payloadBytes <= 2000)
  }

  @Test("Headers too large are left out, with their number")
  func hugeHeaders() {
    let headers = (0..<50).map { number in Header("h\(number)", String(repeating: "x", count: 100)) }
    let output = letter(of: record(Bytes("value"), headers: headers))
    #expect(value("dlq-headers-dropped", in: output) == "50")
    #expect(output.payloadBytes <= 2000)
    #expect(output.key == Bytes("k"))
    let key = letter(of: record(Bytes("v"), key: Bytes(Array(repeating: 1, count: 1995))))
    #expect(key.key == nil)
    #expect(value("dlq-key-dropped", in: key) == "true")
  }

  @Test("A redacted value stands in for the original, and nothing of the original is told")
  func redacted() {
    let output = letter(of: record(Bytes(Array(repeating: 7, count: 5000))), redacted: Bytes("[card]"))
    #expect(output.value == Bytes("[card]"))
    #expect(value("dlq-redacted", in: output) == "true")
    #expect(value("dlq-sha256", in: output) == nil)
  }

  @Test("A stage's dead letter is committed with the offset, and its lane goes on")
  func throughTheWorker() {
    let world = TestWorld()
    let worker = world.start()
    world.run()
    world.send("poison", key: "a")
    world.send("good", key: "a")
    world.run()
    worker.inbox.put([.deadLetter(worker.log.ticket("poison"), DeadLetter(code: "invalid_json", detail: "at 0"))])
    world.run()
    worker.finish("good")
    world.run()
    let dead = world.broker.log(of: "dead")
    #expect(dead.map(\.valueText) == ["poison"])
    #expect(dead.first?.header("dlq-offset") == "0")
    #expect(dead.first?.keyText == "a")
    #expect(world.committed() == 2)
    #expect(worker.health.counters.deadLetters == 1)
  }

  @Test("An output the broker refuses makes its message a dead letter; the others of the job are committed")
  func refused() {
    let world = TestWorld()
    world.broker.settings.recordBytesMax = 700
    let worker = world.start()
    world.run()
    for value in ["a", "b", "c"] { world.send(value, key: value) }
    world.run()
    worker.finish("a")
    let small = Output(topic: "out", key: nil, value: Bytes("b-small"), headers: [])
    let huge = Output(topic: "out", key: nil, value: Bytes(Array(repeating: 1, count: 701)), headers: [])
    worker.inbox.put([.finish(worker.log.ticket("b"), [small, huge])])
    worker.finish("c")
    world.run(rounds: 60)
    #expect(world.values(of: "out") == ["a", "c"], "none of b's outputs: a message is done as a whole")
    let dead = world.broker.log(of: "dead")
    #expect(dead.map(\.valueText) == ["b"])
    #expect(dead.first?.header("dlq-code") == "output_refused")
    #expect(dead.first?.header("dlq-offset") == "1")
    #expect(world.committed() == 3)
    #expect(worker.health.counters.outputsRefused == 1)
    #expect(worker.health.heldBytes == 0)
  }

  @Test("A dead letter that is refused itself is repeated without its value; the next refusal stops the worker")
  func deadLetterRefused() {
    let world = TestWorld()
    let worker = world.start()
    world.run()
    world.send("a", key: "a")
    world.run()
    let refusal = CommitResult.refused(output: 0, detail: "message size too large")
    worker.endpoint.scriptedResults = [refusal, refusal]
    worker.finish("a")
    world.run(rounds: 60)
    #expect(world.broker.log(of: "dead").map(\.valueText) == [""])
    #expect(world.broker.log(of: "dead").first?.header("dlq-length") == "1")

    world.send("b", key: "b")
    world.run()
    worker.endpoint.scriptedResults = [refusal, refusal, refusal]
    worker.finish("b")
    world.run(rounds: 60)
    guard case .failed(let failure) = worker.status else { return #expect(Bool(false), "\(worker.status)") }
    #expect(failure.kind == .environment)
    #expect(worker.endpoint.jobs.count <= 8, "never repeated for ever")
    #expect(world.committed() == 1, "and b is not lost")
  }

  @Test("A refused output without a message becomes a dead letter too")
  func refusedEmission() {
    let world = TestWorld()
    world.broker.settings.recordBytesMax = 700
    let worker = world.start()
    world.run()
    let huge = Output(topic: "out", key: Bytes("k"), value: Bytes(Array(repeating: 1, count: 701)), headers: [])
    worker.inbox.put([.emit([huge])])
    world.run(rounds: 60)
    let dead = world.broker.log(of: "dead")
    #expect(dead.count == 1)
    #expect(dead.first?.header("dlq-topic") == "out")
    #expect(dead.first?.header("dlq-offset") == nil)
  }
}
