// A broker in memory, for one thread and virtual time: topics, consumer groups, commit jobs that are atomic. It is the reference
// for what the engine may expect of Kafka, with every unpleasantness on demand.

package import WorkerEngine

/// A message as it stands in a partition's log.
package struct StoredRecord: Hashable, Sendable {
  /// Where it stands.
  package let partition: TopicPartition
  /// The offset.
  package let offset: Int64
  /// Milliseconds since the Unix epoch.
  package let timestamp: Int64
  /// Nil: none.
  package let key: Bytes?
  /// Nil: a tombstone.
  package let value: Bytes?
  /// In the order produced.
  package let headers: [Header]

  /// The value of the first header of this name, as text; nil if there is none or it is null.
  package func header(_ name: String) -> String? {
    let wanted = Bytes(name)
    let value = headers.first { header in header.name == wanted }?.value
    return value.map { bytes in String(decoding: bytes.slice, as: UTF8.self) }
  }

  /// Key and value as text; empty if nil.
  package var keyText: String { String(decoding: key?.array ?? [], as: UTF8.self) }
  /// The value as text; empty if nil.
  package var valueText: String { String(decoding: value?.array ?? [], as: UTF8.self) }
}

/// What a group has committed for a partition.
package struct CommittedOffset: Hashable, Sendable {
  /// The offset.
  package let offset: Int64
  /// The text committed with it; may be empty.
  package let metadata: String
}

/// The cluster. Workers reach it through endpoints (`InMemoryBrokerEndpoint`).
package final class InMemoryBroker {
  /// How the cluster behaves.
  package struct Settings {
    /// How long a commit job takes.
    package var commitDelayNanoseconds: Int64 = 1_000_000
    /// Larger outputs are refused.
    package var recordBytesMax = 1_048_576
    /// True: outputs leave before their commit job, and only the job's offsets are atomic, as without transactions.
    package var sendsAhead = false
    /// Longer metadata is refused: the job is dropped, as Kafka aborts its transaction.
    package var metadataCharactersMax = 4096
    /// How long a rebalance waits for members that have not released; then they are out.
    package var rebalanceTimeoutNanoseconds: Int64 = 60_000_000_000
    /// How long a transaction may stay open; then the cluster aborts it and fences its producer.
    package var transactionTimeoutNanoseconds: Int64 = 10_000_000_000
    /// How long a member that is not heard of stays in its group.
    package var sessionTimeoutNanoseconds: Int64 = 10_000_000_000

    package init() {}
  }

  /// May be changed at any time; holds for what comes after.
  package var settings: Settings
  private let clock: any EngineClock
  private var topics: [String: [PartitionLog]] = [:]
  private var groups: [String: InMemoryGroup] = [:]
  private var roundRobin = 0
  /// Who may write under which transactional id, and what is open.
  private(set) lazy var transactions = InMemoryTransactions(broker: self)
  /// Until when nobody answers (boot clock).
  package var isDownUntil = Int64.min

  private struct PartitionLog {
    var records: [StoredRecord] = []
    /// Offset of the first record there is, or would be.
    var start: Int64 = 0
    /// Offset of the next record.
    var end: Int64 = 0
    /// Open transactions with their first offsets, ascending.
    var open: [(owner: Int, first: Int64)] = []
    /// Readers of committed records see nothing from here on.
    var stable: Int64 { open.first?.first ?? end }
  }

  /// An empty cluster on this clock.
  package init(clock: any EngineClock, settings: Settings = Settings()) {
    self.clock = clock
    self.settings = settings
  }

  /// The cluster's time.
  package var now: Moment { clock.now() }

  /// True while nobody answers.
  package var isDown: Bool { now.boot < isDownUntil }
}

// MARK: - Topics

extension InMemoryBroker {
  /// Makes a topic, or adds partitions to one.
  package func createTopic(_ name: String, partitions: Int) {
    var logs = topics[name] ?? []
    while logs.count < partitions { logs.append(PartitionLog()) }
    topics[name] = logs
  }

