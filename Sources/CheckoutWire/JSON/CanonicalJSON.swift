// RFC 8785 (JCS): one text for all ways to write the same value.
import CheckoutCore

/// Writes the canonical form of values of one document.
///
/// Two deviations, both deliberate: integers within 64 bits are written exactly (JCS would round them to doubles), and
/// integers beyond that never get here (they are refused).
package struct CanonicalJSON {
  private let document: JSONDocument
  private var order: [Member] = []

  private struct Member {
    let key: JSONNode
    let value: JSONNode
    // Decides most comparisons by itself; nil if the name does not start with ASCII.
    let prefix: UInt64?
  }

  /// The canonical bytes of `node`, without those of its own members whose name is in `omitting`.
  package static func bytes(
    _ document: JSONDocument, _ node: JSONNode, omitting names: MemberNames = MemberNames()
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(addingCapacity: bound(document)) { output in
      var canonical = CanonicalJSON(document: document)
      canonical.write(node, omitting: names, to: &output)
    }
    return bytes
  }

  // No text takes more: a number at most 25 bytes, punctuation at most 4 a token (quotes, colon, comma), a byte of a
  // string at most 6, and none more than itself if nothing was escaped.
  private static func bound(_ document: JSONDocument) -> Int {
    document.tokenCount * 29 + document.stringBytes * (document.isPlain ? 1 : 6)
  }

  private mutating func write(_ node: JSONNode, omitting names: MemberNames, to output: inout OutputSpan<UInt8>) {
    switch document.kind(node) {
    case .null: output.append(literal: "null")
    case .boolean: output.append(literal: document.bool(node) == true ? "true" : "false")
    case .integer: output.append(decimal: document.integer(node) ?? 0)
    case .double: output.append(copying: ecmaScriptText(document.double(node) ?? 0).utf8.span)
    case .string: writeString(node, to: &output)
    case .array:
      output.append(0x5B)
      var isFirst = true
      for element in document.elements(node) {
        if !isFirst { output.append(0x2C) }
        isFirst = false
        write(element, omitting: MemberNames(), to: &output)
      }
      output.append(0x5D)
    case .object:
      let fields = document.fields(node)
      output.append(0x7B)
      if fields.isWhole {
        writeNumbered(fields, omitting: names, to: &output)
      } else {
        writeSorted(node, omitting: names, to: &output)
      }
      output.append(0x7D)
    }
  }

  private func writeString(_ node: JSONNode, to output: inout OutputSpan<UInt8>) {
    _ = document.withUTF8(node) { text in
      output.append(0x22)
      if document.isPlain || !text.hasEscape() {
        output.append(copying: text)
      } else {
        output.append(escaping: text)
      }
      output.append(0x22)
    }
  }

  // Numbers of names sort as the names do.
  private mutating func writeNumbered(
    _ fields: JSONFields, omitting names: MemberNames, to output: inout OutputSpan<UInt8>
  ) {
    var rest = fields.present & ~names.bits
    let first = rest
    while rest != 0 {
      if rest != first { output.append(0x2C) }
      let number = rest.trailingZeroBitCount
      rest &= rest - 1
      guard let name = MemberName(rawValue: UInt8(number)), let value = fields[name] else { continue }
      output.append(0x22)
      output.append(literal: name.text)
      output.append(0x22)
      output.append(0x3A)
      write(value, omitting: MemberNames(), to: &output)
    }
  }

  // All open objects share one array of members; each sorts and uses its own stretch at the end.
  private mutating func writeSorted(
    _ object: JSONNode, omitting names: MemberNames, to output: inout OutputSpan<UInt8>
  ) {
    let start = order.count
    for member in document.members(object) where !document.isKey(member.key, among: names) {
      order.append(
        Member(key: member.key, value: member.value, prefix: document.withUTF8(member.key, asciiPrefix) ?? nil))
    }
    let end = order.count
    sortMembers(start..<end)
    for index in start..<end {
      let member = order[index]
      if index > start { output.append(0x2C) }
      writeString(member.key, to: &output)
      output.append(0x3A)
      write(member.value, omitting: MemberNames(), to: &output)
    }
    order.removeLast(end - start)
  }

  // Insertion for the usual few members, the library's sort for many, so that no text costs n².
  private mutating func sortMembers(_ range: Range<Int>) {
    if range.count > 32 {
      let document = document
      order[range].sort { Self.precedes(document, $0, $1) }
      return
    }
    for index in range.dropFirst() {
      var at = index
      while at > range.lowerBound && Self.precedes(document, order[at], order[at - 1]) {
        order.swapAt(at, at - 1)
        at -= 1
      }
    }
  }

  private static func precedes(_ document: JSONDocument, _ left: Member, _ right: Member) -> Bool {
    if let first = left.prefix, let second = right.prefix, first != second { return first < second }
    return document.withUTF8(left.key) { first in
      document.withUTF8(right.key) { second in utf16Precedes(first, second) } ?? false
    } ?? false
  }
}

/// The first eight bytes as a number that sorts as they do, padded with zeros; nil if one of them is not ASCII.
private func asciiPrefix(_ text: Span<UInt8>) -> UInt64? {
  var prefix: UInt64 = 0
  if text.count >= 8 {
    prefix = text.firstEightBytes()
  } else {
    for index in text.indices { prefix = prefix << 8 | UInt64(text[index]) }
    prefix <<= UInt64(8 * (8 - text.count))
  }
  return prefix & 0x8080_8080_8080_8080 == 0 ? prefix : nil
}

/// True if `left` sorts before `right` by UTF-16 code units, both given as valid UTF-8.
///
/// UTF-8 sorts by code points; the two orders differ only where one side has a code point above U+FFFF (lead byte F0 to
/// F4, in UTF-16 a surrogate) and the other one of U+E000 to U+FFFF (lead byte EE or EF).
private func utf16Precedes(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
  for index in 0..<min(left.count, right.count) {
    let (first, second) = (left[index], right[index])
    if first != second {
      let swapped = first >= 0xEE && second >= 0xEE && (first >= 0xF0) != (second >= 0xF0)
      return swapped ? first > second : first < second
    }
  }
  return left.count < right.count
}
