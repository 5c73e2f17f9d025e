// RFC 4648 base64, as CloudEvents carry binary data and the samples carry poison.

/// Base64 (RFC 4648, section 4).
package enum Base64 {
  /// Reads the bytes behind a text, with or without padding; nil if it is not base64.
  package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    result.reserveCapacity(text.count / 4 * 3 + 3)
    var bits: UInt32 = 0
    var count = 0
    let padding = text.suffix(2).reversed().prefix { $0 == 0x3D }.count
    for byte in text.dropLast(padding) {
      let value: UInt8
      switch byte {
      case 0x41...0x5A: value = byte - 0x41
      case 0x61...0x7A: value = byte - 0x61 + 26
      case 0x30...0x39: value = byte - 0x30 + 52
      case 0x2B: value = 62
      case 0x2F: value = 63
      default: return nil
      }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        result.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    return count == 6 ? nil : result
  }
}
