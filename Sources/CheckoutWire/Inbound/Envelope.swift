// CloudEvents 1.0, Kafka protocol binding: where a message's type, trace and object stand, in either mode.
import CheckoutCore

// What the type of a message says it is.
private enum Kind {
  case request
  case cancel
  case neither
  /// No type was given outside the object.
  case asMembersSay

  // Nil if there is no header.
  init?(header: ArraySlice<UInt8>?) {
    guard let header else { return nil }
    let type = header.span
    self =
      type.isExactly("checkout.requested")
      ? .request : type.isExactly("checkout.cancel_requested") ? .cancel : .neither
  }

  init(_ document: JSONDocument, _ member: JSONNode) {
    self =
      document.isString(member, "checkout.requested")
      ? .request : document.isString(member, "checkout.cancel_requested") ? .cancel : .neither
  }
}

/// A message's object, its kind and its trace.
struct Envelope {
  let document: JSONDocument
  let object: JSONNode
  private let kind: Kind
  let trace: TraceContext?
  // The object's own bytes; nil if it is part of a larger text.
  private let bytes: ArraySlice<UInt8>?

  init(_ value: ArraySlice<UInt8>, headers: EventHeaders) throws(UnusableMessage) {
    let outer = try Self.parse(value)
    guard outer.kind(outer.root) == .object else {
      throw UnusableMessage(malformed: "not an object", outer)
    }
    guard headers.isStructured else {
      document = outer
      object = outer.root
      bytes = value
      kind = Kind(header: headers.type) ?? .asMembersSay
      trace = TraceContext(parent: headers.traceparent, state: headers.tracestate)
      return
    }
    if let encoded = outer.member(outer.root, "data_base64").flatMap({ outer.utf8($0) }) {
      guard let decoded = Base64.decode(encoded) else {
        throw UnusableMessage(malformed: "data_base64 is not base64", outer)
      }
      document = try Self.parse(decoded[...])
      object = document.root
      bytes = decoded[...]
    } else {
      guard let data = outer.member(outer.root, "data") else {
        throw UnusableMessage(malformed: "structured mode without data", outer)
      }
      document = outer
      object = data
      bytes = nil
    }
    guard document.kind(object) == .object else {
      throw UnusableMessage(malformed: "data is not an object", document)
    }
    kind =
      Kind(header: headers.type) ?? outer.member(outer.root, "type").map { Kind(outer, $0) } ?? .asMembersSay
    trace = TraceContext(
      parent: outer.member(outer.root, "traceparent").flatMap { outer.utf8($0) } ?? headers.traceparent,
      state: outer.member(outer.root, "tracestate").flatMap { outer.utf8($0) } ?? headers.tracestate)
  }

  private static func parse(_ bytes: ArraySlice<UInt8>) throws(UnusableMessage) -> JSONDocument {
    do throws(JSONError) {
      return try JSONDocument(parsing: bytes)
    } catch {
      throw UnusableMessage(malformed: error.detail, bytes: bytes)
    }
  }

  /// True for a cancellation, false for a request, nil if it is neither; `fields` are the object's members.
  func isCancel(_ fields: JSONFields) -> Bool? {
    let kind = kind == .asMembersSay ? fields[.type].map { Kind(document, $0) } ?? .request : kind
    return switch kind {
    case .request: false
    case .cancel: true
    case .neither, .asMembersSay: nil
    }
  }

  /// The object's JSON without a byte order mark: as received if it was a text of its own, else written anew.
  func objectJSON() -> ArraySlice<UInt8> {
    if let bytes { return bytes.first == 0xEF && bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes }
    var writer = JSONWriter(capacity: 1024)
    writer.copy(document, object)
    return writer.finished()[...]
  }
}
