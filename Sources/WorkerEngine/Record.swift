// What comes from and goes to Kafka, as plain values. A batch's bytes stand in one array that all its records share, so
// that a record costs no allocation.

/// A stretch of bytes inside a shared array.
package struct Bytes: Sendable {
  /// The array the bytes stand in; shared, never changed.
  package let storage: [UInt8]
  /// Index of the first byte.
  package let start: Int
  /// Number of bytes.
  package let count: Int

  /// The `count` bytes of `storage` from `start` on. Precondition: they lie inside it.
  package init(_ storage: [UInt8], start: Int, count: Int) {
    precondition(start >= 0 && count >= 0 && start + count <= storage.count, "bytes outside their storage")
    self.storage = storage
    self.start = start
    self.count = count
  }

  /// All of `storage`.
  package init(_ storage: [UInt8]) {
    self.storage = storage
    start = 0
    count = storage.count
  }

  /// The UTF-8 of `text`.
  package init(_ text: String) {
    self.init(Array(text.utf8))
  }

  /// A copy of its own.
  package var array: [UInt8] { Array(storage[start..<start + count]) }

  /// A view without a copy.
  package var slice: ArraySlice<UInt8> { storage[start..<start + count] }
}

extension Bytes: Hashable {
  package static func == (left: Bytes, right: Bytes) -> Bool {
    left.count == right.count && left.slice.elementsEqual(right.slice)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for byte in slice { hasher.combine(byte) }
  }
}

/// One header; Kafka allows duplicates, and a null value is not an empty one.
package struct Header: Hashable, Sendable {
  /// Name as bytes: usually ASCII, but nobody enforces it.
  package let name: Bytes
  /// Nil: a null value, which Kafka tells from an empty one.
  package let value: Bytes?

  package init(name: Bytes, value: Bytes?) {
    self.name = name
    self.value = value
  }

  /// A header whose name and value are text.
  package init(_ name: String, _ value: String) {
    self.name = Bytes(name)
    self.value = Bytes(value)
  }
}

/// A partition of a topic.
package struct TopicPartition: Hashable, Sendable {
  /// Full topic name.
  package let topic: String
  /// Counted from 0.
  package let partition: Int32

  package init(topic: String, partition: Int32) {
    self.topic = topic
    self.partition = partition
  }
}

/// A message as consumed.
package struct Record: Sendable {
  /// Index of the partition in the assignment's list (`BrokerEvent.assigned`).
  package let slot: Int
  /// Not contiguous: markers, aborted and compacted records leave gaps.
  package let offset: Int64
  /// Milliseconds since the Unix epoch; -1 if the broker gave none.
  package let timestamp: Int64
  /// Nil: none was sent.
  package let key: Bytes?
  /// Nil for a tombstone.
  package let value: Bytes?
  /// In the order sent; names may repeat.
  package let headers: [Header]

  package init(slot: Int, offset: Int64, timestamp: Int64, key: Bytes?, value: Bytes?, headers: [Header]) {
    self.slot = slot
    self.offset = offset
    self.timestamp = timestamp
    self.key = key
    self.value = value
    self.headers = headers
  }
}

/// A message to produce.
package struct Output: Hashable, Sendable {
  /// Full topic name.
  package let topic: String
  /// The partition is chosen by the key's hash; nil: any.
  package let key: Bytes?
  /// Nil: a tombstone.
  package let value: Bytes?
  /// Sent in this order.
  package let headers: [Header]

  package init(topic: String, key: Bytes?, value: Bytes?, headers: [Header]) {
    self.topic = topic
    self.key = key
    self.value = value
    self.headers = headers
  }
}
