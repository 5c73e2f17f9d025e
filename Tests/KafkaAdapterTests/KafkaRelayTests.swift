// A relay on a broker with transactions: messages and what is remembered of them appear together, and only one relay works.

import KafkaAdapter
import NoidaFixture
import Testing
import WorkerEngine

@Suite("Relay", .serialized, .enabled(if: NoidaBroker.isExpected, Comment(rawValue: NoidaBroker.whenMissing)))
struct KafkaRelayTests {
  private static let limit: Int64 = 30_000_000_000

  private func output(_ text: String) -> Output { Output(topic: "to", key: nil, value: Bytes(text), headers: []) }

  private func commit(_ offset: Int64, _ metadata: String) -> PartitionCommit {
    PartitionCommit(partition: TopicPartition(topic: "from", partition: 0), offset: offset, metadata: metadata)
  }

  @Test("offsets with their metadata are there with the messages; a second relay fences the first")
  func fenced() throws {
    let noida = try NoidaBroker()
    let settings = try noida.settings()
    try noida.createTopics(["from", "to"], partitions: 1)
    let from = TopicPartition(topic: "from", partition: 0)
    let first = try KafkaRelay(settings: settings, group: "g", name: "n", delivery: .exactlyOnce)
    try first.takeOver()
    #expect(try first.committed([from]).map(\.committed) == [nil])
    #expect(try first.publish([output("a")], [commit(1, "w1..A.BB")], limitNanoseconds: Self.limit) == .done)
    let second = try KafkaRelay(settings: settings, group: "g", name: "n", delivery: .exactlyOnce)
    try second.takeOver()
    let seen = try second.committed([from])
    #expect(seen.map(\.committed) == [1])
    #expect(seen.map(\.metadata) == ["w1..A.BB"])
    let error = #expect(throws: KafkaError.self) {
      try first.publish([output("b")], [commit(2, "")], limitNanoseconds: Self.limit)
    }
    #expect(error?.reaction == .fenced)
    #expect(try second.publish([output("c")], [commit(2, "")], limitNanoseconds: Self.limit) == .done)
    #expect(try values(settings) == ["a", "c"])
  }

  private func values(_ settings: KafkaSettings) throws -> [String] {
    let reader = try KafkaReader(settings: settings, topics: ["to"], from: .earliest)
    defer { reader.close() }
    var values: [String] = []
    let deadline = ContinuousClock.now + .seconds(20)
    while values.count < 2, ContinuousClock.now < deadline {
      values += reader.read(waitNanoseconds: 100_000_000).records.compactMap { record in
        record.value.map { String(decoding: $0.slice, as: UTF8.self) }
      }
    }
    return values
  }
}
