// Lists of partitions with offsets and metadata, in and out of the library.

import CRdKafka
import Glibc
import WorkerEngine

/// One entry of such a list. An offset may be one of the library's negative marks.
struct PartitionState {
  /// "The first one there is", "the next one to come", "none".
  static let beginning = Int64(RD_KAFKA_OFFSET_BEGINNING)
  static let end = Int64(RD_KAFKA_OFFSET_END)
  static let none = Int64(RD_KAFKA_OFFSET_INVALID)

  let partition: TopicPartition
  var offset: Int64 = PartitionState.none
  var metadata: String = ""
  var error: KafkaError?
}

/// Owner of an `rd_kafka_topic_partition_list_t`.
@safe final class PartitionListHandle {
  let pointer: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>

  init(_ states: [PartitionState]) {
    // SAFETY: a fresh list; its entries live as long as it does.
    unsafe pointer = rd_kafka_topic_partition_list_new(Int32(states.count))
    for state in states {
      let entry = unsafe rd_kafka_topic_partition_list_add(pointer, state.partition.topic, state.partition.partition)
      guard let entry = unsafe entry else { continue }
      unsafe entry.pointee.offset = state.offset
      guard !state.metadata.isEmpty else { continue }
      // SAFETY: the list frees the metadata with `free`.
      unsafe entry.pointee.metadata = UnsafeMutableRawPointer(strdup(state.metadata))
      unsafe entry.pointee.metadata_size = state.metadata.utf8.count
    }
  }

  deinit { unsafe rd_kafka_topic_partition_list_destroy(pointer) }

  /// What the list says now.
  var states: [PartitionState] { unsafe PartitionListHandle.read(pointer) }

  /// Copies a list that belongs to somebody else.
  static func read(_ list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>) -> [PartitionState] {
    // SAFETY: `cnt` entries at `elems`; the strings are copied.
    let entries = unsafe UnsafeBufferPointer(start: list.pointee.elems, count: Int(list.pointee.cnt))
    var states: [PartitionState] = []
    states.reserveCapacity(entries.count)
    for index in entries.indices {
      let entry = unsafe entries[index]
      let partition = unsafe TopicPartition(topic: String(cString: entry.topic), partition: entry.partition)
      var state = unsafe PartitionState(partition: partition, offset: entry.offset)
      unsafe state.error = .unlessOK(entry.err)
      if let metadata = unsafe entry.metadata {
        let bytes = unsafe UnsafeRawBufferPointer(start: metadata, count: entry.metadata_size)
        state.metadata = unsafe String(decoding: bytes, as: UTF8.self)
      }
      states.append(state)
    }
    return states
  }
}
