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
    // Most numbers are small.
    if value.magnitude < 10 { return append(0x30 + UInt8(truncatingIfNeeded: value.magnitude)) }
    append(decimal: value.magnitude, digits: digitCount(value.magnitude))
  }

  /// Appends the last `digits` decimal digits of `value` (at most 20), with zeros in front.
  package mutating func append(decimal value: UInt64, digits: Int) {
    append(repeating: 0x30, count: digits)
    var rest = value
    var index = count
    // Two at a time: a division costs more than the rest.
    while index >= count - digits + 2 {
      let pair = UInt8(truncatingIfNeeded: rest % 100)
      rest /= 100
      self[index - 1] = 0x30 + pair % 10
      self[index - 2] = 0x30 + pair / 10
      index -= 2
    }
    if index > count - digits { self[index - 1] = 0x30 + UInt8(truncatingIfNeeded: rest % 10) }
  }
}

/// Bytes of `value` in decimal.
func decimalCount(_ value: Int64) -> Int { digitCount(value.magnitude) + (value < 0 ? 1 : 0) }

// For the magnitudes of `Int64`.
private func digitCount(_ magnitude: UInt64) -> Int {
  var digits = 1
  var limit: UInt64 = 10
  // Ends at 10¹⁹ at the latest, which fits and is more than any of them.
  while magnitude >= limit {
    digits += 1
    limit &*= 10
  }
  return digits
}

/// The lower-case digit of a value from 0 to 15.
package func hexDigit(_ value: UInt8) -> UInt8 {
  value < 10 ? 0x30 + value : 0x57 + value
}
