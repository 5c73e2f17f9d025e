// A value together with its document: the comfortable way to read JSON off the hot path.

/// A JSON value that can be asked for its parts.
package struct JSONValue: Sendable {
  /// The text the value stands in.
  package let document: JSONDocument
  /// Its place there.
  package let node: JSONNode

  /// The value at `node` of `document`.
  package init(_ document: JSONDocument, _ node: JSONNode) {
    self.document = document
    self.node = node
  }

  /// Parses a whole text; see `JSONDocument.init(parsing:depthMax:)`.
  package init(parsing text: ArraySlice<UInt8>, depthMax: Int = 64) throws(JSONError) {
    document = try JSONDocument(parsing: text, depthMax: depthMax)
    node = document.root
  }

  /// What it is.
  package var kind: JSONKind { document.kind(node) }
  /// The string; nil for anything else.
  package var string: String? { document.string(node) }
  /// The integer; nil for anything else, `1.0` included.
  package var integer: Int64? { document.integer(node) }
  /// The number written with a fraction or an exponent; nil for anything else.
  package var double: Double? { document.double(node) }
  /// The boolean; nil for anything else.
  package var bool: Bool? { document.bool(node) }
  /// True for `null`.
  package var isNull: Bool { document.isNull(node) }
  /// The elements of an array; empty for anything else.
  package var elements: [JSONValue] { document.elements(node).map { JSONValue(document, $0) } }
  /// The members of an object in the order written; empty for anything else.
  package var members: [(name: String, value: JSONValue)] {
    document.members(node).map { (document.string($0.key) ?? "", JSONValue(document, $0.value)) }
  }

  /// The member of that name; nil if there is none, or if it is `null`.
  package subscript(name: String) -> JSONValue? {
    guard let member = document.member(node, named: name), !document.isNull(member) else { return nil }
    return JSONValue(document, member)
  }
}
