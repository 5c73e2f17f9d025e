// Reads topics from a given place without a group: for commands that look at what happened. Commits nothing.

import Synchronization
package import WorkerEngine

/// Where reading begins.
package enum ReadStart: Hashable, Sendable {
  /// The first message there is.
  case earliest
  /// Messages that arrive from now on.
  case latest
  /// The first message at or after this time (milliseconds since the Unix epoch); later than all: the end.
  case time(Int64)
  /// Given offsets; partitions that are not named begin at the first message there is.
  case offsets([TopicPartition: Int64])

  /// As an offset: only what arrives from now on.
  package static let end = PartitionState.end
}

/// What one read gave.
package struct ReadBatch: Sendable {
  /// Records; `slot` is the index into `KafkaReader.partitions`.
  package let records: [Record]
  /// Trouble that may pass (the reader goes on) and partitions whose start lies outside the log.
  package let errors: [KafkaError]
  /// Slots that have been read to their ends for now: up to the last stable offset, invisible records included.
  package let ends: [Int]
}

/// All partitions of some topics, read committed, from a start to the live end. One call at a time; calls block and so
/// belong on a thread of the caller's own.
package final class KafkaReader: Sendable {
  private struct State {
    /// Nil once the reader is closed.
    var data: DataQueue?
  }

  /// The partitions read, in the order of the records' slots.
  package let partitions: [TopicPartition]
  private let consumer: ConsumerHandle
  private let alarm: WakeDescriptor
  private let state: Mutex<State>
  private let topics: [String]

  /// Looks the topics up and begins. Throws `.environment` for a topic that is not there and for brokers that cannot be
  /// reached within the limit.
  package init(
    settings: KafkaSettings, topics: [String], from start: ReadStart, limitMilliseconds: Int = 10_000
  ) throws(KafkaError) {
    let limit = Int32(limitMilliseconds)
    let alarm = WakeDescriptor()
    let consumer = try ConsumerHandle(settings: settings, group: nil, wake: alarm)
    var partitions: [TopicPartition] = []
    for topic in topics {
      switch consumer.partitionCount(of: topic, limitMilliseconds: limit) {
      case .success(let count): partitions += (0..<count).map { TopicPartition(topic: topic, partition: Int32($0)) }
      case .failure(let error):
        throw error.reaction == .retry ? .unreachable(brokers: settings.brokers, detail: error.message) : error
      }
    }
    let starts = try KafkaReader.offsets(of: start, partitions, consumer, limit)
    let states = zip(partitions, starts).map { PartitionState(partition: $0, offset: $1) }
    let data = try consumer.assign(states, wake: alarm).get()
    self.alarm = alarm
    self.consumer = consumer
    self.topics = topics
    self.partitions = partitions
    state = Mutex(State(data: data))
  }

  /// The partitions of a topic, without reading it. Blocks up to the limit.
  package static func partitions(
    of topic: String, settings: KafkaSettings, limitMilliseconds: Int = 10_000
  ) throws(KafkaError) -> [TopicPartition] {
    let consumer = try ConsumerHandle(settings: settings, group: nil, wake: WakeDescriptor())
    defer { consumer.destroy() }
    let count = try consumer.partitionCount(of: topic, limitMilliseconds: Int32(limitMilliseconds)).get()
    return (0..<count).map { TopicPartition(topic: topic, partition: Int32($0)) }
  }

  /// What has arrived; waits up to `waitNanoseconds` if there is nothing. An empty batch is not the end: see `endOffsets`.
  package func read(maxRecords: Int = 1_000, waitNanoseconds: Int64) -> ReadBatch {
    state.withLock { state in
      var batch = take(maxRecords, &state)
      if batch.records.isEmpty, batch.errors.isEmpty, batch.ends.isEmpty, waitNanoseconds > 0 {
        alarm.wait(limitNanoseconds: waitNanoseconds)
        batch = take(maxRecords, &state)
      }
      return batch
    }
  }

  /// Ends a waiting `read` early. Any thread.
  package func wake() { alarm.ring() }

  /// The next offset to come of each partition, by slot: a reader that has passed these has seen all there was. Under read
  /// committed the last records before it may be invisible (transaction markers, aborted records).
  package func endOffsets(limitMilliseconds: Int = 5_000) throws(KafkaError) -> [Int64] {
    try ranges(limitMilliseconds: limitMilliseconds).map(\.upperBound)
  }

  /// First offset and next one to come of each partition, by slot.
  package func ranges(limitMilliseconds: Int = 5_000) throws(KafkaError) -> [Range<Int64>] {
    var ranges: [Range<Int64>] = []
    for partition in partitions {
      ranges.append(try consumer.watermarks(of: partition, limitMilliseconds: Int32(limitMilliseconds)).get())
    }
    return ranges
  }

  /// True if one of the topics has got partitions that this reader does not read; false if nobody answers in time.
  package func hasMorePartitions(limitMilliseconds: Int = 5_000) -> Bool {
    var count = 0
    for topic in topics {
      guard
        case .success(let partitions) = consumer.partitionCount(of: topic, limitMilliseconds: Int32(limitMilliseconds))
      else { return false }
      count += partitions
    }
    return count > partitions.count
  }

  /// The data queue must be gone before the client is destroyed: the library waits for it.
  deinit { close() }

  /// Ends the reader and frees its client; may take some seconds. Idempotent. `read` gives nothing afterwards.
  package func close() {
    let isFirst = state.withLock { state in
      defer { state.data = nil }
      return state.data != nil
    }
    guard isFirst else { return }
    consumer.unassign()
    consumer.destroy()
  }

  private func take(_ maxRecords: Int, _ state: inout State) -> ReadBatch {
    guard let data = state.data else { return ReadBatch(records: [], errors: [], ends: []) }
    var errors: [KafkaError] = []
    while let event = consumer.nextEvent() {
      if case .trouble(let error) = event { errors.append(error) }
    }
    let batch = data.take(recordsMax: maxRecords)
    return ReadBatch(records: batch.records, errors: errors + batch.errors.map(\.error), ends: batch.ends)
  }

  private static func offsets(
    of start: ReadStart, _ partitions: [TopicPartition], _ consumer: ConsumerHandle, _ limit: Int32
  ) throws(KafkaError) -> [Int64] {
    switch start {
    case .earliest:
      return partitions.map { _ in PartitionState.beginning }
    case .latest:
      // Asked now, not at the first fetch: what is published after this call must be seen.
      var offsets: [Int64] = []
      for partition in partitions {
        offsets.append(try consumer.watermarks(of: partition, limitMilliseconds: limit).get().upperBound)
      }
      return offsets
    case .time(let milliseconds):
      let found = try consumer.offsets(of: partitions, at: milliseconds, limitMilliseconds: limit).get()
      return found.map { $0.offset >= 0 ? $0.offset : PartitionState.end }
    case .offsets(let offsets):
      return partitions.map { offsets[$0] ?? PartitionState.beginning }
    }
  }
}
