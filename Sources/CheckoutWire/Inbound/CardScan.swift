// Looks for card numbers in a whole message, and masks them for the dead letters.
import CheckoutCore

/// A search of one document.
struct CardScan {
  /// The fields whose values are ids of the merchant's own and may look like anything: only at these places. The cart's
  /// and the discounts' own ids are members of array elements.
  private static let exemptAtRoot: [StaticString] = ["checkout_id", "idempotency_key", "merchant_id", "account_id"]
  private static let exemptInLists: [(list: StaticString, names: [StaticString])] = [
    ("items", ["line_id", "sku"]), ("discounts", ["code"]),
  ]
  /// More than this many are not listed; one is enough to refuse.
  private static let refusalsMax = 20

  private let document: JSONDocument
  private var refusals: [Refusal] = []

  private init(_ document: JSONDocument) {
    self.document = document
  }

  /// One refusal for each string value (or member name) of `object` that is a card number, exempt fields left out.
  static func refusals(_ document: JSONDocument, _ object: JSONNode) -> [Refusal] {
    guard mayContain(document, object) else { return [] }
    var scan = CardScan(document)
    for (key, value) in document.members(object) {
      if exemptAtRoot.contains(where: { document.isString(key, $0) }), document.kind(value) == .string { continue }
      let path = scan.path(JSONPointer(), key)
      if let (name, exempt) = exemptInLists.first(where: { document.isString(key, $0.list) }),
        document.kind(value) == .array
      {
        scan.list(value, JSONPointer().member(name.description), exempt: exempt)
      } else {
        scan.value(value, path)
      }
    }
    return scan.refusals
  }

  // Cheap pass without paths: almost every message ends here.
  private static func mayContain(_ document: JSONDocument, _ root: JSONNode) -> Bool {
    document.anyNumericString(in: root, countMin: CardNumber.digitsMin, where: CardNumber.matches)
  }

  private mutating func list(_ array: JSONNode, _ path: JSONPointer, exempt: [StaticString]) {
    for (index, element) in document.elements(array).enumerated() {
      guard document.kind(element) == .object else {
        value(element, path.element(index))
        continue
      }
      for (key, member) in document.members(element) {
        if exempt.contains(where: { document.isString(key, $0) }), document.kind(member) == .string { continue }
        value(member, self.path(path.element(index), key))
      }
    }
  }

  private mutating func value(_ node: JSONNode, _ path: JSONPointer) {
    switch document.kind(node) {
    case .string:
      if document.withUTF8(node, CardNumber.matches) == true { refuse(path) }
    case .array:
      for (index, element) in document.elements(node).enumerated() { value(element, path.element(index)) }
    case .object:
      for (key, member) in document.members(node) { value(member, self.path(path, key)) }
    case .null, .boolean, .integer, .double: break
    }
  }

  // The path to a member; a name that is itself a card number is refused and masked.
  private mutating func path(_ parent: JSONPointer, _ key: JSONNode) -> JSONPointer {
    let name = document.utf8(key) ?? []
    guard CardNumber.matches(name.span) else { return parent.member(String(decoding: name, as: UTF8.self)) }
    let masked = parent.member(String(decoding: CardNumber.masked(name), as: UTF8.self))
    refuse(masked)
    return masked
  }

  private mutating func refuse(_ path: JSONPointer) {
    guard refusals.count < Self.refusalsMax else { return }
    refusals.append(
      Refusal(
        .cardNumberInPayload, path: path.text,
        message: "This looks like a payment card number; send a provider's token instead."))
  }
}

/// Masks what must not be copied in clear into a dead letter.
enum Redaction {
  /// The document written anew with every digit of card numbers as `*`; nil if there is none. Ids are masked too:
  /// in a dead letter nothing says what is an id.
  static func masked(_ document: JSONDocument) -> [UInt8]? {
    guard document.anyNumericString(in: document.root, countMin: CardNumber.digitsMin, where: CardNumber.matches)
    else { return nil }
    var writer = JSONWriter()
    writer.copy(document, document.root) { CardNumber.matches($0.span) ? CardNumber.masked($0) : nil }
    return writer.bytes
  }

  /// The same for bytes that are not JSON: any stretch of digits, spaces and dashes that starts right after a quotation
  /// mark, ends at one (or a backslash, or the end of the bytes), and is a card number. Same length; nil if none.
  static func masked(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
    var result: [UInt8]?
    var index = bytes.startIndex
    while index < bytes.endIndex {
      defer { index += 1 }
      guard isQuote(bytes[index]) else { continue }
      let start = index + 1
      let end = bytes[start...].firstIndex { !CardNumber.isDigit($0) && !CardNumber.isFiller($0) } ?? bytes.endIndex
      let closed = end == bytes.endIndex || isQuote(bytes[end]) || bytes[end] == 0x5C
      if closed && CardNumber.matches(bytes[start..<end].span) {
        var copy = result ?? Array(bytes)
        let offset = bytes.startIndex
        copy.replaceSubrange(start - offset..<end - offset, with: CardNumber.masked(bytes[start..<end]))
        result = copy
      }
      index = end - 1
    }
    return result
  }

  private static func isQuote(_ byte: UInt8) -> Bool { byte == 0x22 || byte == 0x27 }
}
