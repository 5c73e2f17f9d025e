// A parsed JSON text as a flat array of tokens: no tree, no allocation per value.
import CSimdjson

/// What a JSON value is. Numbers written with a fraction or an exponent are doubles, even when whole.
package enum JSONKind: Hashable, Sendable {
  case null
  case boolean
  case integer
  case double
  case string
  case array
  case object
}

/// A value's place in its document; meaningless in any other.
package struct JSONNode: Hashable, Sendable {
  fileprivate let index: Int

  fileprivate init(_ index: Int) {
    self.index = index
  }
}

/// A parsed text. Owns its memory; copies share it.
package struct JSONDocument: Sendable {
  private let tokens: [csimdjson_token]
  private let strings: [UInt8]

  init(tokens: [csimdjson_token], strings: [UInt8]) {
    self.tokens = tokens
    self.strings = strings
  }

  /// Number of values and member names in the text.
  package var tokenCount: Int { tokens.count }

  /// The whole value.
  package var root: JSONNode { JSONNode(0) }

  /// What `node` is.
  package func kind(_ node: JSONNode) -> JSONKind {
    switch Int(tokens[node.index].kind) {
    case CSIMDJSON_NULL: .null
    case CSIMDJSON_FALSE, CSIMDJSON_TRUE: .boolean
    case CSIMDJSON_INTEGER: .integer
    case CSIMDJSON_DOUBLE: .double
    case CSIMDJSON_STRING: .string
    case CSIMDJSON_ARRAY: .array
    default: .object
    }
  }

  /// True for `null`.
  package func isNull(_ node: JSONNode) -> Bool { Int(tokens[node.index].kind) == CSIMDJSON_NULL }

  /// The integer; nil for anything else, `1.0` and `1e3` included.
  package func integer(_ node: JSONNode) -> Int64? {
    let token = tokens[node.index]
    return Int(token.kind) == CSIMDJSON_INTEGER ? Int64(bitPattern: token.payload) : nil
  }

  /// The number written with a fraction or an exponent; nil for anything else, integers included.
  package func double(_ node: JSONNode) -> Double? {
    let token = tokens[node.index]
    return Int(token.kind) == CSIMDJSON_DOUBLE ? Double(bitPattern: token.payload) : nil
  }

  /// The boolean; nil for anything else.
  package func bool(_ node: JSONNode) -> Bool? {
    switch Int(tokens[node.index].kind) {
    case CSIMDJSON_TRUE: true
    case CSIMDJSON_FALSE: false
    default: nil
    }
  }

  /// The string; nil for anything else.
  package func string(_ node: JSONNode) -> String? {
    utf8(node).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The string's unescaped UTF-8, without a copy; nil for anything else.
  package func utf8(_ node: JSONNode) -> ArraySlice<UInt8>? {
    let token = tokens[node.index]
    guard Int(token.kind) == CSIMDJSON_STRING else { return nil }
    let start = Int(token.payload >> 32)
    return strings[start..<start + Int(token.payload & 0xFFFF_FFFF)]
  }

  /// Number of elements or members; 0 for anything else.
  package func count(_ node: JSONNode) -> Int {
    let token = tokens[node.index]
    let kind = Int(token.kind)
    return kind == CSIMDJSON_ARRAY || kind == CSIMDJSON_OBJECT ? Int(token.payload) : 0
  }

  /// The member of that name; nil if `object` has none or is no object.
  package func member(_ object: JSONNode, _ name: String) -> JSONNode? {
    guard Int(tokens[object.index].kind) == CSIMDJSON_OBJECT else { return nil }
    let end = Int(tokens[object.index].next)
    var at = object.index + 1
    while at < end {
      if spells(at, name) { return JSONNode(at + 1) }
      at = Int(tokens[at + 1].next)
    }
    return nil
  }

  private func spells(_ index: Int, _ name: String) -> Bool {
    let token = tokens[index]
    let count = Int(token.payload & 0xFFFF_FFFF)
    return count == name.utf8.count && equals(strings, from: Int(token.payload >> 32), name)
  }

  /// True if any string in `node`, names of members included, of at least `countMin` bytes satisfies `condition`.
  package func anyString(
    in node: JSONNode, countMin: Int = 0, where condition: (ArraySlice<UInt8>) -> Bool
  ) -> Bool {
    for index in node.index..<Int(tokens[node.index].next) where Int(tokens[index].kind) == CSIMDJSON_STRING {
      let payload = tokens[index].payload
      let count = Int(payload & 0xFFFF_FFFF)
      if count < countMin { continue }
      let start = Int(payload >> 32)
      if condition(strings[start..<start + count]) { return true }
    }
    return false
  }

  /// The first eight bytes of a string as a number that sorts as they do, padded with zeros; nil if one of them is not
  /// ASCII, or if `node` is no string.
  func asciiPrefix(_ node: JSONNode) -> UInt64? {
    let token = tokens[node.index]
    guard Int(token.kind) == CSIMDJSON_STRING else { return nil }
    let start = Int(token.payload >> 32)
    let count = min(8, Int(token.payload & 0xFFFF_FFFF))
    var prefix: UInt64 = 0
    for index in start..<start + count { prefix = prefix << 8 | UInt64(strings[index]) }
    prefix <<= UInt64(8 * (8 - count))
    return prefix & 0x8080_8080_8080_8080 == 0 ? prefix : nil
  }

  /// The bytes of all strings in `node`, names of members included.
  package func stringBytes(in node: JSONNode) -> Int {
    var sum = 0
    for token in tokens[node.index..<Int(tokens[node.index].next)] where Int(token.kind) == CSIMDJSON_STRING {
      sum += Int(token.payload & 0xFFFF_FFFF)
    }
    return sum
  }

  /// True if the string at `node` is exactly `text`.
  package func isString(_ node: JSONNode, _ text: String) -> Bool {
    Int(tokens[node.index].kind) == CSIMDJSON_STRING && spells(node.index, text)
  }
}

extension JSONDocument {
  /// The elements of an array, in order.
  package struct Elements: Sequence, IteratorProtocol {
    private let document: JSONDocument
    private var at: Int
    private let end: Int

    fileprivate init(_ document: JSONDocument, from at: Int, to end: Int) {
      self.document = document
      self.at = at
      self.end = end
    }

    /// The next one in the order written; nil at the end.
    package mutating func next() -> JSONNode? {
      guard at < end else { return nil }
      defer { at = Int(document.tokens[at].next) }
      return JSONNode(at)
    }
  }

  /// The members of an object, in the order written.
  package struct Members: Sequence, IteratorProtocol {
    private let document: JSONDocument
    private var at: Int
    private let end: Int

    fileprivate init(_ document: JSONDocument, from at: Int, to end: Int) {
      self.document = document
      self.at = at
      self.end = end
    }

    /// The next one in the order written; nil at the end.
    package mutating func next() -> (key: JSONNode, value: JSONNode)? {
      guard at < end else { return nil }
      defer { at = Int(document.tokens[at + 1].next) }
      return (JSONNode(at), JSONNode(at + 1))
    }
  }

  /// The elements of `array`; none for anything else.
  package func elements(_ array: JSONNode) -> Elements {
    let isArray = Int(tokens[array.index].kind) == CSIMDJSON_ARRAY
    return Elements(self, from: array.index + 1, to: isArray ? Int(tokens[array.index].next) : 0)
  }

  /// The members of `object`; none for anything else.
  package func members(_ object: JSONNode) -> Members {
    let isObject = Int(tokens[object.index].kind) == CSIMDJSON_OBJECT
    return Members(self, from: object.index + 1, to: isObject ? Int(tokens[object.index].next) : 0)
  }

  /// Looks up members quickly when they are asked for in about the order they are written in.
  package struct Lookup {
    private let document: JSONDocument
    private let first: Int
    private let end: Int
    private var at: Int

    fileprivate init(_ document: JSONDocument, _ object: JSONNode) {
      self.document = document
      let isObject = Int(document.tokens[object.index].kind) == CSIMDJSON_OBJECT
      first = object.index + 1
      end = isObject ? Int(document.tokens[object.index].next) : first
      at = first
    }

    /// The member of that name; nil if there is none. Goes on where the last find ended, then starts over.
    package mutating func find(_ name: String) -> JSONNode? {
      let start = at
      if let found = scan(name, from: start, to: end) { return found }
      return scan(name, from: first, to: start)
    }

    private mutating func scan(_ name: String, from: Int, to: Int) -> JSONNode? {
      var index = from
      while index < to {
        let next = Int(document.tokens[index + 1].next)
        if document.spells(index, name) {
          at = next
          return JSONNode(index + 1)
        }
        index = next
      }
      return nil
    }
  }

  /// A look-up over the members of `object`; finds nothing in anything else.
  package func lookup(_ object: JSONNode) -> Lookup { Lookup(self, object) }
}
