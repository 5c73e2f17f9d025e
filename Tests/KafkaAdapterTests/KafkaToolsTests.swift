// Publisher, reader and administration against the mock cluster, and every limit on waiting for a broker that is gone.

import Testing
import WorkerEngine

@testable import KafkaAdapter

@Suite(.serialized)
struct KafkaToolsTests {
  @Test("a reader gives every record of its topics with topic, partition, offset, time and headers")
  func readerReads() throws {
    let fixture = try BrokerFixture(partitions: 3)
    try fixture.publish(
      (0..<30).map { Output(topic: "in", key: Bytes("k\($0)"), value: Bytes("v"), headers: [Header("n", "\($0)")]) })
    let reader = try KafkaReader(settings: fixture.settings, topics: ["in", "out"], from: .earliest)
    defer { reader.close() }
    var numbers: Set<String> = []
    var count = 0
    // A read may be woken with nothing to give, so the limit is on their number.
    for _ in 0..<100 where count < 30 {
      for record in reader.read(waitNanoseconds: 500_000_000).records {
        #expect(reader.partitions[record.slot].topic == "in")
        numbers.insert(String(decoding: record.headers[0].value?.array ?? [], as: UTF8.self))
        count += 1
      }
    }
    #expect(numbers == Set((0..<30).map { "\($0)" }))
    let ends = try reader.endOffsets()
    #expect(ends.count == 6)
    #expect(ends.reduce(0, +) == 30)
  }

  @Test("a reader from the end sees only what is published after it was made")
  func readerFromTheEnd() throws {
    let fixture = try BrokerFixture()
    try fixture.publish([Output(topic: "in", key: nil, value: Bytes("before"), headers: [])])
    let reader = try KafkaReader(settings: fixture.settings, topics: ["in"], from: .latest)
    defer { reader.close() }
    try fixture.publish([Output(topic: "in", key: nil, value: Bytes("after"), headers: [])])
    var records: [Record] = []
    for _ in 0..<20 where records.isEmpty { records = reader.read(waitNanoseconds: 500_000_000).records }
    #expect(records.map(\.value) == [Bytes("after")])
    #expect(records.map(\.offset) == [1])
  }

  @Test("a reader says when it has seen all there is, of empty partitions too, and again after more has come")
  func readerEnds() throws {
    let fixture = try BrokerFixture(partitions: 2)
    let key = Output(topic: "in", key: Bytes("k"), value: Bytes("v"), headers: [])
    try fixture.publish([key])
    let reader = try KafkaReader(settings: fixture.settings, topics: ["in"], from: .earliest)
    defer { reader.close() }
    func readToEnds(_ slots: Set<Int>) -> Int {
      var open = slots
      var count = 0
      for _ in 0..<100 where !open.isEmpty {
        let batch = reader.read(waitNanoseconds: 500_000_000)
        count += batch.records.count
        open.subtract(batch.ends)
      }
      #expect(open.isEmpty)
      return count
    }
    #expect(readToEnds([0, 1]) == 1)
    let ends = try reader.endOffsets()
    try fixture.publish([key])
    #expect(readToEnds(Set(ends.indices.filter { ends[$0] == 1 })) == 1)
  }

  @Test("a publisher says which message was refused")
  func publisherReports() throws {
    let fixture = try BrokerFixture()
    let publisher = try KafkaPublisher(settings: fixture.settings)
    let results = publisher.publish(
      [
        Output(topic: "in", key: nil, value: Bytes("a"), headers: []),
        Output(topic: "in", key: nil, value: Bytes([UInt8](repeating: 0, count: 2_000_000)), headers: []),
        Output(topic: "in", key: nil, value: Bytes("b"), headers: []),
      ], limitNanoseconds: 10_000_000_000)
    #expect(results.map { $0?.reaction } == [nil, .messageRefused, nil])
  }

  @Test("topics are compared with the plan")
  func adminChecks() throws {
    let fixture = try BrokerFixture(partitions: 2)
    let admin = try KafkaAdmin(settings: fixture.settings)
    #expect(try admin.clusterID().hasPrefix("mockCluster"))
    let states = try admin.check([
      TopicPlan(name: "in", partitions: 2), TopicPlan(name: "out", partitions: 3), TopicPlan(name: "no", partitions: 1),
    ])
    #expect(states == ["in": .asPlanned, "out": .otherPartitionCount(2), "no": .missing])
  }

  @Test("creating topics on a broker that never answers ends at the limit")
  func createIsBounded() throws {
    let fixture = try BrokerFixture()
    let admin = try KafkaAdmin(settings: fixture.settings)
    #expect(throws: KafkaError.self) {
      try admin.create([TopicPlan(name: "new", partitions: 1)], limitMilliseconds: 500)
    }
  }

  @Test("an unreachable broker is named, with what to check")
  func unreachableIsNamed() throws {
    let settings = try KafkaSettings(brokers: "127.0.0.1:1")
    let admin = try KafkaAdmin(settings: settings)
    let error = #expect(throws: KafkaError.self) { try admin.clusterID(limitMilliseconds: 300) }
    #expect(error?.reaction == .environment)
    #expect(error?.message.contains("127.0.0.1:1") == true)
    #expect(error?.message.contains("--brokers") == true)
  }

  @Test("closing a broker that can reach nobody, with a commit under way, keeps its limit")
  func closeIsBounded() throws {
    let fixture = try BrokerFixture()
    let broker = try fixture.broker()
    try broker.subscribe()
    var events = EventReader(broker)
    let (partitions, generation) = try events.assigned()
    broker.start(generation: generation, oneBefore: [])
    try fixture.cluster.setDown()
    let output = Output(topic: "out", key: nil, value: Bytes("x"), headers: [])
    let offset = PartitionCommit(partition: partitions[0].partition, offset: 1, metadata: "")
    broker.commit(CommitJob(id: 1, generation: generation, outputs: [output], offsets: [offset]))
    let start = monotonicNanoseconds()
    broker.close(limitNanoseconds: 3_000_000_000)
    #expect(monotonicNanoseconds() - start < 4_000_000_000)
  }

  @Test("a job waits for a broker that was away, and then ends well")
  func commitOutlastsAnOutage() throws {
    let fixture = try BrokerFixture()
    let broker = try fixture.broker()
    defer { broker.close(limitNanoseconds: closeLimit) }
    try broker.subscribe()
    var events = EventReader(broker)
    let (partitions, generation) = try events.assigned()
    broker.start(generation: generation, oneBefore: [])
    try fixture.cluster.setDown()
    let output = Output(topic: "out", key: nil, value: Bytes("x"), headers: [])
    let offset = PartitionCommit(partition: partitions[0].partition, offset: 1, metadata: "m")
    broker.commit(CommitJob(id: 1, generation: generation, outputs: [output], offsets: [offset]))
    _ = broker.poll(maxRecords: 1, waitNanoseconds: 500_000_000)
    try fixture.cluster.setUp()
    #expect(try events.result(ofJob: 1) == .committed)
  }
}
