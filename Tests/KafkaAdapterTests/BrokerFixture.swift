// A mock cluster and the few steps every broker test repeats.

import Testing
import WorkerEngine

@testable import KafkaAdapter

/// One mock cluster with one topic in and one out.
final class BrokerFixture: Sendable {
  let cluster: MockCluster
  let settings: KafkaSettings

  init(partitions: Int = 1, properties: [KafkaProperty] = []) throws {
    cluster = try MockCluster()
    try cluster.createTopic("in", partitions: partitions)
    try cluster.createTopic("out", partitions: partitions)
    settings = try KafkaSettings(
      brokers: cluster.brokers,
      properties: [KafkaProperty("session.timeout.ms", "6000"), KafkaProperty("fetch.wait.max.ms", "10")] + properties)
  }

  func broker(instanceID: String? = nil, reset: LogPlace = .earliest) throws -> KafkaBroker {
    let group = KafkaGroupSettings(group: "workers", topics: ["in"], instanceID: instanceID, reset: reset)
    return try KafkaBroker(settings: settings, group: group)
  }

  func publish(_ outputs: [Output]) throws {
    let results = try KafkaPublisher(settings: settings).publish(outputs, limitNanoseconds: 10_000_000_000)
    try #require(results == Array(repeating: nil, count: outputs.count))
  }
}

/// Waits for events of one broker, keeping those nobody has asked for yet.
struct EventReader {
  let broker: KafkaBroker
  private(set) var seen: [BrokerEvent] = []
  private var next = 0

  init(_ broker: KafkaBroker) { self.broker = broker }

  /// The first event from here on that `pick` takes; gives up after 90 seconds: a member whose leaving got lost on a busy
  /// machine holds its partitions at the mock cluster for up to three session time-outs of 10 seconds.
  mutating func wait<Found>(for what: String, _ pick: (BrokerEvent) -> Found?) throws -> Found {
    let deadline = monotonicNanoseconds() + 90_000_000_000
    while monotonicNanoseconds() < deadline {
      while next < seen.count {
        next += 1
        if let found = pick(seen[next - 1]) { return found }
      }
      seen += broker.poll(maxRecords: 1_000, waitNanoseconds: 100_000_000)
    }
    throw Missing(what: what, seen: "\(seen)")
  }

  /// Joins until partitions are assigned.
  mutating func assigned() throws -> (partitions: [AssignedPartition], generation: Int) {
    try wait(for: "assigned") { event in
      if case .assigned(let partitions, let generation) = event { return (partitions, generation) }
      return nil
    }
  }

  /// Collects records until there are `count`.
  mutating func records(_ count: Int) throws -> [Record] {
    var records: [Record] = []
    while records.count < count {
      records += try wait(for: "\(count) records, \(records.count) so far") { event in
        if case .records(let some, _) = event { return some }
        return nil
      }
    }
    return records
  }

  /// The end of a job.
  mutating func result(ofJob job: Int) throws -> CommitResult {
    try wait(for: "the end of job \(job)") { event in
      if case .commitEnded(job, let result) = event { return result }
      return nil
    }
  }

  struct Missing: Error {
    let what: String
    let seen: String
  }
}

/// Five seconds.
let closeLimit: Int64 = 5_000_000_000
