// What makes two requests the same request, as text.
package import CheckoutCore

extension Fingerprint {
  /// Members that may differ between two copies of the same request.
  private static let omitted = MemberNames(.requestedAt, .clientContext, .schemaVersion)

  /// `1:` and the SHA-256 of the object's RFC 8785 form without top-level `requested_at`, `client_context` and
  /// `schema_version`. Another way to compute it would get another number.
  package init(_ document: JSONDocument, _ object: JSONNode) {
    self.init(SHA256.hex(CanonicalJSON.bytes(document, object, omitting: Self.omitted), prefix: "1:"))
  }
}
