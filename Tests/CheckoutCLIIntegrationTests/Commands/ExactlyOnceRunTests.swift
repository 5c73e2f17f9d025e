// `checkout run` on a broker with transactions: every sample ends as it must, and each event is there once.

import CheckoutCore
import CheckoutTools
import Foundation
import KafkaAdapter
import NoidaFixture
import Testing
import WorkerEngine

@Suite(.serialized, .enabled(if: NoidaBroker.isExpected, Comment(rawValue: NoidaBroker.whenMissing)))
struct ExactlyOnceRunTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  private static let roles = ["requests", "validated", "pending", "outcomes", "rejections", "dead-letters"]

  private func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: Self.root.appending(path: "samples/\(name)")))
  }

  private func start(_ brokers: String, _ folder: URL, _ more: [String]) throws -> Process {
    let bundle = CommandLine.arguments.first { $0.contains(".xctest") } ?? CommandLine.arguments[0]
    let program = URL(fileURLWithPath: bundle).deletingLastPathComponent().appending(path: "checkout")
    let settings = [
      "worker.clock_start=2026-11-30T12:00:00Z", "saga.call_timeout=2500ms", "saga.charge_deadline=3s",
      "saga.settle_margin=200ms",
    ].flatMap { ["--set", $0] }
    return try NoidaBroker.process(
      program.path,
      [
        "run", "--stage", "all", "--brokers", brokers, "--reference",
        Self.root.appending(path: "samples/reference.json").path, "--journal",
        "sqlite:\(folder.appending(path: "journal.db").path)", "--kafka-property",
        "receive.message.max.bytes=2000000000",
      ] + settings + more)
  }

  @Test("every sample ends as expected, each event is published once, and SIGTERM ends with exit code 0")
  func samples() throws {
    let noida = try NoidaBroker()
    let settings = try noida.settings()
    try noida.createTopics(Self.roles.map { "checkout.\($0)" }, partitions: 3)
    let folder = FileManager.default.temporaryDirectory.appending(path: ProcessInfo.processInfo.globallyUniqueString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let workers = try start(noida.brokers, folder, ["--delivery", "exactly-once"])
    defer { kill(workers.processIdentifier, SIGKILL) }
    let samples = try SampleSet(
      requests: bytes("requests.ndjson"), expected: bytes("expected.ndjson"), poison: bytes("poison.ndjson"))
    let submission = Submission(run: "samples", messages: samples.samples.map(\.message))
    let outputs = submission.messages.indices.map { submission.output($0, topic: "checkout.requests") }
    let results = try KafkaPublisher(settings: settings).publish(outputs, limitNanoseconds: 20_000_000_000)
    try #require(results.allSatisfy { $0 == nil })
    let topics = Self.roles.map { "checkout.\($0)" }
    let reader = try KafkaReader(settings: settings, topics: topics, from: .earliest)
    defer { reader.close() }
    var book = AnswerBook(
      submission: submission,
      topics: AnswerTopics(
        requests: topics[0], outcomes: topics[3], rejections: topics[4], deadLetters: topics[5]))
    let ids = follow(&book, reader)
    for (index, sample) in samples.samples.enumerated() {
      let differences = sample.expectation.differences(book.answers[index], collectAll: false)
      #expect(differences.isEmpty, "\(sample.title): \(differences)")
    }
    let repeated = ids.filter { $0.value > 1 }.keys.sorted()
    #expect(repeated.isEmpty, "published more than once")
    #expect(ids.count > samples.samples.count)
    kill(workers.processIdentifier, SIGTERM)
    workers.waitUntilExit()
    #expect(workers.terminationStatus == 0)
  }

  /// Reads until all are answered and then two seconds more; counts each event by topic and id.
  private func follow(_ book: inout AnswerBook, _ reader: KafkaReader) -> [String: Int] {
    var ids: [String: Int] = [:]
    let clock = ContinuousClock()
    var end = clock.now + .seconds(60)
    var isComplete = false
    while clock.now < end {
      for record in reader.read(waitNanoseconds: 100_000_000).records {
        let partition = reader.partitions[record.slot]
        let read = TopicRecord(
          position: Position(
            topic: partition.topic, partition: partition.partition, offset: record.offset,
            timestampMilliseconds: record.timestamp),
          key: record.key, value: record.value, headers: record.headers)
        _ = book.take(read)
        if partition.topic != "checkout.requests" {
          let id = read.text("ce_id") ?? "\(read.text("dlq-topic") ?? "")/\(read.text("dlq-offset") ?? "")"
          ids["\(partition.topic) \(id) \(read.text("dlq-partition") ?? "")", default: 0] += 1
        }
      }
      if book.open.isEmpty, !isComplete {
        isComplete = true
        end = clock.now + .seconds(2)
      }
    }
    return ids
  }
}
