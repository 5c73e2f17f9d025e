// Bytes for people: text where they are text, else hexadecimal; null is not empty.

package import WorkerEngine

/// Shows bytes.
package enum BytesText {
  private static let bytesPerLine = 16

  /// True for UTF-8 without control characters other than tab and line feed.
  package static func isText(_ bytes: Bytes) -> Bool {
    guard let text = String(validating: bytes.slice, as: UTF8.self) else { return false }
    return text.unicodeScalars.allSatisfy { scalar in
      scalar.value >= 0x20 && !(0x7F..<0xA0).contains(scalar.value) || scalar.value == 0x09 || scalar.value == 0x0A
    }
  }

  /// As text, or hexadecimal with `0x` in front.
  package static func text(of bytes: Bytes) -> String {
    isText(bytes) ? String(decoding: bytes.slice, as: UTF8.self) : "0x" + hex(bytes.slice)
  }

  /// `null`, `"text"` or `0x…`.
  package static func quoted(_ bytes: Bytes?) -> String {
    guard let bytes else { return "null" }
    return isText(bytes) ? "\"\(String(decoding: bytes.slice, as: UTF8.self))\"" : text(of: bytes)
  }

  /// `null`, the text or `0x…`.
  package static func plain(_ bytes: Bytes?) -> String { bytes.map(text(of:)) ?? "null" }

  /// Lines of text, or of a hexadecimal dump with offsets.
  package static func block(_ bytes: Bytes, limit: Int) -> [String] {
    if isText(bytes) {
      let text = String(decoding: bytes.slice.prefix(limit), as: UTF8.self)
      return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
    return stride(from: 0, to: min(bytes.count, limit), by: bytesPerLine).map { start in
      let line = bytes.slice.dropFirst(start).prefix(bytesPerLine)
      let digits = line.map { hex([$0]) }.joined(separator: " ")
      let letters = String(decoding: line.map { (0x20...0x7E).contains($0) ? $0 : 0x2E }, as: UTF8.self)
      let gap = String(repeating: " ", count: max(0, bytesPerLine * 3 - digits.count))
      return padded(start) + "  " + digits + gap + " " + letters
    }
  }

  /// Lower-case digits.
  package static func hex(_ bytes: some Sequence<UInt8>) -> String {
    var text = ""
    for byte in bytes { text += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
    return text
  }

  private static func padded(_ offset: Int) -> String {
    let text = String(offset, radix: 16)
    return String(repeating: "0", count: max(0, 8 - text.count)) + text
  }
}
