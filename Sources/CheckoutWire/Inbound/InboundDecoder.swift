// Bytes from `checkout.requests` to what they are. Order of judgement: size, JSON, object, kind, schema version,
// identity (dead letters so far), then all fields (refusals, which can be answered).
import CheckoutCore

/// Decodes messages of `checkout.requests`. Holds no state; any thread.
package struct InboundDecoder: Sendable {
  /// Largest value accepted, in bytes.
  package let payloadBytesMax: Int
  /// Compute the fingerprint; only the benchmark switches it off.
  private let withFingerprint: Bool

  /// The default limit is 512 KiB.
  package init(payloadBytesMax: Int = 512 * 1024, withFingerprint: Bool = true) {
    self.payloadBytesMax = payloadBytesMax
    self.withFingerprint = withFingerprint
  }

  /// What `message` is: always exactly one thing, whatever its bytes.
  package func decode(_ message: InboundMessage) -> Inbound {
    guard let value = message.value else { return .tombstone }
    if value.count > payloadBytesMax {
      return .deadLetter(
        .payloadTooLarge, detail: "\(value.count) bytes, at most \(payloadBytesMax)",
        redactedValue: Redaction.masked(value))
    }
    do throws(UnusableMessage) {
      let envelope = try Envelope(value, headers: message.headers)
      return try decode(envelope)
    } catch {
      return .deadLetter(error.code, detail: error.detail, redactedValue: error.redactedValue)
    }
  }

  private func decode(_ envelope: Envelope) throws(UnusableMessage) -> Inbound {
    let document = envelope.document
    let fields = document.fields(envelope.object)
    guard let isCancel = envelope.isCancel(fields) else {
      throw UnusableMessage(.unsupportedType, "only requests and cancellations are accepted here", document)
    }
    guard let version = fields[.schemaVersion], document.integer(version) == 1 else {
      throw UnusableMessage(.unsupportedSchemaVersion, "schema_version must be 1", document)
    }
    guard let checkoutID = identity(fields[.checkoutID], document, FieldRules.checkoutID) else {
      throw UnusableMessage(.missingIdentity, "checkout_id: \(FieldRules.checkoutID.expectation)", document)
    }
    guard let merchantID = identity(fields[.merchantID], document, FieldRules.merchantID) else {
      throw UnusableMessage(.missingIdentity, "merchant_id: \(FieldRules.merchantID.expectation)", document)
    }
    return isCancel
      ? cancel(envelope, fields, merchantID: merchantID, checkoutID: checkoutID)
      : request(envelope, fields, merchantID: merchantID, checkoutID: checkoutID)
  }

  private func identity(_ node: JSONNode?, _ document: JSONDocument, _ rule: TextRule) -> String? {
    node.flatMap { document.string($0, where: rule.accepts) }
  }

  private func request(_ envelope: Envelope, _ fields: JSONFields, merchantID: String, checkoutID: String) -> Inbound {
    var reader = FieldReader(envelope.document)
    let request = reader.request(fields, merchantID: merchantID, checkoutID: checkoutID)
    reader.append(CardScan.refusals(envelope.document, envelope.object))
    if reader.refusals.isEmpty {
      let fingerprint =
        withFingerprint ? Fingerprint(envelope.document, envelope.object) : Fingerprint("")
      return .request(
        InboundRequest(
          request: request, fingerprint: fingerprint, requestJSON: envelope.objectJSON(), trace: envelope.trace))
    }
    let key = request.identity.idempotencyKey
    let subject = EventSubject(
      merchantID: merchantID, checkoutID: checkoutID, idempotencyKey: key.isEmpty ? nil : key)
    return .refused(
      InboundRefusal(subject: subject, refusals: reader.refusals, isCancel: false, trace: envelope.trace))
  }

  private func cancel(_ envelope: Envelope, _ fields: JSONFields, merchantID: String, checkoutID: String) -> Inbound {
    var reader = FieldReader(envelope.document)
    let cancel = reader.cancel(fields, merchantID: merchantID, checkoutID: checkoutID)
    reader.append(CardScan.refusals(envelope.document, envelope.object))
    if reader.refusals.isEmpty {
      return .cancel(InboundCancel(cancel: cancel, trace: envelope.trace))
    }
    let subject = EventSubject(merchantID: merchantID, checkoutID: checkoutID, idempotencyKey: nil)
    return .refused(
      InboundRefusal(subject: subject, refusals: reader.refusals, isCancel: true, trace: envelope.trace))
  }
}

/// Why nobody can be answered; becomes a dead letter.
struct UnusableMessage: Error {
  let code: DeadLetterCode
  let detail: String
  let redactedValue: [UInt8]?

  init(_ code: DeadLetterCode, _ detail: String, _ document: JSONDocument) {
    self.code = code
    self.detail = detail
    redactedValue = Redaction.masked(document)
  }

  init(malformed detail: String, bytes: ArraySlice<UInt8>) {
    code = .malformedJSON
    self.detail = detail
    redactedValue = Redaction.masked(bytes)
  }

  init(malformed detail: String, _ document: JSONDocument) {
    self.init(.malformedJSON, detail, document)
  }
}
