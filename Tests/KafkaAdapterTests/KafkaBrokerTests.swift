// The broker against the in-process mock cluster: bytes, offsets, rebalance and the end.

import Operations
import Testing
import WorkerEngine

@testable import KafkaAdapter

@Suite(.serialized)
struct KafkaBrokerTests {
  @Test("keys, values and headers arrive byte for byte, null and empty told apart")
  func bytesAreExact() throws {
    let fixture = try BrokerFixture()
    let duplicate = Header("trace", "a")
    let binary = Header(name: Bytes([0xff, 0x41]), value: Bytes([0, 0xfe, 0x80]))
    let null = Header(name: Bytes("none"), value: nil)
    let empty = Header(name: Bytes("empty"), value: Bytes([]))
    try fixture.publish([
      Output(topic: "in", key: nil, value: Bytes([1, 2, 3]), headers: []),
      Output(topic: "in", key: Bytes([0xc3, 0x28]), value: nil, headers: [duplicate, Header("trace", "b"), null]),
      Output(topic: "in", key: Bytes([]), value: Bytes([]), headers: [binary, empty, duplicate, duplicate]),
    ])
    let broker = try fixture.broker()
    defer { broker.close(limitNanoseconds: closeLimit) }
    try broker.subscribe()
    var events = EventReader(broker)
    let (partitions, generation) = try events.assigned()
    #expect(partitions.map(\.partition) == [TopicPartition(topic: "in", partition: 0)])
    #expect(partitions.map(\.committed) == [nil])
    broker.start(generation: generation, oneBefore: [])
    let records = try events.records(3)
    #expect(records.map(\.slot) == [0, 0, 0])
    #expect(records.map(\.offset) == [0, 1, 2])
    #expect(records.map(\.key) == [nil, Bytes([0xc3, 0x28]), Bytes([])])
    #expect(records.map(\.value) == [Bytes([1, 2, 3]), nil, Bytes([])])
    #expect(
      records.map(\.headers) == [
        [], [duplicate, Header("trace", "b"), null], [binary, empty, duplicate, duplicate],
      ])
    #expect(records.allSatisfy { $0.timestamp > 1_600_000_000_000 })
  }

  @Test("a commit's metadata comes back, and a restart goes on at the committed offset")
  func commitRoundTrip() throws {
    let fixture = try BrokerFixture()
    try fixture.publish((0..<5).map { Output(topic: "in", key: nil, value: Bytes("m\($0)"), headers: []) })
    let metadata = "v1:" + String(repeating: "abcDEF-_09", count: 300)
    do {
      let broker = try fixture.broker()
      try broker.subscribe()
      var events = EventReader(broker)
      let (partitions, generation) = try events.assigned()
      broker.start(generation: generation, oneBefore: [])
      _ = try events.records(5)
      let output = Output(topic: "out", key: Bytes("k"), value: Bytes("done"), headers: [])
      let offset = PartitionCommit(partition: partitions[0].partition, offset: 3, metadata: metadata)
      broker.commit(CommitJob(id: 7, generation: generation, outputs: [output], offsets: [offset]))
      #expect(try events.result(ofJob: 7) == .committed)
      broker.close(limitNanoseconds: closeLimit)
    }
    let broker = try fixture.broker()
    defer { broker.close(limitNanoseconds: closeLimit) }
    try broker.subscribe()
    var events = EventReader(broker)
    let (partitions, generation) = try events.assigned()
    #expect(partitions.map(\.committed) == [3])
    #expect(partitions.map(\.metadata) == [metadata])
    broker.start(generation: generation, oneBefore: [])
    #expect(try events.records(2).map(\.value) == [Bytes("m3"), Bytes("m4")])
  }

  @Test("a message that is too large is named by its index, the others are delivered, and no offset is committed")
  func tooLargeIsRefused() throws {
    let fixture = try BrokerFixture()
    let broker = try fixture.broker()
    defer { broker.close(limitNanoseconds: closeLimit) }
    try broker.subscribe()
    var events = EventReader(broker)
    let (partitions, generation) = try events.assigned()
    broker.start(generation: generation, oneBefore: [])
    let small = Output(topic: "out", key: nil, value: Bytes("ok"), headers: [])
    let large = Output(topic: "out", key: nil, value: Bytes([UInt8](repeating: 1, count: 2_000_000)), headers: [])
    let offset = PartitionCommit(partition: partitions[0].partition, offset: 1, metadata: "")
    broker.commit(CommitJob(id: 1, generation: generation, outputs: [small, large], offsets: [offset]))
    guard case .deliveredExcept(let refused) = try events.result(ofJob: 1) else {
      Issue.record("nothing was refused: \(events.seen)")
      return
    }
    #expect(refused.map(\.output) == [1])
    #expect(refused.first?.detail.contains("MSG_SIZE_TOO_LARGE") == true)
    #expect(try read(1, from: "out", fixture) == [Bytes("ok")])
  }

  @Test("outputs sent ahead are there before their job, come once, and the job commits the offset")
  func sendsAhead() throws {
    let fixture = try BrokerFixture()
    let broker = try fixture.broker()
    defer { broker.close(limitNanoseconds: closeLimit) }
    #expect(broker.sendsAhead)
    try broker.subscribe()
    var events = EventReader(broker)
    let (partitions, generation) = try events.assigned()
    broker.start(generation: generation, oneBefore: [])
    let outputs = ["a", "b", "c"].map { Output(topic: "out", key: Bytes("k"), value: Bytes($0), headers: []) }
    broker.send([outputs[0]], ofBatch: 1, generation: generation)
    broker.send(Array(outputs[..<2]), ofBatch: 1, generation: generation)
    #expect(try read(2, from: "out", fixture) == [Bytes("a"), Bytes("b")])
    let offset = PartitionCommit(partition: partitions[0].partition, offset: 3, metadata: "m")
    broker.commit(CommitJob(id: 1, generation: generation, batch: 1, outputs: outputs, offsets: [offset]))
    #expect(try events.result(ofJob: 1) == .committed)
    #expect(try read(3, from: "out", fixture) == [Bytes("a"), Bytes("b"), Bytes("c")])
  }

  @Test("the broker refuses a request of outputs sent ahead: each alone shows the one it does not take")
  func refusedAheadByBroker() throws {
    // So that the outputs make one request.
    let fixture = try BrokerFixture(properties: [KafkaProperty("linger.ms", "300")])
    let broker = try fixture.broker()
    defer { broker.close(limitNanoseconds: closeLimit) }
    try broker.subscribe()
    var events = EventReader(broker)
    let (partitions, generation) = try events.assigned()
    broker.start(generation: generation, oneBefore: [])
    // MSG_SIZE_TOO_LARGE (10) for the request that carries all, then for the second output alone.
    fixture.cluster.fail(next: .produce, with: [10, 0, 10])
    let outputs = ["a", "b", "c"].map { Output(topic: "out", key: Bytes("k"), value: Bytes($0), headers: []) }
    broker.send(outputs, ofBatch: 1, generation: generation)
    let offset = PartitionCommit(partition: partitions[0].partition, offset: 3, metadata: "m")
    broker.commit(CommitJob(id: 1, generation: generation, batch: 1, outputs: outputs, offsets: [offset]))
    guard case .deliveredExcept(let refused) = try events.result(ofJob: 1) else {
      Issue.record("nothing was refused: \(events.seen)")
      return
    }
    #expect(refused.map(\.output) == [1])
    #expect(try read(2, from: "out", fixture) == [Bytes("a"), Bytes("c")])
  }

  /// The values of a topic from its beginning, at least so many.
  private func read(_ count: Int, from topic: String, _ fixture: BrokerFixture) throws -> [Bytes] {
    let reader = try KafkaReader(settings: fixture.settings, topics: [topic], from: .earliest)
    defer { reader.close() }
    var values: [Bytes] = []
    for _ in 0..<100 where values.count < count {
      values += reader.read(waitNanoseconds: 200_000_000).records.compactMap(\.value)
    }
    return values
  }

  @Test("wake ends a waiting poll from another thread")
  func wakeEndsPoll() throws {
    let broker = try BrokerFixture().broker()
    defer { broker.close(limitNanoseconds: closeLimit) }
    broker.waker()
    let start = monotonicNanoseconds()
    let thread = try NamedThread(name: "waker") { [waker = broker.waker] in waker() }
    _ = broker.poll(maxRecords: 1, waitNanoseconds: 20_000_000_000)
    #expect(monotonicNanoseconds() - start < 10_000_000_000)
    #expect(thread.waitForEnd(limitNanoseconds: closeLimit))
  }

  @Test("a second worker makes the first give back: revoked, release, assigned; the old one commits no more")
  func rebalanceHandsOver() throws {
    let fixture = try BrokerFixture(partitions: 2)
    let first = try fixture.broker()
    defer { first.close(limitNanoseconds: closeLimit) }
    try first.subscribe()
    var events = EventReader(first)
    let (before, generation) = try events.assigned()
    #expect(before.count == 2)
    first.start(generation: generation, oneBefore: [])
    let offsets = before.map { PartitionCommit(partition: $0.partition, offset: 9, metadata: "x") }
    first.commit(CommitJob(id: 1, generation: generation, outputs: [], offsets: offsets))
    #expect(try events.result(ofJob: 1) == .committed)
    let second = try fixture.broker()
    defer { second.close(limitNanoseconds: closeLimit) }
    try second.subscribe()
    let revoked = try events.wait(for: "revoked") { event in
      if case .revoked(let generation) = event { return generation }
      return nil
    }
    #expect(revoked == generation)
    // Kafka accepts a commit at this point. The mock cluster does not, so what the drain commits is tried elsewhere.
    first.commit(CommitJob(id: 2, generation: generation, outputs: [], offsets: offsets))
    guard case .dropped = try events.result(ofJob: 2) else {
      Issue.record("the mock cluster accepts commits during a rebalance now: let the test expect it")
      return
    }
    first.release(generation: generation)
    var secondEvents = EventReader(second)
    let (theirs, _) = try secondEvents.assigned()
    let (ours, next) = try events.assigned()
    #expect(next == generation + 1)
    #expect(Set((ours + theirs).map(\.partition)) == Set(before.map(\.partition)))
    // On a busy machine the second one may have both for a moment, before the first is back.
    #expect((ours + theirs).allSatisfy { $0.committed == 9 })
    first.commit(CommitJob(id: 3, generation: generation, outputs: [], offsets: offsets))
    guard case .dropped = try events.result(ofJob: 3) else {
      Issue.record("a commit of the old assignment was not dropped")
      return
    }
  }
}