  /// Partitions of these topics, sorted.
  package func partitions(of names: [String]) -> [TopicPartition] {
    names.sorted().flatMap { name in
      (topics[name] ?? []).indices.map { index in TopicPartition(topic: name, partition: Int32(index)) }
    }
  }

  /// All topics, sorted.
  package var topicNames: [String] { topics.keys.sorted() }

  /// True if the topic exists.
  package func hasTopic(_ name: String) -> Bool { topics[name] != nil }

  /// Appends a message to a partition and returns its offset. Precondition: the partition exists.
  @discardableResult
  package func append(
    _ partition: TopicPartition, key: Bytes?, value: Bytes?, headers: [Header] = [], timestamp: Int64? = nil,
    transaction: Int? = nil
  ) -> Int64 {
    let index = Int(partition.partition)
    precondition(topics[partition.topic]?.indices.contains(index) == true, "no partition \(partition)")
    let offset = endOffset(of: partition)
    let record = StoredRecord(
      partition: partition, offset: offset, timestamp: timestamp ?? now.wall / 1_000_000, key: key, value: value,
      headers: headers)
    topics[partition.topic]?[index].records.append(record)
    topics[partition.topic]?[index].end += 1
    if let transaction, topics[partition.topic]?[index].open.contains(where: { $0.owner == transaction }) == false {
      topics[partition.topic]?[index].open.append((transaction, offset))
    }
    return offset
  }

  /// Ends a transaction in a partition: its marker takes an offset; aborted records are never seen.
  func close(_ transaction: Int, in partition: TopicPartition, aborted offsets: Set<Int64>) {
    let index = Int(partition.partition)
    guard topics[partition.topic]?.indices.contains(index) == true else { return }
    topics[partition.topic]?[index].open.removeAll { $0.owner == transaction }
    topics[partition.topic]?[index].end += 1
    guard !offsets.isEmpty else { return }
    topics[partition.topic]?[index].records.removeAll { offsets.contains($0.offset) }
  }

  /// Appends an output where its key belongs; says where that is.
  @discardableResult
  package func append(_ output: Output, transaction: Int? = nil) -> (partition: TopicPartition, offset: Int64) {
    let count = topics[output.topic]?.count ?? 0
    precondition(count > 0, "no topic \(output.topic)")
    let index: Int
    if let key = output.key {
      index = Int(key.hash(seed: 0) % UInt64(count))
    } else {
      index = roundRobin % count
      roundRobin += 1
    }
    let partition = TopicPartition(topic: output.topic, partition: Int32(index))
    let offset = append(
      partition, key: output.key, value: output.value, headers: output.headers, transaction: transaction)
    return (partition, offset)
  }

  /// Leaves out offsets, as transaction markers, aborted messages and compaction do.
  package func skipOffsets(_ partition: TopicPartition, count: Int64) {
    topics[partition.topic]?[Int(partition.partition)].end += count
  }

  /// Deletes the messages before an offset, as retention does.
  package func deleteRecords(_ partition: TopicPartition, before offset: Int64) {
    let index = Int(partition.partition)
    topics[partition.topic]?[index].records.removeAll { $0.offset < offset }
    topics[partition.topic]?[index].start = offset
  }

  /// Deletes a topic and makes it again: its offsets begin anew, groups keep what they have committed.
  package func makeAgain(_ topic: String) {
    topics[topic] = topics[topic]?.map { _ in PartitionLog() }
  }

  /// All messages of a topic that readers of committed records see, by partition and offset.
  package func log(of topic: String) -> [StoredRecord] {
    (topics[topic] ?? []).flatMap(Self.visible)
  }

  /// The same of a partition.
  package func log(of partition: TopicPartition) -> [StoredRecord] {
    topics[partition.topic].map { Self.visible($0[Int(partition.partition)]) } ?? []
  }

