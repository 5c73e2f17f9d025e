// The dead letters of a deployment: read to the topic's present end, with what was sent again already.

import CheckoutCore
import CheckoutStages
import CheckoutTools
import CheckoutWire
import KafkaAdapter
import Operations
import WorkerEngine

/// One letter and the place of the record before it.
struct ShelvedLetter {
  let item: DeadLetterItem
  /// Offsets that are done once this letter is: its own, and what lies between it and the record before it.
  let covers: Range<Int64>
}

/// Reads letters, and remembers in a consumer group's offsets which of them were sent again. One call at a time.
final class DeadLetterShelf {
  static let name = "redrive"
  private static let waitNanoseconds: Int64 = 500_000_000
  private static let silenceMax = 40

  let topic: String
  let relay: KafkaRelay
  private let kafka: KafkaSettings
  private(set) var ledgers: [Int32: OffsetLedger] = [:]

  init(_ context: CommandContext) throws(Problem) {
    topic = context.topics.name(.deadLetters)
    kafka = try context.kafka(brokers: try context.brokerList(), clientID: "checkout-dead-letters", log: nil)
    do throws(KafkaError) {
      let clusterID = try KafkaAdmin(settings: kafka).clusterID()
      let isMock = clusterID.hasPrefix(DeliveryChoice.mockClusterPrefix)
      let asked = DeliveryMode(rawValue: context.settings[Setup.delivery])
      relay = try KafkaRelay(
        settings: kafka, group: context.settings[Setup.groupPrefix] + "dead-letters", name: Self.name,
        delivery: isMock ? .atLeastOnce : asked ?? .exactlyOnce)
    } catch {
      throw Problem(error)
    }
  }

  /// All letters there are now that `isWanted`, in the order of their places.
  func letters(where isWanted: (DeadLetterItem) -> Bool) throws(Problem) -> [ShelvedLetter] {
    do throws(KafkaError) {
      let reader = try KafkaReader(settings: kafka, topics: [topic], from: .earliest)
      defer { reader.close() }
      try readLedgers(reader.partitions)
      return try read(reader, isWanted).sorted { $0.item.id < $1.item.id }
    } catch {
      throw Problem(error)
    }
  }

  private func readLedgers(_ partitions: [TopicPartition]) throws(KafkaError) {
    for state in try relay.committed(partitions) {
      let frontier = state.committed ?? 0
      do throws(FinishedSetUnreadable) {
        ledgers[state.partition.partition] = try OffsetLedger(frontier: frontier, metadata: state.metadata)
      } catch {
        throw .environment(
          "the group's offset for \(topic) \(state.partition.partition) carries metadata of another program (\(error)); "
            + "which letters were sent again is not known")
      }
    }
  }

  private func read(
    _ reader: KafkaReader, _ isWanted: (DeadLetterItem) -> Bool
  ) throws(KafkaError) -> [ShelvedLetter] {
    var letters: [ShelvedLetter] = []
    var next = Array(repeating: Int64(0), count: reader.partitions.count)
    var open = Set(reader.partitions.indices)
    var silence = 0
    while !open.isEmpty {
      let batch = reader.read(waitNanoseconds: Self.waitNanoseconds)
      silence = batch.records.isEmpty && batch.ends.isEmpty ? silence + 1 : 0
      if silence > Self.silenceMax {
        throw batch.errors.first ?? .unreachable(brokers: kafka.brokers, detail: "\(topic) cannot be read to its end")
      }
      for record in batch.records {
        let partition = reader.partitions[record.slot]
        let item = DeadLetterItem(
          TopicRecord(record, of: partition),
          isRedriven: ledgers[partition.partition]?.contains(record.offset) ?? false)
        if isWanted(item) {
          letters.append(ShelvedLetter(item: item, covers: next[record.slot]..<record.offset + 1))
        }
        next[record.slot] = record.offset + 1
      }
      open.subtract(batch.ends)
    }
    return letters
  }

