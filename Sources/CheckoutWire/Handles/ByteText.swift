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

extension OutputSpan<UInt8> {
  /// Appends a literal of ASCII. Precondition: there is room.
  mutating func append(literal text: StaticString) {
    // SAFETY: a literal lives for ever.
    let bytes = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    append(copying: unsafe bytes.span)
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
    append(addingCapacity: text.utf8CodeUnitCount) { $0.append(literal: text) }
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
  func hasEscape() -> Bool { anyByte(in: anyNeedsEscape, needsEscape) }

  /// True if there is a control character (DEL too), or, if asked for, a byte that is not ASCII.
  func hasControl(andNotASCII: Bool) -> Bool {
    andNotASCII
      ? anyByte(in: { anyControl(in: $0) || $0 & topBits != 0 }, { $0 < 0x20 || $0 >= 0x7F })
      : anyByte(in: anyControl, { $0 < 0x20 || $0 == 0x7F })
  }

  /// True if there is a byte that is not ASCII.
  func hasNotASCII() -> Bool { anyByte(in: { $0 & topBits != 0 }, { $0 >= 0x80 }) }

  // Eight bytes at a time; the last eight may have been looked at already.
  @inline(__always)
  private func anyByte(in word: (UInt64) -> Bool, _ byte: (UInt8) -> Bool) -> Bool {
    guard count >= 8 else {
      for index in indices where byte(self[index]) { return true }
      return false
    }
    var index = 0
    while index + 8 < count {
      // SAFETY: more than eight bytes are left.
      if word(unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)) { return true }
      index += 8
    }
    // SAFETY: there are at least eight bytes.
    return word(unsafe bytes.unsafeLoadUnaligned(fromByteOffset: count - 8, as: UInt64.self))
  }
}

private func needsEscape(_ byte: UInt8) -> Bool {
  byte < 0x20 || byte == 0x22 || byte == 0x5C
}

private let ones: UInt64 = 0x0101_0101_0101_0101
private let topBits: UInt64 = 0x8080_8080_8080_8080

// A byte is zero exactly if subtracting one borrows into its top bit; with others around, a carry can only come from a
// lower byte that is itself a hit. (Bit tricks of Alan Mycroft, 1987.)
private func anyNeedsEscape(in word: UInt64) -> Bool {
  let quote = word ^ (ones &* 0x22)
  let backslash = word ^ (ones &* 0x5C)
  let control = (word &- ones &* 0x20) & ~word
  let hits = control | ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)
  return hits & topBits != 0
}

private func anyControl(in word: UInt64) -> Bool {
  let delete = word ^ (ones &* 0x7F)
  let hits = ((word &- ones &* 0x20) & ~word) | ((delete &- ones) & ~delete)
  return hits & topBits != 0
}
