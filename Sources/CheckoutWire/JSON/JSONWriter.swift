// Writes JSON straight into a byte array: fixed shapes, no tree, no allocation per field.
package import CheckoutCore

/// A writer of one JSON text. The caller keeps to the grammar (a key before each member's value); commas, quotes and
/// escapes are the writer's.
package struct JSONWriter {
  /// What has been written.
  package private(set) var bytes: [UInt8] = []
  private var needsComma = false

  /// Takes the bytes out, when nothing more is to be written; spares their copy.
  package mutating func finished() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &bytes)
    return taken
  }

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

  /// A member's name; its value must follow. A name in our own code: it needs no escape.
  package mutating func key(_ name: StaticString) {
    let comma = needsComma
    needsComma = false
    bytes.append(addingCapacity: name.utf8CodeUnitCount + 4) { Self.name(name, comma, to: &$0) }
  }

  // Takes up to four bytes more than the name.
  @inline(__always)
  private static func name(_ name: StaticString, _ comma: Bool, to output: inout OutputSpan<UInt8>) {
    if comma { output.append(0x2C) }
    output.append(0x22)
    output.append(literal: name)
    output.append(0x22)
    output.append(0x3A)
  }

  /// A member's name that comes from elsewhere; its value must follow.
  package mutating func key(named name: String) { key(utf8: name.utf8.span) }

  /// A member's name as UTF-8; its value must follow.
  package mutating func key(utf8 name: Span<UInt8>) { quoted(name, isName: true) }

  /// A string value.
  package mutating func string(_ value: String) { string(utf8: value.utf8.span) }

  /// A string value given as UTF-8.
  package mutating func string(utf8 value: Span<UInt8>) { quoted(value, isName: false) }

  /// An integer value, exactly.
  package mutating func integer(_ value: Int64) {
    separate()
    bytes.append(decimal: value)
    needsComma = true
  }

  /// A finite number by the rules of ECMAScript (RFC 8785 §3.2.2.3).
  package mutating func double(_ value: Double) {
    separate()
    bytes.append(contentsOf: ecmaScriptText(value).utf8)
    needsComma = true
  }

  /// A time as RFC 3339 text.
  package mutating func time(_ value: Timestamp) {
    separate()
    bytes.append(0x22)
    RFC3339.append(value, to: &bytes)
    bytes.append(0x22)
    needsComma = true
  }

  /// `true` or `false`.
  package mutating func bool(_ value: Bool) {
    separate()
    bytes.append(literal: value ? "true" : "false")
    needsComma = true
  }

  /// `null`
  package mutating func null() {
    separate()
    bytes.append(literal: "null")
    needsComma = true
  }

  /// A value that is JSON already.
  package mutating func raw(_ json: ArraySlice<UInt8>) {
    separate()
    bytes.append(addingCapacity: json.count) { $0.append(copying: json.span) }
    needsComma = true
  }

  private mutating func quoted(_ text: Span<UInt8>, isName: Bool) {
    let comma = needsComma
    needsComma = !isName
    // At most six bytes for each of those that need an escape; almost no string has any.
    let escapes = text.hasEscape()
    bytes.append(addingCapacity: (escapes ? 6 * text.count : text.count) + 4) { output in
      if comma { output.append(0x2C) }
      output.append(0x22)
      if escapes { output.append(escaping: text) } else { output.append(copying: text) }
      output.append(0x22)
      if isName { output.append(0x3A) }
    }
  }
}

extension JSONWriter {
  /// A member with a string value.
  package mutating func field(_ name: StaticString, _ value: String) {
    let text = value.utf8.span
    guard !text.hasEscape() else {
      key(name)
      return string(utf8: text)
    }
    let comma = needsComma
    needsComma = true
    bytes.append(addingCapacity: name.utf8CodeUnitCount + text.count + 6) { output in
      Self.name(name, comma, to: &output)
      output.append(0x22)
      output.append(copying: text)
      output.append(0x22)
    }
  }

  /// A member with an integer value.
  package mutating func field(_ name: StaticString, _ value: Int64) {
    key(name)
    integer(value)
  }

  /// A member with a time as RFC 3339 text.
  package mutating func field(_ name: StaticString, _ value: Timestamp) {
    key(name)
    time(value)
  }

  /// A member with a boolean value.
  package mutating func field(_ name: StaticString, _ value: Bool) {
    key(name)
    bool(value)
  }

  /// A member with a string value; nothing at all for nil.
  package mutating func field(_ name: StaticString, ifPresent value: String?) {
    if let value { field(name, value) }
  }

  /// A member with an integer value; nothing at all for nil.
  package mutating func field(_ name: StaticString, ifPresent value: Int64?) {
    if let value { field(name, value) }
  }
}

extension OutputSpan<UInt8> {
  /// Appends text as it stands inside a JSON string: up to six bytes for each of its own.
  mutating func append(escaping text: Span<UInt8>) {
    for index in text.indices {
      let byte = text[index]
      let short: UInt8? =
        switch byte {
        case 0x22, 0x5C: byte
        case 0x08: 0x62
        case 0x09: 0x74
        case 0x0A: 0x6E
        case 0x0C: 0x66
        case 0x0D: 0x72
        default: nil
        }
      if let short {
        append(0x5C)
        append(short)
      } else if byte < 0x20 {
        for part: UInt8 in [0x5C, 0x75, 0x30, 0x30, hexDigit(byte >> 4), hexDigit(byte & 15)] { append(part) }
      } else {
        append(byte)
      }
    }
  }
}
