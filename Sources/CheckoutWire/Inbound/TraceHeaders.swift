// W3C Trace Context: taken along if well-formed, ignored if not.
package import CheckoutCore

extension TraceContext {
  /// The trace of a message; nil if `parent` is absent or malformed. A malformed `state` alone is dropped.
  package init?(parent: ArraySlice<UInt8>?, state: ArraySlice<UInt8>?) {
    guard let parent, isTraceParent(parent) else { return nil }
    let keptState = state.flatMap { isTraceState($0) ? String(decoding: $0, as: UTF8.self) : nil }
    self.init(parent: String(decoding: parent, as: UTF8.self), state: keptState)
  }
}

// version "-" trace-id "-" parent-id "-" flags, lower-case hex; version 00 ends there, later versions may add more.
private func isTraceParent(_ text: ArraySlice<UInt8>) -> Bool {
  let bytes = text.span
  guard bytes.count >= 55, bytes.count <= 256, bytes[2] == 0x2D, bytes[35] == 0x2D, bytes[52] == 0x2D else {
    return false
  }
  guard isLowerHex(bytes, 0..<2), isLowerHex(bytes, 3..<35), isLowerHex(bytes, 36..<52), isLowerHex(bytes, 53..<55)
  else { return false }
  if bytes[0] == 0x66 && bytes[1] == 0x66 { return false }
  let isVersionZero = bytes[0] == 0x30 && bytes[1] == 0x30
  if bytes.count > 55 && (isVersionZero || bytes[55] != 0x2D) { return false }
  guard bytes.indices.allSatisfy({ bytes[$0] > 0x20 && bytes[$0] < 0x7F }) else { return false }
  return (3..<35).contains { bytes[$0] != 0x30 } && (36..<52).contains { bytes[$0] != 0x30 }
}

// Up to 512 printable ASCII characters; what the vendors put there is theirs.
private func isTraceState(_ text: ArraySlice<UInt8>) -> Bool {
  !text.isEmpty && text.count <= 512 && text.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
}

private func isLowerHex(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
  range.allSatisfy { (bytes[$0] >= 0x30 && bytes[$0] <= 0x39) || (bytes[$0] >= 0x61 && bytes[$0] <= 0x66) }
}
