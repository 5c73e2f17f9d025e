// What goes to Kafka.

/// Key and value of a message to produce. Both stand in one array if they came in one: a copy then counts one reference, not two.
package struct KeyAndValue: Sendable {
  /// The value's bytes, and the key's too while `keyStorage` is nil.
  package let storage: [UInt8]
  /// The key's bytes if they stand in an array of their own.
  package let keyStorage: [UInt8]?
  /// Key and value, each as first index and length (-1: there is none).
  @usableFromInline let numbers: SIMD4<Int32>

  /// Two stretches of any arrays. Precondition: every index is below 2 GiB, which no Kafka message reaches.
  package init(key: Bytes?, value: Bytes?) {
    storage = value?.storage ?? key?.storage ?? []
    keyStorage = value == nil ? nil : key?.storage
    numbers = SIMD4(
      Int32(key?.start ?? 0), Int32(key?.count ?? -1), Int32(value?.start ?? 0), Int32(value?.count ?? -1))
  }

  /// A record's own.
  init(_ record: Record) {
    storage = record.storage
    keyStorage = nil
    numbers = SIMD4(record.keyStart, record.keyCount, record.valueStart, record.valueCount)
  }

  /// Where the key begins.
  @inlinable package var keyStart: Int32 { numbers[0] }
  /// The key's length; -1: there is none.
  @inlinable package var keyCount: Int32 { numbers[1] }
  /// Where the value begins.
  @inlinable package var valueStart: Int32 { numbers[2] }
  /// The value's length; -1: there is none.
  @inlinable package var valueCount: Int32 { numbers[3] }

  /// The key; nil: none.
  package var key: Bytes? {
    keyCount < 0 ? nil : Bytes(keyStorage ?? storage, start: Int(keyStart), count: Int(keyCount))
  }

  /// The value; nil: none.
  package var value: Bytes? {
    valueCount < 0 ? nil : Bytes(storage, start: Int(valueStart), count: Int(valueCount))
  }

  /// Bytes of both.
  package var byteCount: Int { Int(max(keyCount, 0)) + Int(max(valueCount, 0)) }
}

/// A message to produce.
package struct Output: Sendable {
  /// Full topic name.
  package let topic: String
  /// Key and value as they stand in memory.
  package let parts: KeyAndValue
  /// Sent in this order.
  package let headers: [Header]

  /// A message of these parts.
  package init(topic: String, key: Bytes?, value: Bytes?, headers: [Header]) {
    self.topic = topic
    parts = KeyAndValue(key: key, value: value)
    self.headers = headers
  }

  /// The same key, value and headers as a message's, for another topic.
  package init(topic: String, passing record: Record) {
    self.topic = topic
    parts = KeyAndValue(record)
    headers = record.headers
  }

  /// The partition is chosen by the key's hash; nil: any.
  package var key: Bytes? { parts.key }
  /// Nil: a tombstone.
  package var value: Bytes? { parts.value }
}

extension Output: Hashable {
  package static func == (left: Output, right: Output) -> Bool {
    left.topic == right.topic && left.key == right.key && left.value == right.value && left.headers == right.headers
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(topic)
    hasher.combine(key)
    hasher.combine(value)
    hasher.combine(headers)
  }
}
