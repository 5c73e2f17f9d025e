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
  let index: Int

  init(_ index: Int) {
    self.index = index
  }
}

/// A parsed text. Owns its memory; copies share it.
package struct JSONDocument: Sendable {
  private let storage: JSONStorage

  init(_ storage: JSONStorage) {
    self.storage = storage
  }

  /// True if no string of the text needs an escape when it is written.
  package var isPlain: Bool { !storage.hasEscapes }

  /// Bytes of all strings, and a few more for each.
  var stringBytes: Int { storage.stringCount }

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

  /// The member of that name; nil if `object` has none or is no object. For several of one object: `fields`.
  package func member(_ object: JSONNode, _ name: StaticString) -> JSONNode? {
    members(object).first { storage.spells(token($0.key), name) }?.value
  }

  /// The same for a name that is known only at run time.
  package func member(_ object: JSONNode, named name: String) -> JSONNode? {
    members(object).first { storage.spells(token($0.key), name) }?.value
  }

  /// True if `condition` holds for any string in `node`, names of members included, that begins with at least `countMin`
  /// digits, spaces or dashes; the others are not looked at.
  package func anyNumericString(in node: JSONNode, countMin: Int, where condition: (Span<UInt8>) -> Bool) -> Bool {
    let end = Int(token(node).next)
    var from = node.index
    while let index = storage.firstNumericText(in: from..<end, countMin: countMin) {
      if storage.withText(of: storage.token(index), condition) { return true }
      from = index + 1
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

  /// Calls `body` for each member of `object`, in the order written, with the number of its name (0: it has none) and the
  /// index of its value; not at all for anything else.
  @inline(__always)
  func forEachMember(of object: JSONNode, _ body: (_ number: Int, _ value: Int) -> Void) {
    let token = token(object)
    guard Int(token.kind) == CSIMDJSON_OBJECT else { return }
    let end = Int(token.next)
    var at = object.index + 1
    while at < end {
      body(Int(storage.token(at).name), at + 1)
      at = Int(storage.token(at + 1).next)
    }
  }

  /// True if the name of a member, given as the node of its key, is among `names`.
  func isKey(_ key: JSONNode, among names: MemberNames) -> Bool {
    names.bits >> UInt64(token(key).name & 63) & 1 != 0
  }
}
