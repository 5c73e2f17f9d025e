// An event queue of a client.

import CRdKafka

/// Owner of one reference to a queue. Must go before its client.
// SAFETY: takes over one reference, gives it back in `deinit`; the owner keeps the client alive longer.
@safe final class QueueHandle {
  let pointer: OpaquePointer

  /// Takes over the reference. With `wake`, the queue rings when something arrives while it is empty.
  init(_ pointer: OpaquePointer, wake: WakeDescriptor?) {
    unsafe self.pointer = unsafe pointer
    guard let wake else { return }
    var one: UInt64 = 1
    // SAFETY: the library copies the payload; the descriptor is open and non-blocking.
    unsafe rd_kafka_queue_io_event_enable(pointer, wake.descriptor, &one, 8)
  }

  deinit {
    // SAFETY: our reference; after this the queue no longer writes to the descriptor.
    unsafe rd_kafka_queue_io_event_enable(pointer, -1, nil, 0)
    unsafe rd_kafka_queue_destroy(pointer)
  }

  /// The next event, waiting at most `waitMilliseconds`; nil if there is none.
  func next(waitMilliseconds: Int32) -> EventHandle? {
    // SAFETY: the event is ours until destroyed.
    guard let event = unsafe rd_kafka_queue_poll(pointer, waitMilliseconds) else { return nil }
    return unsafe EventHandle(event)
  }
}

/// Owner of one event.
// SAFETY: takes over one event, destroys it in `deinit`; what the event lends is copied before a property returns.
@safe final class EventHandle {
  let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) { unsafe self.pointer = unsafe pointer }

  deinit {
    // SAFETY: taken from a queue by us alone.
    unsafe rd_kafka_event_destroy(pointer)
  }

  var type: rd_kafka_event_type_t { unsafe rd_kafka_event_type(pointer) }
  var code: rd_kafka_resp_err_t { unsafe rd_kafka_event_error(pointer) }

  /// The library's text for the event's error.
  var errorText: String {
    // SAFETY: a string owned by the event.
    guard let text = unsafe rd_kafka_event_error_string(pointer) else { return "" }
    return unsafe String(cString: text)
  }

  /// The statistics document of a statistics event.
  var statistics: String {
    guard let text = unsafe rd_kafka_event_stats(pointer) else { return "" }
    return unsafe String(cString: text)
  }

  /// The partitions of a rebalance or commit event.
  var partitions: [PartitionState] {
    guard let list = unsafe rd_kafka_event_topic_partition_list(pointer) else { return [] }
    return unsafe PartitionListHandle.read(list)
  }

  /// The errors that came where messages would.
  var messageErrors: [KafkaError] {
    var errors: [KafkaError] = []
    // SAFETY: the messages belong to the event.
    while let message = unsafe rd_kafka_event_message_next(pointer) {
      guard unsafe message.pointee.err != RD_KAFKA_RESP_ERR_NO_ERROR else { continue }
      errors.append(unsafe KafkaError(message.pointee.err, detail: String(cString: rd_kafka_message_errstr(message))))
    }
    return errors
  }
}

extension EventHandle {
  /// What a commit's answer says: the whole request's error, else the first partition's.
  var commitError: KafkaError? {
    if code == RD_KAFKA_RESP_ERR__NO_OFFSET { return nil }
    return KafkaError.unlessOK(code) ?? partitions.lazy.compactMap(\.error).first
  }
}
