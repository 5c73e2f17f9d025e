// What makes two requests the same request.

/// Version tag and SHA-256 of a request's canonical form (`1:` + 64 hex digits); made by Wire, compared here.
package struct Fingerprint: Hashable, Sendable {
  /// `1:` and 64 lower-case hex digits; a new algorithm gets a new number.
  package let text: String

  package init(_ text: String) {
    self.text = text
  }
}
