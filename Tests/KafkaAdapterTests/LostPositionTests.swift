// Offsets outside the log, starting over, and answers that come too late, against the in-process mock cluster.

import Operations
import Testing
import WorkerEngine

@testable import KafkaAdapter

@Suite("Lost positions at the broker", .serialized)
struct LostPositionTests {
  private let partition = TopicPartition(topic: "in", partition: 0)

  /// Commits an offset for the group, as an earlier worker would have.
  private func commit(_ offset: Int64, in fixture: BrokerFixture) throws {
    let broker = try fixture.broker()
    defer { broker.close(limitNanoseconds: closeLimit) }
    try broker.subscribe()
    var events = EventReader(broker)
    let (_, generation) = try events.assigned()
    let commit = PartitionCommit(partition: partition, offset: offset, metadata: "")
    broker.commit(CommitJob(id: 1, generation: generation, outputs: [], offsets: [commit]))
    #expect(try events.result(ofJob: 1) == .committed)
  }

  private func publish(_ count: Int, bytes: Int = 1, in fixture: BrokerFixture) throws {
    for number in 0..<count {
      let value = Bytes([UInt8](repeating: UInt8(number), count: bytes))
      try fixture.publish([Output(topic: "in", key: nil, value: value, headers: [])])
    }
  }

  private func outOfRange(_ events: inout EventReader) throws -> Int {
    try events.wait(for: "out of range") { event in
      if case .outOfRange(let slot, _, _) = event { slot } else { nil }
    }
  }

  @Test("an offset beyond the log is told; started over, the partition begins at its first message without an offset")
  func beyondTheEnd() throws {
    let fixture = try BrokerFixture()
    try publish(3, in: fixture)
    try commit(9, in: fixture)
    let broker = try fixture.broker()
    defer { broker.close(limitNanoseconds: closeLimit) }
    try broker.subscribe()
    var events = EventReader(broker)
    let (before, generation) = try events.assigned()
    #expect(before.map(\.committed) == [9])
    broker.start(generation: generation, oneBefore: [])
    #expect(try outOfRange(&events) == 0)
    broker.startOver(generation: generation, slots: [0], at: .earliest)
    let (after, next) = try events.assigned()
    #expect(next == generation + 1)
    #expect(after.map(\.committed) == [nil])
    broker.start(generation: next, oneBefore: [])
    #expect(try events.records(3).map(\.offset) == [0, 1, 2])
  }

  @Test("started over at the latest message, only what comes later is read")
  func latest() throws {
    let fixture = try BrokerFixture()
    try publish(3, in: fixture)
    try commit(9, in: fixture)
    let broker = try fixture.broker()
    defer { broker.close(limitNanoseconds: closeLimit) }
    try broker.subscribe()
    var events = EventReader(broker)
    let (_, generation) = try events.assigned()
    broker.start(generation: generation, oneBefore: [])
    _ = try outOfRange(&events)
    broker.startOver(generation: generation, slots: [0], at: .latest)
    let (_, next) = try events.assigned()
    broker.start(generation: next, oneBefore: [])
    // A message that comes before the library has asked for the end belongs to "what is there".
    var first: Int64?
    for _ in 0..<50 where first == nil {
      try publish(1, in: fixture)
      let arrived = broker.poll(maxRecords: 10, waitNanoseconds: 100_000_000)
      for case .records(let records, _) in arrived { first = first ?? records.first?.offset }
    }
    #expect(try #require(first) >= 3)
  }

  @Test("started one before the committed offset, the record there comes first")
  func oneBefore() throws {
    let fixture = try BrokerFixture()
    try publish(5, in: fixture)
    try commit(3, in: fixture)
    let broker = try fixture.broker()
    defer { broker.close(limitNanoseconds: closeLimit) }
    try broker.subscribe()
    var events = EventReader(broker)
    let (_, generation) = try events.assigned()
    broker.start(generation: generation, oneBefore: [0])
    #expect(try events.records(3).map(\.offset) == [2, 3, 4])
  }

  @Test("a record before the committed offset that was deleted is no loss: consumption begins at the offset")
  func oneBeforeDeleted() throws {
    let fixture = try BrokerFixture()
    // The mock cluster keeps about five megabytes of a partition.
    try publish(9, bytes: 900_000, in: fixture)
    let reader = try KafkaReader(settings: fixture.settings, topics: ["in"], from: .earliest)
    let first = try reader.ranges()[0].lowerBound
    reader.close()
    try #require(first > 0)
    try commit(first, in: fixture)
    let broker = try fixture.broker()
    defer { broker.close(limitNanoseconds: closeLimit) }
    try broker.subscribe()
    var events = EventReader(broker)
    let (_, generation) = try events.assigned()
    broker.start(generation: generation, oneBefore: [0])
    let (again, next) = try events.assigned()
    #expect(again.map(\.committed) == [first])
    broker.start(generation: next, oneBefore: [0])
    #expect(try events.records(2).first?.offset == first)
    let complaints = events.seen.filter { event in if case .outOfRange = event { true } else { false } }
    #expect(complaints.isEmpty)
  }

  @Test("an answer that nobody waited for is not taken for that of the next commit")
  func lateAnswer() throws {
    let fixture = try BrokerFixture()
    let broker = try fixture.broker()
    defer { broker.close(limitNanoseconds: closeLimit) }
    try broker.subscribe()
    var events = EventReader(broker)
    let (_, generation) = try events.assigned()
    broker.start(generation: generation, oneBefore: [])
    // One that would end the worker if it were taken for the next job's.
    let notAuthorised: Int32 = 29
    fixture.cluster.fail(next: .offsetCommit, with: [notAuthorised])
    try fixture.cluster.setRoundTrip(milliseconds: 900)
    let commit = PartitionCommit(partition: partition, offset: 0, metadata: "")
    broker.commit(CommitJob(id: 1, generation: generation, outputs: [], offsets: [commit]))
    // Sent, not answered: then the assignment is over. A poll may end early.
    let sent = monotonicNanoseconds() + 400_000_000
    while monotonicNanoseconds() < sent { _ = broker.poll(maxRecords: 1, waitNanoseconds: 50_000_000) }
    broker.startOver(generation: generation, slots: [], at: .earliest)
    guard case .dropped = try events.result(ofJob: 1) else { return #expect(Bool(false), "\(events.seen)") }
    let (_, next) = try events.assigned()
    try fixture.cluster.setRoundTrip(milliseconds: 0)
    broker.commit(CommitJob(id: 2, generation: next, outputs: [], offsets: [commit]))
    #expect(try events.result(ofJob: 2) == .committed)
  }
}
