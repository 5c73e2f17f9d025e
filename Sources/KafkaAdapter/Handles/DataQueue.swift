// Where the messages of one assignment arrive, and how they become records.

import CRdKafka
import WorkerEngine

/// What a read from the data queue gives.
struct DataBatch {
  var records: [Record] = []
  /// What came instead of messages: the slot (nil: unknown) and the error.
  var errors: [(slot: Int?, error: KafkaError)] = []
  /// Slots whose end was reached; only a client that asks for it is told.
  var ends: [Int] = []
}

/// All partition queues of one assignment, forwarded to one. A new assignment has a new one, so that what is left of
/// the old one cannot be taken for its own. Used by the loop.
// SAFETY: the client outlives the queue, as `init` asks. Messages are taken from the queue into an array with room for all
// asked for, are ours until `take` destroys each once, and are only read between; used by one thread.
@safe final class DataQueue {
  private let queue: QueueHandle
  /// In the order of their slots.
  let partitions: [TopicPartition]
  private var slots: [TopicPartition: Int]
  private var messages: [UnsafeMutablePointer<rd_kafka_message_t>?] = unsafe []
  // The partition met last: messages come in runs of one partition.
  private var lastTopic: OpaquePointer?
  private var lastPartition: Int32 = -1
  private var lastSlot: Int?

  /// `client` must outlive this queue.
  init(client: OpaquePointer, partitions: [TopicPartition], wake: WakeDescriptor) {
    self.partitions = partitions
    slots = [:]
    queue = unsafe QueueHandle(rd_kafka_queue_new(client), wake: wake)
    for (slot, partition) in partitions.enumerated() {
      slots[partition] = slot
      // SAFETY: our reference to the partition's queue, given back at once; forwarding holds its own.
      if let source = unsafe rd_kafka_queue_get_partition(client, partition.topic, partition.partition) {
        unsafe rd_kafka_queue_forward(source, queue.pointer)
        unsafe rd_kafka_queue_destroy(source)
      }
    }
  }

  /// Takes up to `recordsMax` messages that have arrived; never blocks.
  func take(recordsMax: Int) -> DataBatch {
    if unsafe messages.count < recordsMax { unsafe messages = Array(repeating: nil, count: recordsMax) }
    return unsafe messages.withUnsafeMutableBufferPointer { buffer -> DataBatch in
      // SAFETY: room for `recordsMax` pointers; each message is ours and destroyed once its stretch is copied.
      let count = unsafe rd_kafka_consume_batch_queue(queue.pointer, 0, buffer.baseAddress, recordsMax)
      guard count > 0 else { return DataBatch() }
      return unsafe copy(UnsafeBufferPointer(rebasing: buffer[0..<count]))
    }
  }

  private func copy(_ messages: UnsafeBufferPointer<UnsafeMutablePointer<rd_kafka_message_t>?>) -> DataBatch {
    var batch = DataBatch()
    batch.records.reserveCapacity(messages.count)
    // Header lists of the stretch; nil: none.
    var headers: [OpaquePointer?] = unsafe []
    var first = 0
    while first < messages.count {
      // A stretch shares one array; its size is bounded, so that one slow message does not keep a whole batch alive.
      var size = StretchSize()
      var end = first
      unsafe headers.removeAll(keepingCapacity: true)
      repeat {
        if let message = unsafe messages[end] {
          let list = unsafe MessageReader.headers(of: message)
          unsafe headers.append(list)
          unsafe size.add(message, headers: list)
        } else {
          unsafe headers.append(nil)
        }
        end += 1
      } while end < messages.count && size.total < DataQueue.stretchBytesMax
      let stretch = unsafe UnsafeBufferPointer(rebasing: messages[first..<end])
      unsafe copyStretch(stretch, headers, size: size, into: &batch)
      // Now, while they are in the cache, not when the whole batch is done.
      for index in stretch.indices { unsafe rd_kafka_message_destroy(stretch[index]) }
      first = end
    }
    return batch
  }

  /// A stretch ends with the message that brings it to this size.
  private static let stretchBytesMax = 65_536

  private func copyStretch(
    _ messages: UnsafeBufferPointer<UnsafeMutablePointer<rd_kafka_message_t>?>, _ headers: [OpaquePointer?],
    size: StretchSize, into batch: inout DataBatch
  ) {
    let storage = unsafe [UInt8](unsafeUninitializedCapacity: size.total) { buffer, count in
      // Keys stand together in front: the lanes, and later the producer's partitioner, read key after key.
      var keys = unsafe StretchWriter(buffer, from: 0)
      var rest = unsafe StretchWriter(buffer, from: size.keys)
      for index in messages.indices {
        guard let message = unsafe messages[index] else { continue }
        unsafe MessageReader.copy(message, headers: headers[index], keys: &keys, rest: &rest)
      }
      precondition(keys.position == size.keys && rest.position == size.total, "a message has shrunk")
      count = size.total
    }
    var positions = StretchPositions(key: 0, rest: size.keys)
    for index in messages.indices {
      guard let message = unsafe messages[index] else { continue }
      let code = unsafe message.pointee.err
      guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
        if code == RD_KAFKA_RESP_ERR__PARTITION_EOF {
          if let slot = unsafe slot(of: message) { batch.ends.append(slot) }
          continue
        }
        batch.errors.append(unsafe (slot(of: message), MessageReader.error(of: message)))
        continue
      }
      let slot = unsafe slot(of: message)
      let record = unsafe positions.next(message, headers: headers[index], slot: slot ?? -1, in: storage)
      if slot != nil { batch.records.append(record) }
    }
  }

  private func slot(of message: UnsafeMutablePointer<rd_kafka_message_t>) -> Int? {
    let topic = unsafe message.pointee.rkt
    let partition = unsafe message.pointee.partition
    if unsafe topic == lastTopic, partition == lastPartition { return lastSlot }
    guard let handle = unsafe topic else { return nil }
    // SAFETY: the topic handle lives as long as the message; its name is copied.
    let name = unsafe String(cString: rd_kafka_topic_name(handle))
    unsafe lastTopic = topic
    lastPartition = partition
    lastSlot = slots[TopicPartition(topic: name, partition: partition)]
    return lastSlot
  }
}
