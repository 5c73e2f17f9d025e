// Transactions on a broker that has them: what readers see, what is committed with what, fencing, and kill -9.

import NoidaFixture
import Testing
import WorkerEngine

@testable import KafkaAdapter

@Suite(.serialized, .enabled(if: NoidaBroker.isExpected, Comment(rawValue: NoidaBroker.whenMissing)))
struct TransactionsOnNoidaTests {
  private let noida: NoidaBroker
  private let settings: KafkaSettings

  init() throws {
    noida = try NoidaBroker()
    settings = try noida.settings()
    try noida.createTopics(["in", "out"], partitions: 1)
  }

  private func broker(_ name: String = "host-0") throws -> KafkaBroker {
    try KafkaBroker(
      settings: settings,
      group: KafkaGroupSettings(group: "workers", topics: ["in"], delivery: .exactlyOnce, workerName: name))
  }

  private func output(_ text: String, topic: String = "out") -> Output {
    Output(topic: topic, key: nil, value: Bytes(text), headers: [])
  }

  /// Reads until `count` values are there, then a little longer: more would be wrong.
  private func values(_ count: Int, _ reader: KafkaReader, limitSeconds: Int64 = 30) -> [String] {
    var values: [String] = []
    var deadline = monotonicNanoseconds() + limitSeconds * 1_000_000_000
    var isComplete = count == 0
    if isComplete { deadline = monotonicNanoseconds() + 500_000_000 }
    while monotonicNanoseconds() < deadline {
      for record in reader.read(waitNanoseconds: 50_000_000).records {
        values.append(String(decoding: record.value?.array ?? [], as: UTF8.self))
      }
      if values.count >= count, !isComplete {
        isComplete = true
        deadline = min(deadline, monotonicNanoseconds() + 500_000_000)
      }
    }
    return values
  }

  @Test("outputs are seen once they are committed and not before; aborted ones never; the producer goes on after both")
  func visibleOnceCommitted() throws {
    let reader = try KafkaReader(settings: settings, topics: ["out"], from: .earliest)
    defer { reader.close() }
    let producer = try ProducerHandle(settings: settings, transactionalID: "visible")
    defer { producer.destroy() }
    #expect(producer.initialise(limitMilliseconds: 10_000) == nil)
    func begin(_ text: String) {
      #expect(producer.begin() == nil)
      let batch = producer.open([output(text)])
      #expect(producer.produce([output(text)], index: 0, batch: batch) == nil)
      for _ in 0..<500 where producer.outstanding(batch: batch) > 0 { producer.pause(nanoseconds: 20_000_000) }
      #expect(producer.outstanding(batch: batch) == 0)
    }
    begin("one")
    #expect(values(0, reader) == [])
    #expect(producer.commit(limitMilliseconds: 10_000) == nil)
    #expect(values(1, reader) == ["one"])
    begin("two")
    #expect(producer.abort(limitMilliseconds: 10_000) == nil)
    #expect(values(0, reader) == [])
    begin("three")
    #expect(producer.commit(limitMilliseconds: 10_000) == nil)
    // A reader from the beginning: the first one now gets nothing of this producer any more (see NoidaBroker).
    let fresh = try KafkaReader(settings: settings, topics: ["out"], from: .earliest)
    defer { fresh.close() }
    #expect(values(2, fresh) == ["one", "three"])
  }

  @Test("a job's outputs, offset and metadata are committed; a refused job leaves nothing, the next one goes through")
  func jobs() throws {
    let reader = try KafkaReader(settings: settings, topics: ["out"], from: .earliest)
    defer { reader.close() }
    let partition = TopicPartition(topic: "in", partition: 0)
    let first = try broker()
    try first.subscribe()
    var events = EventReader(first)
    let (_, generation) = try events.assigned()
    first.start(generation: generation, oneBefore: [])
    let large = Output(topic: "out", key: nil, value: Bytes([UInt8](repeating: 1, count: 2_000_000)), headers: [])
    let tooFar = PartitionCommit(partition: partition, offset: 9, metadata: "wrong")
    first.commit(CommitJob(id: 1, generation: generation, outputs: [output("a"), large], offsets: [tooFar]))
    guard case .refused(output: 1, _) = try events.result(ofJob: 1) else {
      Issue.record("the job was not refused: \(events.seen)")
      return
    }
    let metadata = "v1:" + String(repeating: "abcDEF-_09", count: 300)
    let offset = PartitionCommit(partition: partition, offset: 3, metadata: metadata)
    first.commit(CommitJob(id: 2, generation: generation, outputs: [output("b"), output("c")], offsets: [offset]))
    #expect(try events.result(ofJob: 2) == .committed)
    // Never again without a membership: an older assignment commits nothing.
    first.commit(CommitJob(id: 3, generation: generation - 1, outputs: [output("d")], offsets: [offset]))
    #expect(try events.result(ofJob: 3) == .dropped(detail: "the partitions were given back"))
    first.close(limitNanoseconds: closeLimit)
    let second = try broker()
    defer { second.close(limitNanoseconds: closeLimit) }
    try second.subscribe()
    var later = EventReader(second)
    let (partitions, _) = try later.assigned()
    #expect(partitions.map(\.committed) == [3])
    #expect(partitions.map(\.metadata) == [metadata])
    #expect(values(2, reader) == ["b", "c"])
  }

