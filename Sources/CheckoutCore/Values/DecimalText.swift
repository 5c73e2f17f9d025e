// Numbers as text, written straight into bytes: dates, positions and ids are made for every message.

extension [UInt8] {
  /// Appends `value` in decimal, as short as it can be.
  package mutating func append(decimal value: Int64) {
    append(addingCapacity: 20) { $0.append(decimal: value) }
  }

  /// Appends two lower-case hex digits for each byte.
  package mutating func append(hex bytes: ArraySlice<UInt8>) {
    append(addingCapacity: 2 * bytes.count) { output in
      for byte in bytes {
        output.append(hexDigit(byte >> 4))
        output.append(hexDigit(byte & 15))
      }
    }
  }
}

extension OutputSpan<UInt8> {
  /// Appends `value` in decimal, as short as it can be: at most 20 bytes.
  package mutating func append(decimal value: Int64) {
    if value < 0 { append(0x2D) }
    let magnitude = value.magnitude
    var digits = 1
    var limit: UInt64 = 10
    // Ends at 10¹⁹ at the latest, which fits and is more than any magnitude.
    while magnitude >= limit {
      digits += 1
      limit *= 10
    }
    append(decimal: magnitude, digits: digits)
  }

  /// Appends the last `digits` decimal digits of `value` (at most 20), with zeros in front.
  package mutating func append(decimal value: UInt64, digits: Int) {
    append(repeating: 0x30, count: digits)
    var rest = value
    var index = count
    for _ in 0..<digits {
      index -= 1
      self[index] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
  }
}

/// The lower-case digit of a value from 0 to 15.
package func hexDigit(_ value: UInt8) -> UInt8 {
  value < 10 ? 0x30 + value : 0x57 + value
}
