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
  let bytes = Array(text.prefix(256))
  guard text.count <= 256, bytes.count >= 55, bytes[2] == 0x2D, bytes[35] == 0x2D, bytes[52] == 0x2D else {
    return false
  }
  let parts = [bytes[0..<2], bytes[3..<35], bytes[36..<52], bytes[53..<55]]
  guard parts.allSatisfy({ $0.allSatisfy(isLowerHex) }) else { return false }
  let isVersionZero = parts[0].elementsEqual([0x30, 0x30])
  if parts[0].elementsEqual([0x66, 0x66]) { return false }
  if isVersionZero ? bytes.count > 55 : bytes.count > 55 && bytes[55] != 0x2D { return false }
  guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return false }
  return parts[1].contains { $0 != 0x30 } && parts[2].contains { $0 != 0x30 }
}

// Up to 512 printable ASCII characters; what the vendors put there is theirs.
private func isTraceState(_ text: ArraySlice<UInt8>) -> Bool {
  !text.isEmpty && text.count <= 512 && text.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
}

private func isLowerHex(_ byte: UInt8) -> Bool {
  (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x66)
}