  @Test("taken over: everything is dropped and assigned anew; the third time within a minute the worker stops for good")
  func fenced() throws {
    let worker = try broker()
    defer { worker.close(limitNanoseconds: closeLimit) }
    try worker.subscribe()
    var events = EventReader(worker)
    var (_, generation) = try events.assigned()
    for round in 1...3 {
      worker.start(generation: generation, oneBefore: [])
      let other = try ProducerHandle(settings: settings, transactionalID: "workers-host-0")
      defer { other.destroy() }
      #expect(other.initialise(limitMilliseconds: 10_000) == nil)
      let offset = PartitionCommit(partition: TopicPartition(topic: "in", partition: 0), offset: 1, metadata: "")
      worker.commit(CommitJob(id: round, generation: generation, outputs: [output("never")], offsets: [offset]))
      let lost = try events.wait(for: "lost") { event in
        if case .lost(let generation) = event { return generation }
        return nil
      }
      #expect(lost == generation)
      guard case .dropped = try events.result(ofJob: round) else {
        Issue.record("the job did not end")
        return
      }
      worker.release(generation: generation)
      guard round < 3 else { break }
      let next = try events.assigned()
      #expect(next.generation == generation + 1)
      #expect(next.partitions.map(\.committed) == [nil])
      generation = next.generation
      // Ours again: the other one is fenced now.
      #expect(other.begin() == nil)
      let batch = other.open([output("never either")])
      #expect(other.produce([output("never either")], index: 0, batch: batch) == nil)
      let error = other.commit(limitMilliseconds: 10_000)
      #expect(error?.isFatal == true && error?.code == "_FENCED", "\(String(describing: error))")
    }
    let failure = try events.wait(for: "fatal") { event in
      if case .fatal(let failure) = event { return failure }
      return nil
    }
    #expect(failure.kind == .fenced)
    #expect(failure.message.contains("two live workers under one id: transactional.id workers-host-0"))
  }

  @Test("kill -9 again and again, out-of-order work under way: none missing, none twice")
  func killed() throws {
    let count = 3_000
    let rounds = 4
    let reader = try KafkaReader(settings: settings, topics: ["out"], from: .earliest)
    defer { reader.close() }
    var seen: [String] = []
    for round in 0..<rounds {
      let worker = try PassProcess([noida.brokers, "workers", "host-0", "in", "out"])
      try publish(round * count..<(round + 1) * count)
      worker.waitForLine("assigned")
      let before = seen.count
      let deadline = monotonicNanoseconds() + 30_000_000_000
      // Killed in the midst of the round's messages, each time somewhere else.
      while seen.count < before + 400 + 300 * round, monotonicNanoseconds() < deadline { read(reader, &seen) }
      worker.kill()
    }
    let last = try PassProcess([noida.brokers, "workers", "host-0", "in", "out"])
    let deadline = monotonicNanoseconds() + 30_000_000_000
    while seen.count < rounds * count, monotonicNanoseconds() < deadline { read(reader, &seen) }
    #expect(last.stop() == 0)
    read(reader, &seen)
    #expect(seen.count == rounds * count)
    #expect(Set(seen) == Set((0..<rounds * count).map { "m\($0)" }))
  }

  private func publish(_ numbers: Range<Int>) throws {
    let outputs = numbers.map { Output(topic: "in", key: Bytes("k\($0 % 97)"), value: Bytes("m\($0)"), headers: []) }
    let results = try KafkaPublisher(settings: settings).publish(outputs, limitNanoseconds: 20_000_000_000)
    try #require(results.allSatisfy { $0 == nil })
  }

  private func read(_ reader: KafkaReader, _ seen: inout [String]) {
    for record in reader.read(waitNanoseconds: 50_000_000).records {
      seen.append(String(decoding: record.value?.array ?? [], as: UTF8.self))
    }
  }
}
