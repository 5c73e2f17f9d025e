// Writes whole values of a document anew.

extension JSONWriter {
  /// Writes a value of another document, members in their order, numbers by their value. Strings for which `replacing`
  /// gives bytes are written as those.
  package mutating func copy(
    _ document: JSONDocument, _ node: JSONNode, replacing: (ArraySlice<UInt8>) -> [UInt8]? = { _ in nil }
  ) {
    switch document.kind(node) {
    case .null: null()
    case .boolean: bool(document.bool(node) ?? false)
    case .integer: integer(document.integer(node) ?? 0)
    case .double: double(document.double(node) ?? 0)
    case .string:
      let text = document.utf8(node) ?? []
      let written = replacing(text)?[...] ?? text
      string(utf8: written.span)
    case .array:
      beginArray()
      for element in document.elements(node) { copy(document, element, replacing: replacing) }
      endArray()
    case .object:
      beginObject()
      for (name, value) in document.members(node) {
        let text = document.utf8(name) ?? []
        let written = replacing(text)?[...] ?? text
        key(utf8: written.span)
        copy(document, value, replacing: replacing)
      }
      endObject()
    }
  }
}
