// RFC 8785 (JCS): one text for all ways to write the same value.

/// Writes the canonical form of values of one document.
///
/// Two deviations, both deliberate: integers within 64 bits are written exactly (JCS would round them to doubles), and
/// integers beyond that never get here (they are refused).
package struct CanonicalJSON {
  private let document: JSONDocument
  private var writer: JSONWriter
  private var order: [Member] = []

  private struct Member {
    let key: JSONNode
    let value: JSONNode
    // Decides most comparisons by itself; nil if the name does not start with ASCII.
    let prefix: UInt64?
  }

  private init(_ document: JSONDocument, capacity: Int) {
    self.document = document
    writer = JSONWriter(capacity: capacity)
  }

  /// The canonical bytes of `node`, without those of its own members whose name is in `omitting`.
  package static func bytes(
    _ document: JSONDocument, _ node: JSONNode, omitting names: [String] = [], capacity: Int = 1024
  ) -> [UInt8] {
    var canonical = CanonicalJSON(document, capacity: capacity)
    canonical.write(node, omitting: names)
    return canonical.writer.bytes
  }

  private mutating func write(_ node: JSONNode, omitting names: [String]) {
    switch document.kind(node) {
    case .null: writer.null()
    case .boolean: writer.bool(document.bool(node) ?? false)
    case .integer: writer.integer(document.integer(node) ?? 0)
    case .double: writer.double(document.double(node) ?? 0)
    case .string: writer.string(utf8: document.utf8(node) ?? [])
    case .array:
      writer.beginArray()
      for element in document.elements(node) { write(element, omitting: []) }
      writer.endArray()
    case .object: writeObject(node, omitting: names)
    }
  }

  // All open objects share one array of members; each sorts and uses its own stretch at the end.
  private mutating func writeObject(_ object: JSONNode, omitting names: [String]) {
    let start = order.count
    for member in document.members(object)
    where !names.contains(where: { document.isString(member.key, $0) }) {
      order.append(Member(key: member.key, value: member.value, prefix: document.asciiPrefix(member.key)))
    }
    let end = order.count
    sortMembers(start..<end)
    writer.beginObject()
    for index in start..<end {
      let member = order[index]
      writer.key(utf8: document.utf8(member.key) ?? [])
      write(member.value, omitting: [])
    }
    writer.endObject()
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
    return utf16Precedes(document.utf8(left.key) ?? [], document.utf8(right.key) ?? [])
  }
}

/// True if `left` sorts before `right` by UTF-16 code units, both given as valid UTF-8.
///
/// UTF-8 sorts by code points; the two orders differ only where one side has a code point above U+FFFF (lead byte F0 to
/// F4, in UTF-16 a surrogate) and the other one of U+E000 to U+FFFF (lead byte EE or EF).
func utf16Precedes(_ left: ArraySlice<UInt8>, _ right: ArraySlice<UInt8>) -> Bool {
  var leftIndex = left.startIndex
  var rightIndex = right.startIndex
  while leftIndex < left.endIndex && rightIndex < right.endIndex {
    let (first, second) = (left[leftIndex], right[rightIndex])
    if first != second {
      let swapped = first >= 0xEE && second >= 0xEE && (first >= 0xF0) != (second >= 0xF0)
      return swapped ? first > second : first < second
    }
    leftIndex += 1
    rightIndex += 1
  }
  return leftIndex == left.endIndex && rightIndex < right.endIndex
}
