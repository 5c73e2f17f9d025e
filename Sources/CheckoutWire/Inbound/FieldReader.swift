// Reads one field after the other and notes what is wrong instead of stopping, so that all faults can be reported.
import CheckoutCore

/// Lengths in characters (Unicode scalars) and the characters allowed.
struct TextRule {
  /// Which characters a text may have.
  enum Characters {
    /// Anything (NUL is never JSON here).
    case any
    /// No control characters: for ids.
    case noControls
    /// 0x20 to 0x7E.
    case printableASCII
    /// The form of a BCP 47 tag: letters and digits in parts of 1 to 8 joined by `-`, the first of letters only.
    case languageTag
  }

  let length: ClosedRange<Int>
  let characters: Characters

  init(_ length: ClosedRange<Int>, _ characters: Characters = .any) {
    self.length = length
    self.characters = characters
  }

  func accepts(_ text: Span<UInt8>) -> Bool {
    // A character has one to four bytes: most texts need no counting.
    if text.count < length.lowerBound || text.count > 4 * length.upperBound { return false }
    if text.count > length.upperBound || text.count < 4 * length.lowerBound {
      if !length.contains(characterCount(text)) { return false }
    }
    return switch characters {
    case .any: true
    case .noControls: !text.hasControl(andNotASCII: false)
    case .printableASCII: !text.hasControl(andNotASCII: true)
    case .languageTag: isLanguageTag(text)
    }
  }

  /// What a caller should send.
  var expectation: String {
    let size = length.lowerBound == 0 ? "at most \(length.upperBound)" : "\(length.lowerBound) to \(length.upperBound)"
    return switch characters {
    case .any: "Expected a string of \(size) characters."
    case .noControls: "Expected a string of \(size) characters without control characters."
    case .printableASCII: "Expected a string of \(size) printable ASCII characters."
    case .languageTag: "Expected a BCP 47 language tag such as de-DE."
    }
  }
}

private func characterCount(_ text: Span<UInt8>) -> Int {
  guard text.hasNotASCII() else { return text.count }
  var count = 0
  for index in text.indices where text[index] & 0xC0 != 0x80 { count += 1 }
  return count
}

private func isLanguageTag(_ text: Span<UInt8>) -> Bool {
  var isFirstPart = true
  var partCount = 0
  for index in text.indices {
    let byte = text[index]
    if byte == 0x2D {
      if partCount == 0 { return false }
      isFirstPart = false
      partCount = 0
    } else {
      guard isLetter(byte) || (!isFirstPart && CardNumber.isDigit(byte)), partCount < 8 else { return false }
      partCount += 1
    }
  }
  return partCount > 0
}

private func isLetter(_ byte: UInt8) -> Bool {
  (byte >= 0x41 && byte <= 0x5A) || (byte >= 0x61 && byte <= 0x7A)
}

/// The object a field belongs to; becomes text only in a refusal.
enum FieldPlace {
  case root
  case item(Int)
  case discount(Int)
  case address
  case payment

  func pointer(_ name: MemberName) -> String {
    switch self {
    case .root: "/\(name.text)"
    case .item(let index): "/items/\(index)/\(name.text)"
    case .discount(let index): "/discounts/\(index)/\(name.text)"
    case .address: "/shipping_address/\(name.text)"
    case .payment: "/payment/\(name.text)"
    }
  }
}

/// Reads fields of one document. A field that is refused reads as an empty value; nobody may use what was read unless
/// `refusals` is empty.
struct FieldReader {
  /// More are not listed: an answer must not be larger than the message it answers.
  static let refusalsMax = 100

  let document: JSONDocument
  private(set) var refusals: [Refusal] = []

  init(_ document: JSONDocument) {
    self.document = document
  }

  mutating func refuse(_ code: RefusalCode, _ path: String, _ message: String) {
    if refusals.count < Self.refusalsMax { refusals.append(Refusal(code, path: path, message: message)) }
  }

  mutating func append(_ more: [Refusal]) {
    if more.isEmpty { return }
    refusals.append(contentsOf: more.prefix(max(0, Self.refusalsMax - refusals.count)))
  }

  mutating func missing(_ name: MemberName, _ place: FieldPlace) {
    refuse(.missingField, place.pointer(name), "This field is required.")
  }

  mutating func malformed(_ name: MemberName, _ place: FieldPlace, _ expectation: String) {
    refuse(.malformedField, place.pointer(name), expectation)
  }

  /// A value that is neither absent nor null.
  func present(_ node: JSONNode?) -> JSONNode? {
    node.flatMap { document.isNull($0) ? nil : $0 }
  }

  mutating func text(_ node: JSONNode?, _ name: MemberName, _ place: FieldPlace, _ rule: TextRule) -> String {
    guard let node else {
      missing(name, place)
      return ""
    }
    guard let text = document.string(node, where: rule.accepts) else {
      malformed(name, place, rule.expectation)
      return ""
    }
    return text
  }

  mutating func optionalText(_ node: JSONNode?, _ name: MemberName, _ place: FieldPlace, _ rule: TextRule) -> String? {
    guard let node = present(node) else { return nil }
    return text(node, name, place, rule)
  }

  mutating func integer(_ node: JSONNode?, _ name: MemberName, _ place: FieldPlace) -> Int64 {
    guard let node else {
      missing(name, place)
      return 0
    }
    guard let value = document.integer(node) else {
      malformed(name, place, "Expected an integer without fraction or exponent (money in minor units).")
      return 0
    }
    return value
  }

  mutating func bool(_ node: JSONNode?, _ name: MemberName, _ place: FieldPlace) -> Bool {
    guard let node else {
      missing(name, place)
      return false
    }
    guard let value = document.bool(node) else {
      malformed(name, place, "Expected true or false.")
      return false
    }
    return value
  }

  mutating func time(_ node: JSONNode?, _ name: MemberName, _ place: FieldPlace) -> Timestamp {
    guard let node else {
      missing(name, place)
      return Timestamp(nanoseconds: 0)
    }
    guard let value = document.withUTF8(node, RFC3339.parse(utf8:)) ?? nil else {
      malformed(name, place, "Expected an RFC 3339 time with zone and at most 9 fraction digits.")
      return Timestamp(nanoseconds: 0)
    }
    return value
  }

  /// An object of anything, bounded in members and in bytes of strings; only looked at.
  mutating func context(_ node: JSONNode?, _ name: MemberName) {
    guard let node = present(node) else { return }
    let (membersMax, stringBytesMax) = (FieldRules.contextMembersMax, FieldRules.contextStringBytesMax)
    let fits =
      document.kind(node) == .object && document.count(node) <= membersMax
      && document.stringBytes(in: node) <= stringBytesMax
    if !fits {
      malformed(
        name, .root, "Expected an object of at most \(membersMax) members and \(stringBytesMax) bytes of strings.")
    }
  }
}
