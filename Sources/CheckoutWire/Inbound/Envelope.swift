// CloudEvents 1.0, Kafka protocol binding: where a message's type, trace and object stand, in either mode.
import CheckoutCore

/// The headers that mean something to us. Names are lower case by the binding; `content-type` is read in any case.
/// Of several with one name the last counts, as in Kafka's own clients.
struct EventHeaders {
  var type: ArraySlice<UInt8>?
  var id: ArraySlice<UInt8>?
  var origin: ArraySlice<UInt8>?
  var time: ArraySlice<UInt8>?
  var traceparent: ArraySlice<UInt8>?
  var tracestate: ArraySlice<UInt8>?
  var isStructured = false

  init(_ headers: [InboundMessage.Header]) {
    for header in headers {
      switch header.name.count {
      case 5 where header.name.span.isExactly("ce_id"): id = header.value
      case 7 where header.name.span.isExactly("ce_type"): type = header.value
      case 7 where header.name.span.isExactly("ce_time"): time = header.value
      case 9 where header.name.span.isExactly("ce_origin"): origin = header.value
      case 10 where header.name.span.isExactly("tracestate"): tracestate = header.value
      case 11 where header.name.span.isExactly("traceparent"): traceparent = header.value
      case 12 where isContentType(header.name):
        isStructured = header.value.map(isStructuredContent) ?? false
      default: break
      }
    }
  }
}

private func isContentType(_ name: ArraySlice<UInt8>) -> Bool {
  name.span.isExactly("content-type") || lowercased(name).elementsEqual("content-type".utf8)
}

private func lowercased(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
  bytes.map { $0 >= 0x41 && $0 <= 0x5A ? $0 + 0x20 : $0 }
}

// Media types are case-insensitive; parameters such as charset may follow.
private func isStructuredContent(_ value: ArraySlice<UInt8>) -> Bool {
  // What nearly every message says.
  if value.span.isExactly("application/json") { return false }
  guard value.count <= 256 else { return false }
  let media = lowercased(value.prefix { $0 != 0x3B }).filter { $0 != 0x20 && $0 != 0x09 }
  return media.elementsEqual("application/cloudevents+json".utf8)
}

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
