// Writes JSON straight into a byte array: fixed shapes, no tree, no allocation per field.

/// A writer of one JSON text. The caller keeps to the grammar (a key before each member's value); commas, quotes and
/// escapes are the writer's.
package struct JSONWriter {
  /// What has been written.
  package private(set) var bytes: [UInt8] = []
  private var needsComma = false

  /// An empty text with room for `capacity` bytes.
  package init(capacity: Int = 512) {
    bytes.reserveCapacity(capacity)
  }

  private mutating func separate() {
    if needsComma { bytes.append(0x2C) }
  }

  private mutating func open(_ byte: UInt8) {
    separate()
    bytes.append(byte)
    needsComma = false
  }

  private mutating func close(_ byte: UInt8) {
    bytes.append(byte)
    needsComma = true
  }

  /// `{`
  package mutating func beginObject() { open(0x7B) }
  /// `}`
  package mutating func endObject() { close(0x7D) }
  /// `[`
  package mutating func beginArray() { open(0x5B) }
  /// `]`
  package mutating func endArray() { close(0x5D) }

  /// A member's name; its value must follow.
  package mutating func key(_ name: String) {
    separate()
    appendQuoted(name.utf8)
    bytes.append(0x3A)
    needsComma = false
  }

  /// A member's name as UTF-8; its value must follow.
  package mutating func key(utf8 name: ArraySlice<UInt8>) {
    separate()
    appendQuoted(name)
    bytes.append(0x3A)
    needsComma = false
  }

  /// A string value.
  package mutating func string(_ value: String) {
    separate()
    appendQuoted(value.utf8)
    needsComma = true
  }

  /// A string value given as UTF-8.
  package mutating func string(utf8 value: ArraySlice<UInt8>) {
    separate()
    appendQuoted(value)
    needsComma = true
  }

  /// An integer value, exactly.
  package mutating func integer(_ value: Int64) {
    separate()
    appendInteger(value)
    needsComma = true
  }

  /// A finite number by the rules of ECMAScript (RFC 8785 §3.2.2.3).
  package mutating func double(_ value: Double) {
    separate()
    bytes.append(contentsOf: ecmaScriptText(value).utf8)
    needsComma = true
  }

  /// `true` or `false`.
  package mutating func bool(_ value: Bool) {
    separate()
    bytes.append(contentsOf: value ? "true".utf8 : "false".utf8)
    needsComma = true
  }

  /// `null`
  package mutating func null() {
    separate()
    bytes.append(contentsOf: "null".utf8)
    needsComma = true
  }

  /// A value that is JSON already.
  package mutating func raw(_ json: some Collection<UInt8>) {
    separate()
    bytes.append(contentsOf: json)
    needsComma = true
  }

  private mutating func appendInteger(_ value: Int64) {
    if value < 0 { bytes.append(0x2D) }
    var rest = value.magnitude
    let start = bytes.count
    repeat {
      bytes.append(0x30 + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }

  // Almost no string needs an escape: append all, then look; only what needs it is written again.
  private mutating func appendQuoted(_ text: some Collection<UInt8>) {
    bytes.append(0x22)
    let start = bytes.count
    bytes.append(contentsOf: text)
    for index in start..<bytes.count where needsEscape(bytes[index]) {
      escapeTail(from: index)
      break
    }
    bytes.append(0x22)
  }

  private func needsEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == 0x22 || byte == 0x5C
  }

  private mutating func escapeTail(from index: Int) {
    let tail = Array(bytes[index...])
    bytes.removeLast(tail.count)
    for byte in tail {
      switch byte {
      case 0x22, 0x5C: bytes.append(contentsOf: [0x5C, byte])
      case 0x08: bytes.append(contentsOf: [0x5C, 0x62])
      case 0x09: bytes.append(contentsOf: [0x5C, 0x74])
      case 0x0A: bytes.append(contentsOf: [0x5C, 0x6E])
      case 0x0C: bytes.append(contentsOf: [0x5C, 0x66])
      case 0x0D: bytes.append(contentsOf: [0x5C, 0x72])
      case 0..<0x20:
        bytes.append(contentsOf: [0x5C, 0x75, 0x30, 0x30, hexDigit(byte >> 4), hexDigit(byte & 15)])
      default: bytes.append(byte)
      }
    }
  }
}

extension JSONWriter {
  /// A member with a string value.
  package mutating func field(_ name: String, _ value: String) {
    key(name)
    string(value)
  }

  /// A member with an integer value.
  package mutating func field(_ name: String, _ value: Int64) {
    key(name)
    integer(value)
  }

  /// A member with a boolean value.
  package mutating func field(_ name: String, _ value: Bool) {
    key(name)
    bool(value)
  }

  /// A member with a string value; nothing at all for nil.
  package mutating func field(_ name: String, ifPresent value: String?) {
    if let value { field(name, value) }
  }

  /// A member with an integer value; nothing at all for nil.
  package mutating func field(_ name: String, ifPresent value: Int64?) {
    if let value { field(name, value) }
  }
}
