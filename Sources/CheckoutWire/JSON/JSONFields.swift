// The members of one object by name, read in one pass: asking for a member that is not there costs nothing.

/// Those members of one object that have a `MemberName`.
package struct JSONFields {
  // Indices of the values, by number; 0, which is no member's value, for those that are absent.
  private var places = InlineArray<48, Int32>(repeating: 0)
  /// One bit for each that is there, at its number.
  private(set) var present: UInt64 = 0
  /// True if the object has no other members.
  private(set) var isWhole = true

  /// The members of `object`; none if it is no object.
  init(_ document: JSONDocument, _ object: JSONNode) {
    document.forEachMember(of: object) { number, value in
      present |= 1 << UInt64(number & 63)
      places[number] = Int32(truncatingIfNeeded: value)
    }
    isWhole = present & 1 == 0
    present &= ~1
  }

  /// The value of the member of that name; nil if there is none.
  package subscript(name: MemberName) -> JSONNode? {
    let place = places[Int(name.rawValue)]
    return place == 0 ? nil : JSONNode(Int(place))
  }
}

extension JSONDocument {
  /// The members of `object` by name; none if it is no object.
  package func fields(_ object: JSONNode) -> JSONFields { JSONFields(self, object) }
}
