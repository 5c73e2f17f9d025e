// The library's statistics document as values; a document as librdkafka 2.0.2 writes it, cut to what is looked at.

import Testing
import WorkerEngine

@testable import KafkaAdapter

@Suite("Statistics")
struct StatisticsReaderTests {
  private static let consumer = """
    {"name":"rdkafka#consumer-2","client_id":"rdkafka","type":"consumer","ts":12498133679,"replyq":0,"msg_cnt":0,
    "msg_size":0,"brokers":{
    "127.0.0.1:9092/1":{"name":"127.0.0.1:9092/1","nodeid":1,"source":"learned","state":"UP"},
    "127.0.0.1:9093/2":{"name":"127.0.0.1:9093/2","nodeid":2,"source":"learned","state":"DOWN"},
    "127.0.0.1:9092/bootstrap":{"name":"x","nodeid":-1,"source":"configured","state":"UP"},
    "GroupCoordinator":{"name":"GroupCoordinator","nodeid":1,"source":"logical","state":"UP"}},
    "topics":{"checkout.requests":{"topic":"checkout.requests","partitions":{
    "0":{"partition":0,"desired":true,"fetchq_cnt":3,"next_offset":24,"lo_offset":2,"hi_offset":30,"ls_offset":26},
    "1":{"partition":1,"desired":true,"fetchq_cnt":0,"next_offset":0,"lo_offset":-1001,"ls_offset":-1001},
    "2":{"partition":2,"desired":false,"fetchq_cnt":0,"next_offset":9,"lo_offset":0,"ls_offset":9},
    "-1":{"partition":-1,"desired":false,"next_offset":0,"lo_offset":-1001,"ls_offset":-1001}}}},
    "cgrp":{"state":"up","join_state":"steady","rebalance_cnt":4,"assignment_size":2}}
    """

  @Test("a consumer's: brokers, the partitions that are assigned, offsets nobody knows yet left out")
  func consumer() throws {
    let read = try #require(StatisticsReader.read(Self.consumer))
    #expect(read.client == .consumer)
    #expect(read.brokersKnown == 2)
    #expect(read.brokersUp == 1)
    #expect(read.rebalances == 4)
    #expect(
      read.partitions == [
        TopicPartition(topic: "checkout.requests", partition: 0):
          .init(logStart: 2, stableEnd: 26, nextFetch: 24, fetched: 3),
        TopicPartition(topic: "checkout.requests", partition: 1):
          .init(logStart: nil, stableEnd: nil, nextFetch: 0, fetched: 0),
      ])
  }

  @Test("a producer's: its queues, and no partitions although it has some")
  func producer() throws {
    let read = try #require(
      StatisticsReader.read(
        """
        {"type":"producer","msg_cnt":17,"msg_size":4711,"brokers":{},
        "topics":{"out":{"partitions":{"0":{"partition":0,"desired":true,"ls_offset":5}}}}}
        """))
    #expect(read.client == .producer)
    #expect(read.queuedMessages == 17)
    #expect(read.queuedBytes == 4711)
    #expect(read.partitions.isEmpty)
  }

  @Test(
    "what is no statistics document is nothing; what is missing or of another type is left out",
    arguments: ["", "{", "[]", "{}", "{\"type\":\"admin\"}"])
  func nothing(text: String) {
    #expect(StatisticsReader.read(text) == nil)
  }

  @Test("fields of another type are left out")
  func otherTypes() throws {
    let read = try #require(
      StatisticsReader.read(
        "{\"type\":\"consumer\",\"brokers\":[],\"topics\":{\"t\":7},\"cgrp\":null,\"msg_cnt\":\"x\"}"))
    #expect(read == KafkaStatistics(client: .consumer))
  }
}

@Suite("Statistics of living clients", .serialized)
struct LivingStatisticsTests {
  @Test("a worker's clients tell once a second: the consumer its partitions with their ends, the producer its queues")
  func told() throws {
    let fixture = try BrokerFixture(partitions: 2)
    let told = Inbox<KafkaStatistics>()
    let settings = try KafkaSettings(
      brokers: fixture.cluster.brokers, statisticsIntervalMilliseconds: 200, statistics: { told.put([$0]) })
    try fixture.publish((0..<20).map { Output(topic: "in", key: Bytes("k\($0)"), value: Bytes("v"), headers: []) })
    let broker = try KafkaBroker(settings: settings, group: KafkaGroupSettings(group: "workers", topics: ["in"]))
    defer { broker.close(limitNanoseconds: closeLimit) }
    try broker.subscribe()
    var events = EventReader(broker)
    let (_, generation) = try events.assigned()
    broker.start(generation: generation, oneBefore: [])
    _ = try events.records(20)
    var consumer: KafkaStatistics?
    var producer: KafkaStatistics?
    let deadline = monotonicNanoseconds() + 20_000_000_000
    while monotonicNanoseconds() < deadline, consumer == nil || producer == nil {
      _ = broker.poll(maxRecords: 10, waitNanoseconds: 50_000_000)
      for statistics in told.take() {
        switch statistics.client {
        case .consumer:
          if statistics.partitions.values.compactMap(\.stableEnd).reduce(0, +) == 20 { consumer = statistics }
        case .producer: producer = statistics
        }
      }
    }
    #expect(try #require(consumer).partitions.count == 2)
    let found = try #require(consumer)
    #expect(found.brokersUp == 1, "\(found)")
    #expect(try #require(producer).queuedMessages == 0)
  }
}
