// A pipeline in memory that has worked off the samples, as a verification finds it; tests plant faults into copies of it.

import CheckoutCore
import CheckoutSandbox
import CheckoutSimulation
import CheckoutTools
import CheckoutWire
import Foundation
import Testing
import WorkerEngine

/// What was written down.
struct PlayedWorld: Sendable {
  var records: [TopicRecord]
  var attempts: [Attempt]
  var ledger: [LedgerEntry]?
  var spans: [TopicPartition: PartitionSpan]
  var now: Timestamp
  var grace = TimeSpan.zero

  /// Played once for all tests.
  static let samples = Result { try PlayedWorld(playing: ["requests.ndjson", "poison.ndjson"]) }

  private init(playing files: [String]) throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "samples")
    func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: root.appending(path: name))) }
    let samples = try SampleSet(
      requests: try bytes("requests.ndjson"), expected: try bytes("expected.ndjson"),
      poison: try bytes("poison.ndjson"))
    let pipeline = InMemoryPipeline(
      PipelineSettings(reference: try ReferenceFile.decode(try bytes("reference.json"))))
    try pipeline.startAll()
    for sample in samples.samples {
      let message = sample.message
      pipeline.send(.requests, key: message.key, value: message.value)
      pipeline.run(for: .milliseconds(20))
    }
    // The parked ones stay open, so it never gets quiet.
    pipeline.run(for: .seconds(1200))
    var records: [TopicRecord] = []
    var spans: [TopicPartition: PartitionSpan] = [:]
    for role in TopicRole.allCases {
      for record in pipeline.log(role) {
        records.append(
          TopicRecord(
            position: Position(
              topic: record.partition.topic, partition: record.partition.partition, offset: record.offset,
              timestampMilliseconds: record.timestamp),
            key: record.key, value: record.value, headers: record.headers))
        spans[record.partition] = PartitionSpan(start: 0, end: record.offset + 1)
      }
    }
    self.records = records
    self.spans = spans
    attempts = pipeline.journal.attempts()
    ledger = try pipeline.ledger.entries(after: 0, limit: .max)
    now = pipeline.now
  }

  /// All of it judged.
  func proof() -> Proof {
    var evidence = Evidence(
      topics: TopicRoles { "checkout.\($0.suffix)" }, now: now, grace: grace)
    for (partition, span) in spans { evidence.note(partition, span) }
    for record in records { evidence.add(record) }
    evidence.beginJournal()
    for attempt in attempts { evidence.add(attempt) }
    if let ledger { evidence.add(ledger) }
    return Proof(evidence)
  }

  /// Names of the checks that found something, with the promise: `G2 charged_once`.
  func violated() -> Set<String> { Set(proof().violations.map { "\($0.promise) \($0.check)" }) }

  /// Index of the first record of a topic with this event type.
  func index(_ topic: String, _ type: String? = nil) throws -> Int {
    try #require(
      records.firstIndex { $0.position.topic == "checkout.\(topic)" && (type == nil || $0.text("ce_type") == type) })
  }

  /// A record with parts replaced.
  func changed(_ index: Int, offset: Int64? = nil, value: Bytes? = nil, headers: [Header]? = nil) -> TopicRecord {
    let record = records[index]
    let place = record.position
    return TopicRecord(
      position: Position(
        topic: place.topic, partition: place.partition, offset: offset ?? place.offset,
        timestampMilliseconds: place.timestampMilliseconds),
      key: record.key, value: value ?? record.value, headers: headers ?? record.headers)
  }

  /// A record's value as text, changed.
  func edited(_ index: Int, _ old: String, _ new: String) throws -> Bytes {
    let text = String(decoding: try #require(records[index].value).array, as: UTF8.self)
    try #require(text.contains(old), "\(text) has no \(old)")
    return Bytes(text.replacing(old, with: new))
  }

  /// A record's headers with one replaced.
  func headers(_ index: Int, _ name: String, _ value: String) -> [Header] {
    records[index].headers.map { $0.name == Bytes(name) ? Header(name, value) : $0 }
  }
}
