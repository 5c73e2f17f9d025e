// What the engine computes of a record: its size, a copy of its own, a hash of its key.

extension Record {
  /// Bytes of key, value and headers: what the limits on memory count.
  package var payloadBytes: Int {
    var total = (key?.count ?? 0) + (value?.count ?? 0)
    for header in headers { total += header.name.count + (header.value?.count ?? 0) }
    return total
  }

  /// The same record in storage of its own. A batch's records share one array; a record that stays for long would keep the
  /// whole batch in memory, so that limits on bytes would mean nothing.
  package func detached() -> Record {
    var storage: [UInt8] = []
    storage.reserveCapacity(payloadBytes)
    if let key { storage.append(contentsOf: key.slice) }
    if let value { storage.append(contentsOf: value.slice) }
    for header in headers {
      storage.append(contentsOf: header.name.slice)
      if let value = header.value { storage.append(contentsOf: value.slice) }
    }
    var next = 0
    func own(_ bytes: Bytes) -> Bytes {
      defer { next += bytes.count }
      return Bytes(storage, start: next, count: bytes.count)
    }
    return Record(
      slot: slot, offset: offset, timestamp: timestamp, key: key.map(own), value: value.map(own),
      headers: headers.map { header in Header(name: own(header.name), value: header.value.map(own)) })
  }
}

extension Output {
  /// Bytes of key, value and headers.
  package var payloadBytes: Int {
    var total = (key?.count ?? 0) + (value?.count ?? 0)
    for header in headers { total += header.name.count + (header.value?.count ?? 0) }
    return total
  }
}

extension Bytes {
  /// A 64-bit hash: eight bytes a step. Keys come from outside, so `seed` should be one that outsiders do not know.
  package func hash(seed: UInt64) -> UInt64 {
    var hash = seed ^ (UInt64(truncatingIfNeeded: count) &* 0x9E37_79B9_7F4A_7C15)
    var index = start
    let end = start + count
    while index + 8 <= end {
      var word: UInt64 = 0
      for step in 0..<8 { word |= UInt64(storage[index + step]) &<< UInt64(step &* 8) }
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
