// Reads our own events back. Nothing here answers a caller: what does not decode is our fault or a forgery, and becomes
// a dead letter `malformed_event`.
package import CheckoutCore

/// Why a message between our own stages cannot be used; the stage makes it a dead letter `malformed_event`.
package struct MalformedEvent: Error, Hashable, Sendable {
  /// One line, no content of the message.
  package let detail: String

  package init(_ detail: String) {
    self.detail = detail
  }
}

/// An event as received: its attributes and its content.
package struct ReceivedEvent<Content: Hashable & Sendable>: Hashable, Sendable {
  /// `ce_id`.
  package let id: String
  /// `ce_type`.
  package let type: EventType
  /// `ce_origin`.
  package let origin: Origin
  /// `ce_time`.
  package let time: Timestamp
  /// `traceparent` and `tracestate`; nil if absent or malformed.
  package let trace: TraceContext?
  /// The decoded body.
  package let content: Content

  package init(
    id: String, type: EventType, origin: Origin, time: Timestamp, trace: TraceContext?, content: Content
  ) {
    self.id = id
    self.type = type
    self.origin = origin
    self.time = time
    self.trace = trace
    self.content = content
  }
}

/// Reads the fields of one event body; the first that is missing or of another form ends it.
struct EventReader {
  /// The request may itself be 64 levels deep, inside an event.
  private static let depthMax = 66

  let document: JSONDocument
  let object: JSONNode
  private let headers: EventHeaders

  init(_ message: InboundMessage) throws(MalformedEvent) {
    guard let value = message.value else { throw MalformedEvent("no value") }
    do throws(JSONError) {
      document = try JSONDocument(parsing: value, depthMax: Self.depthMax)
    } catch {
      throw MalformedEvent("value: \(error.detail)")
    }
    object = document.root
    headers = message.headers
    guard document.kind(object) == .object else { throw MalformedEvent("value: not an object") }
    guard try integer("schema_version") == EventEncoder.schemaVersion else {
      throw MalformedEvent("schema_version: unknown")
    }
  }

  private init(_ document: JSONDocument, _ object: JSONNode, _ headers: EventHeaders) {
    self.document = document
    self.object = object
    self.headers = headers
  }

  /// The event's type, from its header.
  func type() throws(MalformedEvent) -> EventType {
    guard let type = EventType(rawValue: try header(headers.type, "ce_type")) else {
      throw MalformedEvent("ce_type: unknown")
    }
    return type
  }

  /// The event made of its attributes and `content`.
  func event<Content>(_ type: EventType, _ content: Content) throws(MalformedEvent) -> ReceivedEvent<Content> {
    guard let position = Position(text: try header(headers.origin, "ce_origin")) else {
      throw MalformedEvent("ce_origin: not a position")
    }
    guard let time = headers.time.flatMap({ RFC3339.parse($0) }) else { throw MalformedEvent("ce_time: not a time") }
    return ReceivedEvent(
      id: try header(headers.id, "ce_id"), type: type, origin: Origin(position), time: time,
      trace: TraceContext(parent: headers.traceparent, state: headers.tracestate), content: content)
  }

  private func header(_ value: ArraySlice<UInt8>?, _ name: String) throws(MalformedEvent) -> String {
    guard let value, !value.isEmpty, let text = String(validating: value, as: UTF8.self) else {
      throw MalformedEvent("\(name): missing or not text")
    }
    return text
  }

  private func node(_ name: String) -> JSONNode? {
    document.member(object, named: name).flatMap { document.isNull($0) ? nil : $0 }
  }

  func optionalText(_ name: String) throws(MalformedEvent) -> String? {
    guard let node = node(name) else { return nil }
    guard let text = document.string(node) else { throw MalformedEvent("\(name): not a string") }
    return text
  }

  func text(_ name: String) throws(MalformedEvent) -> String {
    guard let text = try optionalText(name) else { throw MalformedEvent("\(name): missing") }
    return text
  }

  func optionalInteger(_ name: String) throws(MalformedEvent) -> Int64? {
    guard let node = node(name) else { return nil }
    guard let value = document.integer(node) else { throw MalformedEvent("\(name): not an integer") }
    return value
  }

  func integer(_ name: String) throws(MalformedEvent) -> Int64 {
    guard let value = try optionalInteger(name) else { throw MalformedEvent("\(name): missing") }
    return value
  }

  func optionalBool(_ name: String) throws(MalformedEvent) -> Bool? {
    guard let node = node(name) else { return nil }
    guard let value = document.bool(node) else { throw MalformedEvent("\(name): not a boolean") }
    return value
  }

  func bool(_ name: String) throws(MalformedEvent) -> Bool {
    guard let value = try optionalBool(name) else { throw MalformedEvent("\(name): missing") }
    return value
  }

  func optionalTime(_ name: String) throws(MalformedEvent) -> Timestamp? {
    guard let node = node(name) else { return nil }
    guard let time = document.withUTF8(node, RFC3339.parse(utf8:)) ?? nil else {
      throw MalformedEvent("\(name): not a time")
    }
    return time
  }

  func time(_ name: String) throws(MalformedEvent) -> Timestamp {
    guard let time = try optionalTime(name) else { throw MalformedEvent("\(name): missing") }
    return time
  }

  /// The object that is the member of that name.
  func nested(_ name: String) throws(MalformedEvent) -> EventReader {
    guard let node = node(name), document.kind(node) == .object else {
      throw MalformedEvent("\(name): not an object")
    }
    return EventReader(document, node, headers)
  }

  /// The objects in the array of that name; none if it is absent.
  func list(_ name: String) throws(MalformedEvent) -> [EventReader] {
    guard let node = node(name) else { return [] }
    guard document.kind(node) == .array else { throw MalformedEvent("\(name): not an array") }
    var readers: [EventReader] = []
    for element in document.elements(node) {
      guard document.kind(element) == .object else { throw MalformedEvent("\(name): not a list of objects") }
      readers.append(EventReader(document, element, headers))
    }
    return readers
  }

  /// A string or an integer.
  func evidence(_ name: String) throws(MalformedEvent) -> Refusal.Evidence? {
    guard let node = node(name) else { return nil }
    if let value = document.integer(node) { return .integer(value) }
    guard let text = document.string(node) else { throw MalformedEvent("\(name): neither text nor integer") }
    return .text(text)
  }

  func identity() throws(MalformedEvent) -> AttemptIdentity {
    AttemptIdentity(
      merchantID: try text("merchant_id"), checkoutID: try text("checkout_id"),
      idempotencyKey: try text("idempotency_key"))
  }
}
