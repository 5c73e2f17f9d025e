// A statement's parameters in PostgreSQL's binary format (what each type's `recv` function reads): integers big-endian,
// arrays of one dimension.

/// Parameters, appended in the statement's order.
struct QueryParameters {
  /// The types of array elements, by their object ids in `pg_type`.
  private enum ElementType: Int32 {
    case bool = 16
    case int8 = 20
    case text = 25
  }

  private var bytes: [UInt8] = []
  /// Where each parameter lies; nil: NULL.
  private var places: [Range<Int>?] = []

  /// Bytes of all parameters.
  var byteCount: Int { bytes.count }

  init(capacity: Int = 256) {
    bytes.reserveCapacity(capacity)
  }

  mutating func add(_ value: Int64?) {
    add(isNull: value == nil) { $0.appendBigEndian(value ?? 0) }
  }

  mutating func add(_ value: String?) {
    add(isNull: value == nil) { $0 += (value ?? "").utf8 }
  }

  mutating func add(integers values: [Int64?]) {
    addArray(.int8, count: values.count, hasNulls: values.contains(nil)) { bytes in
      for value in values {
        bytes.appendBigEndian(Int32(value == nil ? -1 : 8))
        if let value { bytes.appendBigEndian(value) }
      }
    }
  }

  mutating func add(flags values: [Bool]) {
    addArray(.bool, count: values.count, hasNulls: false) { bytes in
      for value in values {
        bytes.appendBigEndian(Int32(1))
        bytes.append(value ? 1 : 0)
      }
    }
  }

  mutating func add(texts values: [String?]) {
    addArray(.text, count: values.count, hasNulls: values.contains(nil)) { bytes in
      for value in values {
        guard let value else {
          bytes.appendBigEndian(Int32(-1))
          continue
        }
        bytes.appendBigEndian(Int32(clamping: value.utf8.count))
        bytes += value.utf8
      }
    }
  }

  mutating func add(utf8 values: [[UInt8]]) {
    addArray(.text, count: values.count, hasNulls: false) { bytes in
      for value in values {
        bytes.appendBigEndian(Int32(clamping: value.count))
        bytes += value
      }
    }
  }

  private mutating func addArray(
    _ type: ElementType, count: Int, hasNulls: Bool, _ write: (inout [UInt8]) -> Void
  ) {
    add(isNull: false) { bytes in
      bytes.appendBigEndian(Int32(count == 0 ? 0 : 1))
      bytes.appendBigEndian(Int32(hasNulls ? 1 : 0))
      bytes.appendBigEndian(type.rawValue)
      if count == 0 { return }
      bytes.appendBigEndian(Int32(clamping: count))
      bytes.appendBigEndian(Int32(1))
      write(&bytes)
    }
  }

  private mutating func add(isNull: Bool, _ write: (inout [UInt8]) -> Void) {
    guard !isNull else { return places.append(nil) }
    let start = bytes.count
    write(&bytes)
    places.append(start..<bytes.count)
  }

  /// Number of parameters, their values, lengths and formats, as libpq wants them.
  func withPointers<Value>(
    _ body: (
      Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?
    ) -> Value
  ) -> Value {
    let lengths = places.map { Int32(clamping: $0?.count ?? 0) }
    let formats = places.map { _ in Int32(1) }
    // SAFETY: the pointers lie in `bytes`, which does not move during the call; an empty value points at a byte of no
    // consequence, because a null pointer would be NULL.
    return unsafe bytes.withUnsafeBytes { block in
      unsafe withUnsafePointer(to: CChar(0)) { empty in
        let values: [UnsafePointer<CChar>?] = unsafe places.map { place in
          guard let place else { return nil }
          if place.isEmpty { return unsafe empty }
          return unsafe block.baseAddress?.advanced(by: place.lowerBound).assumingMemoryBound(to: CChar.self)
        }
        return unsafe values.withUnsafeBufferPointer { values in
          unsafe lengths.withUnsafeBufferPointer { lengths in
            unsafe formats.withUnsafeBufferPointer { formats in
              unsafe body(Int32(clamping: places.count), values.baseAddress, lengths.baseAddress, formats.baseAddress)
            }
          }
        }
      }
    }
  }
}

extension [UInt8] {
  /// Big-endian.
  fileprivate mutating func appendBigEndian<Number: FixedWidthInteger>(_ number: Number) {
    for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}
