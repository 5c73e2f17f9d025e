// What the engine computes of a record: its size, a copy of its own, a hash of its key.

extension Record {
  /// Bytes of key, value and headers: what the limits on memory count.
  @inline(__always) package var payloadBytes: Int {
    Int(max(keyCount, 0)) + Int(max(valueCount, 0)) + Int(headersSize) - Int(headerCount) * HeaderBlock.prefixBytes
  }

  /// The same record in storage of its own. A batch's records share one array; a record that stays for long would keep the
  /// whole batch in memory, so that limits on bytes would mean nothing.
  package func detached() -> Record {
    var own: [UInt8] = []
    own.reserveCapacity(Int(max(keyCount, 0)) + Int(max(valueCount, 0)) + Int(headersSize))
    func copy(_ start: Int32, _ count: Int32) -> Range<Int>? {
      guard count >= 0 else { return nil }
      own.append(contentsOf: storage[Int(start)..<Int(start) + Int(count)])
      return own.count - Int(count)..<own.count
    }
    let layout = RecordLayout(
      key: copy(keyStart, keyCount), value: copy(valueStart, valueCount),
      headers: copy(headersStart, headersSize) ?? 0..<0, headerCount: Int(headerCount))
    return Record(slot: slot, offset: offset, timestamp: timestamp, storage: own, layout: layout)
  }
}

extension Output {
  /// Bytes of key, value and headers.
  @inline(__always) package var payloadBytes: Int {
    headers.isEmpty ? parts.byteCount : parts.byteCount + headers.byteCount
  }
}

extension [Header] {
  /// Bytes of all names and values.
  fileprivate var byteCount: Int {
    reduce(0) { total, header in total + header.name.count + (header.value?.count ?? 0) }
  }
}

extension Bytes {
  /// A 64-bit hash: eight bytes a step. Keys come from outside, so `seed` should be one that outsiders do not know.
  package func hash(seed: UInt64) -> UInt64 {
    let storage = self.storage
    var hash = seed ^ (UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15)
    var index = start
    let end = start + count
    while end - index >= 8 {
      var word = UInt64(storage[index])
      word |= UInt64(storage[index + 1]) &<< 8
      word |= UInt64(storage[index + 2]) &<< 16
      word |= UInt64(storage[index + 3]) &<< 24
      word |= UInt64(storage[index + 4]) &<< 32
      word |= UInt64(storage[index + 5]) &<< 40
      word |= UInt64(storage[index + 6]) &<< 48
      word |= UInt64(storage[index + 7]) &<< 56
      hash = Bytes.mix(hash ^ word)
      index += 8
    }
    var rest: UInt64 = 0
    while index < end {
      rest = rest &<< 8 | UInt64(storage[index])
      index += 1
    }
    return Bytes.mix(hash ^ rest)
  }

  private static func mix(_ word: UInt64) -> UInt64 {
    let product = word.multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    return product.high ^ product.low ^ (word &>> 32)
  }
}