  /// The records at these places of a topic, where there still are any.
  func sources(_ places: [DeadLetterID], of topic: String) throws(Problem) -> [DeadLetterID: TopicRecord] {
    do throws(KafkaError) {
      // Only the partitions that are asked for, from the first place on.
      let partitions = try KafkaReader.partitions(of: topic, settings: kafka)
      var starts: [TopicPartition: Int64] = [:]
      var last: [Int32: Int64] = [:]
      for place in places {
        let partition = TopicPartition(topic: topic, partition: place.partition)
        starts[partition] = min(starts[partition] ?? .max, place.offset)
        last[place.partition] = max(last[place.partition] ?? 0, place.offset)
      }
      for partition in partitions where starts[partition] == nil { starts[partition] = ReadStart.end }
      let reader = try KafkaReader(settings: kafka, topics: [topic], from: .offsets(starts))
      defer { reader.close() }
      return try find(Set(places), last, reader)
    } catch {
      throw Problem(error)
    }
  }

  private func find(
    _ places: Set<DeadLetterID>, _ last: [Int32: Int64], _ reader: KafkaReader
  ) throws(KafkaError) -> [DeadLetterID: TopicRecord] {
    var found: [DeadLetterID: TopicRecord] = [:]
    var open = Set(reader.partitions.indices.filter { last[reader.partitions[$0].partition] != nil })
    var silence = 0
    while !open.isEmpty, silence <= Self.silenceMax {
      let batch = reader.read(waitNanoseconds: Self.waitNanoseconds)
      silence = batch.records.isEmpty && batch.ends.isEmpty ? silence + 1 : 0
      for record in batch.records {
        let partition = reader.partitions[record.slot]
        let id = DeadLetterID(partition: partition.partition, offset: record.offset)
        if places.contains(id) { found[id] = TopicRecord(record, of: partition) }
        if let end = last[partition.partition], record.offset >= end { open.remove(record.slot) }
      }
      open.subtract(batch.ends)
    }
    return found
  }

  /// Publishes messages and marks their letters as sent again, in one step; where the broker cannot do both at once and refuses
  /// some, the others are marked in a second one.
  func send(_ letters: [(letter: ShelvedLetter, output: Output)]) throws(Problem) -> KafkaRelay.Ending {
    let ending = try publish(letters, letters.map(\.output))
    guard case .publishedExcept(let refused) = ending else { return ending }
    let left = Set(refused.map(\.output))
    let sent = letters.indices.filter { !left.contains($0) }.map { letters[$0] }
    if !sent.isEmpty { _ = try publish(sent, []) }
    return ending
  }

  private func publish(
    _ letters: [(letter: ShelvedLetter, output: Output)], _ outputs: [Output]
  ) throws(Problem) -> KafkaRelay.Ending {
    var changed = ledgers
    for (letter, _) in letters { changed[letter.item.id.partition]?.mark(letter.covers) }
    var offsets: [PartitionCommit] = []
    for partition in Set(letters.map(\.letter.item.id.partition)).sorted() {
      guard let ledger = changed[partition] else { continue }
      guard let metadata = ledger.metadata else {
        throw Problem(
          .foundWrong,
          "partition \(partition) of \(topic): more separate letters than can be remembered were sent again",
          remedy: "send those between them, too: checkout dead-letters redrive \(partition)-0..OFFSET")
      }
      offsets.append(
        PartitionCommit(
          partition: TopicPartition(topic: topic, partition: partition), offset: ledger.frontier, metadata: metadata))
    }
    do throws(KafkaError) {
      let ending = try relay.publish(outputs, offsets, limitNanoseconds: 60_000_000_000)
      if ending == .done { ledgers = changed }
      return ending
    } catch {
      throw Problem(error)
    }
  }
}

extension TopicRecord {
  /// A record of a reader.
  init(_ record: Record, of partition: TopicPartition) {
    self.init(
      position: Position(
        topic: partition.topic, partition: partition.partition, offset: record.offset,
        timestampMilliseconds: record.timestamp),
      key: record.key, value: record.value, headers: record.headers)
  }
}
