// What text needs of bytes, many at a time: copies, and the search for characters to escape.
import CSimdjson

extension OutputSpan<UInt8> {
  /// Appends the bytes of a view. Precondition: there is room.
  mutating func append(copying text: Span<UInt8>) {
    precondition(freeCapacity >= text.count, "no room")
    // SAFETY: the room was checked; the pointers are used only during the calls, and the two never overlap, because
    // this span is being written and `text` read.
    unsafe withUnsafeMutableBufferPointer { output, count in
      unsafe text.withUnsafeBufferPointer { input in
        guard let target = output.baseAddress, let source = input.baseAddress else { return }
        unsafe (target + count).initialize(from: source, count: input.count)
        count += input.count
      }
    }
  }
}

extension [UInt8] {
  /// Appends the UTF-8 of a string.
  mutating func append(copying text: String) {
    let text = text.utf8.span
    append(addingCapacity: text.count) { $0.append(copying: text) }
  }

  /// Appends a literal.
  mutating func append(literal text: StaticString) {
    // SAFETY: a literal lives for ever.
    text.withUTF8Buffer { unsafe append(contentsOf: $0) }
  }
}

extension Span<UInt8> {
  /// True if the bytes are exactly those of `text`.
  func isExactly(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    // SAFETY: a literal lives for ever, and both have as many bytes.
    return unsafe withUnsafeBufferPointer { bytes in
      text.withUTF8Buffer { wanted in
        guard let left = bytes.baseAddress, let right = wanted.baseAddress else { return true }
        return unsafe csimdjson_same(left, right, wanted.count) != 0
      }
    }
  }

  /// The first eight bytes as a number that sorts as they do. Precondition: there are eight.
  func firstEightBytes() -> UInt64 {
    precondition(count >= 8, "too short")
    // SAFETY: checked above.
    return unsafe UInt64(bigEndian: bytes.unsafeLoadUnaligned(as: UInt64.self))
  }

  /// True if there is a byte that a JSON string cannot hold as it is: a control character, a quotation mark or a
  /// backslash.
  func hasEscape() -> Bool {
    var index = 0
    while index + 8 <= count {
      // SAFETY: eight bytes are left.
      if anyNeedsEscape(in: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)) { return true }
      index += 8
    }
    while index < count {
      if needsEscape(self[index]) { return true }
      index += 1
    }
    return false
  }
}

private func needsEscape(_ byte: UInt8) -> Bool {
  byte < 0x20 || byte == 0x22 || byte == 0x5C
}

// A byte is zero exactly if subtracting one borrows into its top bit; with others around, a carry can only come from a
// lower byte that is itself a hit. (Bit tricks of Alan Mycroft, 1987.)
private func anyNeedsEscape(in word: UInt64) -> Bool {
  let ones: UInt64 = 0x0101_0101_0101_0101
  let quote = word ^ (ones &* 0x22)
  let backslash = word ^ (ones &* 0x5C)
  let control = (word &- ones &* 0x20) & ~word
  let hits = control | ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)
  return hits & (ones &* 0x80) != 0
}