  private static func visible(_ log: PartitionLog) -> [StoredRecord] {
    log.open.isEmpty ? log.records : log.records.filter { $0.offset < log.stable }
  }

  /// Offset of the next message of a partition.
  package func endOffset(of partition: TopicPartition) -> Int64 {
    topics[partition.topic]?[Int(partition.partition)].end ?? 0
  }

  /// Offsets a consumer may ask for: those of the messages there are, and of the next one.
  func range(of partition: TopicPartition) -> ClosedRange<Int64> {
    let log = topics[partition.topic]?[Int(partition.partition)] ?? PartitionLog()
    return log.start...log.end
  }

  /// Up to `count` committed messages from an offset on.
  func read(_ partition: TopicPartition, from offset: Int64, count: Int) -> ArraySlice<StoredRecord> {
    guard let log = topics[partition.topic]?[Int(partition.partition)] else { return [] }
    let low = Self.index(of: offset, in: log.records)
    let high = log.open.isEmpty ? log.records.count : Self.index(of: log.stable, in: log.records)
    return low < high ? log.records[low..<min(high, low + count)] : []
  }

  /// True if there is a committed message at or after an offset.
  func hasRecord(_ partition: TopicPartition, from offset: Int64) -> Bool {
    !read(partition, from: offset, count: 1).isEmpty
  }

  /// Index of the first record at or after an offset.
  private static func index(of offset: Int64, in records: [StoredRecord]) -> Int {
    var low = 0
    var high = records.count
    while low < high {
      let middle = (low + high) / 2
      if records[middle].offset < offset { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

// MARK: - Groups

extension InMemoryBroker {
  /// A worker's connection. It joins the group when the worker subscribes. With a producer it commits by transactions, else
  /// each job is one step.
  package func connect(
    group: String, topics: [String], producer: ProducerIdentity? = nil
  ) -> InMemoryBrokerEndpoint {
    InMemoryBrokerEndpoint(broker: self, group: group, topics: topics, producer: producer)
  }

  /// What the group has committed for a partition.
  package func committed(_ group: String, _ partition: TopicPartition) -> CommittedOffset? {
    self.group(group).offsets[partition]
  }

  /// Sets a committed offset, as an operator's tool would.
  package func setCommitted(_ group: String, _ partition: TopicPartition, offset: Int64, metadata: String = "") {
    self.group(group).offsets[partition] = CommittedOffset(offset: offset, metadata: metadata)
  }

  /// Forgets what a group has committed, as the broker does after a long absence.
  package func deleteOffsets(_ group: String) { self.group(group).offsets = [:] }

  /// Messages of the topics that the group's frontiers have not passed.
  package func lag(_ group: String, topics: [String]) -> Int64 {
    partitions(of: topics).reduce(0) { sum, partition in
      sum + Int64(read(partition, from: committed(group, partition)?.offset ?? 0, count: .max / 2).count)
    }
  }

  /// When the cluster does something by itself (boot clock): puts out members, aborts a transaction. Nil: nothing is known.
  package var nextDue: Int64? {
    if isDown { return isDownUntil }
    var due = transactions.nextDue
    for group in groups.values {
      if let end = group.nextDue { due = min(due ?? end, end) }
    }
    return due
  }

  /// Does what is due; true if something was.
  package func advance() -> Bool {
    let now = now.boot
    guard let due = nextDue, due <= now, !isDown else { return false }
    transactions.expire()
    for name in groups.keys.sorted() { groups[name]?.checkTimeout() }
    return true
  }

  /// True while a transaction is open anywhere.
  package var hasOpenTransactions: Bool { transactions.hasOpen }

  func group(_ name: String) -> InMemoryGroup {
    if let group = groups[name] { return group }
    let group = InMemoryGroup(broker: self)
    groups[name] = group
    return group
  }
}
