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

/// Where the parts of a record stand in its storage.
package struct RecordLayout: Sendable {
  /// Nil: none was sent.
  package var key: Range<Int>?
  /// Nil: a tombstone.
  package var value: Range<Int>?
  /// All headers, one after the other: `HeaderBlock`.
  package var headers: Range<Int>
  /// How many.
  package var headerCount: Int

  @inlinable
  package init(key: Range<Int>?, value: Range<Int>?, headers: Range<Int> = 0..<0, headerCount: Int = 0) {
    self.key = key
    self.value = value
    self.headers = headers
    self.headerCount = headerCount
  }
}

/// A message as consumed. It counts one reference, to the array that its key, value and headers stand in together: a record is
/// copied several times on its way, and counting is what a copy costs.
package struct Record: Sendable {
  /// The bytes of key, value and headers, and of other records of the same batch.
  package let storage: [UInt8]
  /// Not contiguous: markers, aborted and compacted records leave gaps.
  package let offset: Int64
  /// Milliseconds since the Unix epoch; -1 if the broker gave none.
  package let timestamp: Int64
  /// Slot; key, value and headers, each as first index and length (-1: there is none); number of headers. As one vector, because
  /// a struct of few fields is copied in place, one of many by a call for each of them.
  @usableFromInline let numbers: SIMD8<Int32>

  /// A record whose parts stand in `storage`. Precondition: they lie inside it, and every index is below 2 GiB, which no Kafka
  /// message reaches.
  package init(slot: Int, offset: Int64, timestamp: Int64, storage: [UInt8], layout: RecordLayout) {
    let end = max(layout.key?.upperBound ?? 0, layout.value?.upperBound ?? 0, layout.headers.upperBound)
    let start = min(layout.key?.lowerBound ?? 0, layout.value?.lowerBound ?? 0, layout.headers.lowerBound)
    precondition(start >= 0 && end <= storage.count, "bytes outside their storage")
    self.storage = storage
    self.offset = offset
    self.timestamp = timestamp
    numbers = SIMD8(
      Int32(slot), Int32(layout.key?.lowerBound ?? 0), Int32(layout.key?.count ?? -1),
      Int32(layout.value?.lowerBound ?? 0), Int32(layout.value?.count ?? -1), Int32(layout.headers.lowerBound),
      Int32(layout.headers.count), Int32(layout.headerCount))
  }

  /// A record whose parts stand in `storage`, each given as first index and length (-1: there is none). Precondition: as above.
  @inlinable
  package init(
    slot: Int, offset: Int64, timestamp: Int64, storage: [UInt8], key: (start: Int, count: Int),
    value: (start: Int, count: Int), headers: (start: Int, size: Int, count: Int)
  ) {
    let size = storage.count
    precondition(
      key.start >= 0 && key.start + max(key.count, 0) <= size && value.start >= 0
        && value.start + max(value.count, 0) <= size && headers.start >= 0 && headers.start + headers.size <= size,
      "bytes outside their storage")
    self.storage = storage
    self.offset = offset
    self.timestamp = timestamp
    numbers = SIMD8(
      Int32(slot), Int32(key.start), Int32(key.count), Int32(value.start), Int32(value.count), Int32(headers.start),
      Int32(headers.size), Int32(headers.count))
  }

  /// A record of these parts, in storage of its own.
  package init(slot: Int, offset: Int64, timestamp: Int64, key: Bytes?, value: Bytes?, headers: [Header]) {
    var storage: [UInt8] = []
    func append(_ part: Bytes) -> Range<Int> {
      storage.append(contentsOf: part.slice)
      return storage.count - part.count..<storage.count
    }
    var layout = RecordLayout(key: key.map(append), value: value.map(append))
    let start = storage.count
    for header in headers { HeaderBlock.append(header, to: &storage) }
    layout.headers = start..<storage.count
    layout.headerCount = headers.count
    self.init(slot: slot, offset: offset, timestamp: timestamp, storage: storage, layout: layout)
  }

  /// Index of the partition in the assignment's list (`BrokerEvent.assigned`).
  @inlinable package var slot: Int { Int(numbers[0]) }

  var keyStart: Int32 { numbers[1] }
  var keyCount: Int32 { numbers[2] }
  var valueStart: Int32 { numbers[3] }
  var valueCount: Int32 { numbers[4] }
  var headersStart: Int32 { numbers[5] }
  var headersSize: Int32 { numbers[6] }
  var headerCount: Int32 { numbers[7] }

  /// Nil: none was sent.
  package var key: Bytes? { keyCount < 0 ? nil : Bytes(storage, start: Int(keyStart), count: Int(keyCount)) }

  /// Nil for a tombstone.
  package var value: Bytes? { valueCount < 0 ? nil : Bytes(storage, start: Int(valueStart), count: Int(valueCount)) }

  /// In the order sent; names may repeat. Read from the storage anew each time.
  package var headers: [Header] {
    headerCount == 0 ? [] : HeaderBlock.read(storage, from: Int(headersStart), count: Int(headerCount))
  }

  /// Calls `body` for each header, in the order sent, with the places of its name and value (nil: null) in `storage`: without
  /// counting a reference for each.
  @inline(__always)
  package func forEachHeader(_ body: (_ name: Range<Int>, _ value: Range<Int>?) -> Void) {
    HeaderBlock.forEach(in: storage, from: Int(headersStart), count: Int(headerCount), body)
  }
}

/// How headers stand in a record's storage: for each the length of its name, the length of its value (all bits set: null), each
/// in four bytes, the lowest first; then name and value.
package enum HeaderBlock {
  /// Bytes of the two lengths.
  package static let prefixBytes = 8

  /// The two lengths as one little-endian word. Precondition: both are below 2 GiB.
  package static func prefix(nameCount: Int, valueCount: Int?) -> UInt64 {
    UInt64(UInt32(nameCount)) | UInt64(valueCount.map { UInt32($0) } ?? .max) << 32
  }

  static func append(_ header: Header, to storage: inout [UInt8]) {
    let prefix = prefix(nameCount: header.name.count, valueCount: header.value?.count)
    for step in 0..<prefixBytes { storage.append(UInt8(truncatingIfNeeded: prefix >> UInt64(step * 8))) }
    storage.append(contentsOf: header.name.slice)
    if let value = header.value { storage.append(contentsOf: value.slice) }
  }

  static func read(_ storage: [UInt8], from start: Int, count: Int) -> [Header] {
    var headers: [Header] = []
    headers.reserveCapacity(count)
    forEach(in: storage, from: start, count: count) { name, value in
      headers.append(
        Header(
          name: Bytes(storage, start: name.lowerBound, count: name.count),
          value: value.map { Bytes(storage, start: $0.lowerBound, count: $0.count) }))
    }
    return headers
  }

  @inline(__always)
  static func forEach(
    in storage: [UInt8], from start: Int, count: Int, _ body: (_ name: Range<Int>, _ value: Range<Int>?) -> Void
  ) {
    var next = start
    for _ in 0..<count {
      let nameCount = Int(length(storage, at: next))
      let valueLength = length(storage, at: next + 4)
      let name = next + prefixBytes..<next + prefixBytes + nameCount
      let value = valueLength == .max ? nil : name.upperBound..<name.upperBound + Int(valueLength)
      body(name, value)
      next = value?.upperBound ?? name.upperBound
    }
  }

  private static func length(_ storage: [UInt8], at index: Int) -> UInt32 {
    UInt32(storage[index]) | UInt32(storage[index + 1]) << 8 | UInt32(storage[index + 2]) << 16
      | UInt32(storage[index + 3]) << 24
  }
}
