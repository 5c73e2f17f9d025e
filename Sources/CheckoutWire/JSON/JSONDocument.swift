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
  private let storage: JSONStorage

  init(_ storage: JSONStorage) {
    self.storage = storage
  }

  /// Number of values and member names in the text.
  package var tokenCount: Int { storage.tokenCount }

  /// The whole value.
  package var root: JSONNode { JSONNode(0) }

  private func token(_ node: JSONNode) -> csimdjson_token { storage.token(node.index) }

  private func stringToken(_ node: JSONNode) -> csimdjson_token? {
    let token = token(node)
    return Int(token.kind) == CSIMDJSON_STRING ? token : nil
  }

  /// What `node` is.
  package func kind(_ node: JSONNode) -> JSONKind {
    switch Int(token(node).kind) {
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
  package func isNull(_ node: JSONNode) -> Bool { Int(token(node).kind) == CSIMDJSON_NULL }

  /// The integer; nil for anything else, `1.0` and `1e3` included.
  package func integer(_ node: JSONNode) -> Int64? {
    let token = token(node)
    return Int(token.kind) == CSIMDJSON_INTEGER ? Int64(bitPattern: token.payload) : nil
  }

  /// The number written with a fraction or an exponent; nil for anything else, integers included.
  package func double(_ node: JSONNode) -> Double? {
    let token = token(node)
    return Int(token.kind) == CSIMDJSON_DOUBLE ? Double(bitPattern: token.payload) : nil
  }

  /// The boolean; nil for anything else.
  package func bool(_ node: JSONNode) -> Bool? {
    switch Int(token(node).kind) {
    case CSIMDJSON_TRUE: true
    case CSIMDJSON_FALSE: false
    default: nil
    }
  }

  /// The string; nil for anything else.
  package func string(_ node: JSONNode) -> String? {
    stringToken(node).map { storage.string(of: $0) }
  }

  /// The string if `condition` holds for its UTF-8; nil otherwise, and for anything else.
  func string(_ node: JSONNode, where condition: (Span<UInt8>) -> Bool) -> String? {
    guard let token = stringToken(node), storage.withText(of: token, condition) else { return nil }
    return storage.string(of: token)
  }

  /// What `body` makes of the string's unescaped UTF-8, which it sees without a copy; nil for anything but a string.
  package func withUTF8<Result>(_ node: JSONNode, _ body: (Span<UInt8>) -> Result) -> Result? {
    guard let token = stringToken(node) else { return nil }
    return storage.withText(of: token, body)
  }

  /// A copy of the string's unescaped UTF-8; nil for anything else. Off the hot path: see `withUTF8`.
  package func utf8(_ node: JSONNode) -> ArraySlice<UInt8>? {
    string(node).map { ArraySlice($0.utf8) }
  }

  /// Number of elements or members; 0 for anything else.
  package func count(_ node: JSONNode) -> Int {
    let token = token(node)
    let kind = Int(token.kind)
    return kind == CSIMDJSON_ARRAY || kind == CSIMDJSON_OBJECT ? Int(token.payload) : 0
  }

  /// The member of that name; nil if `object` has none or is no object.
  package func member(_ object: JSONNode, _ name: StaticString) -> JSONNode? {
    var lookup = lookup(object)
    return lookup.find(name)
  }

  /// The same for a name that is known only at run time.
  package func member(_ object: JSONNode, named name: String) -> JSONNode? {
    members(object).first { storage.spells(token($0.key), name) }?.value
  }

  /// True if any string in `node`, names of members included, of at least `countMin` bytes satisfies `condition`.
  package func anyString(in node: JSONNode, countMin: Int = 0, where condition: (Span<UInt8>) -> Bool) -> Bool {
    for index in node.index..<Int(token(node).next) {
      let token = storage.token(index)
      guard Int(token.kind) == CSIMDJSON_STRING, Int(token.payload & 0xFFFF_FFFF) >= countMin else { continue }
      if storage.withText(of: token, condition) { return true }
    }
    return false
  }

  /// The bytes of all strings in `node`, names of members included.
  package func stringBytes(in node: JSONNode) -> Int {
    var sum = 0
    for index in node.index..<Int(token(node).next) {
      let token = storage.token(index)
      if Int(token.kind) == CSIMDJSON_STRING { sum += Int(token.payload & 0xFFFF_FFFF) }
    }
    return sum
  }

  /// True if the string at `node` is exactly `text`.
  package func isString(_ node: JSONNode, _ text: StaticString) -> Bool {
    guard let token = stringToken(node) else { return false }
    return storage.spells(token, text)
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
      defer { at = Int(document.storage.token(at).next) }
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
      defer { at = Int(document.storage.token(at + 1).next) }
      return (JSONNode(at), JSONNode(at + 1))
    }
  }

  /// The elements of `array`; none for anything else.
  package func elements(_ array: JSONNode) -> Elements {
    let token = token(array)
    return Elements(self, from: array.index + 1, to: Int(token.kind) == CSIMDJSON_ARRAY ? Int(token.next) : 0)
  }

  /// The members of `object`; none for anything else.
  package func members(_ object: JSONNode) -> Members {
    let token = token(object)
    return Members(self, from: object.index + 1, to: Int(token.kind) == CSIMDJSON_OBJECT ? Int(token.next) : 0)
  }

  /// Looks up members quickly when they are asked for in about the order they are written in.
  package struct Lookup {
    private let document: JSONDocument
    private let first: Int
    private let end: Int
    private var at: Int

    fileprivate init(_ document: JSONDocument, _ object: JSONNode) {
      self.document = document
      let token = document.token(object)
      first = object.index + 1
      end = Int(token.kind) == CSIMDJSON_OBJECT ? Int(token.next) : first
      at = first
    }

    /// The member of that name; nil if there is none. Goes on where the last find ended, then starts over.
    package mutating func find(_ name: StaticString) -> JSONNode? {
      let start = at
      if let found = scan(name, from: start, to: end) { return found }
      return scan(name, from: first, to: start)
    }

    private mutating func scan(_ name: StaticString, from: Int, to: Int) -> JSONNode? {
      var index = from
      while index < to {
        let next = Int(document.storage.token(index + 1).next)
        if document.storage.spells(document.storage.token(index), name) {
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
