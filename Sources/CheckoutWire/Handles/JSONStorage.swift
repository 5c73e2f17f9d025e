// The memory of one parsed text: its tokens, then its strings, in one allocation.
import CSimdjson

/// Tokens and unescaped strings of a text; written once, then only read. Copies share the memory.
///
/// All access is checked: a place outside the storage would be a fault of ours and stops the process.
// SAFETY: sendable, because nothing is written after `init` has returned.
struct JSONStorage: @unchecked Sendable {
  private final class Memory: ManagedBuffer<Void, csimdjson_token> {}

  private let memory: ManagedBuffer<Void, csimdjson_token>
  /// Number of tokens.
  let tokenCount: Int
  /// Bytes of all strings, with what simdjson puts between them.
  let stringCount: Int
  /// True if something in the text was escaped.
  let hasEscapes: Bool

  /// A storage that `fill` writes; it must write exactly as many tokens and bytes of strings as announced.
  init(
    _ sizes: csimdjson_sizes, fill: (UnsafeMutablePointer<csimdjson_token>, UnsafeMutablePointer<UInt8>) -> Void
  ) {
    tokenCount = Int(sizes.token_count)
    stringCount = Int(sizes.string_count)
    hasEscapes = sizes.has_escapes != 0
    let perToken = MemoryLayout<csimdjson_token>.stride
    memory = Memory.create(minimumCapacity: tokenCount + (stringCount + perToken - 1) / perToken) { _ in }
    // SAFETY: both places have the room announced, and the pointers are used only during the call.
    unsafe withPointers { tokens, strings in unsafe fill(tokens, strings) }
  }

  // SAFETY: the strings stand behind the tokens, in places that were allocated for them; both are trivial types.
  @inline(__always)
  private func withPointers<Result>(
    _ body: (UnsafeMutablePointer<csimdjson_token>, UnsafeMutablePointer<UInt8>) -> Result
  ) -> Result {
    unsafe memory.withUnsafeMutablePointerToElements { tokens in
      unsafe body(tokens, UnsafeMutableRawPointer(tokens + tokenCount).assumingMemoryBound(to: UInt8.self))
    }
  }

  /// The token at `index`.
  @inline(__always)
  func token(_ index: Int) -> csimdjson_token {
    precondition(index >= 0 && index < tokenCount, "no such token")
    // SAFETY: checked above.
    return unsafe memory.withUnsafeMutablePointerToElements { tokens in unsafe tokens[index] }
  }

  /// Calls `body` with the string of a string token.
  @inline(__always)
  func withText<Result>(of token: csimdjson_token, _ body: (Span<UInt8>) -> Result) -> Result {
    let (start, count) = place(of: token)
    // SAFETY: checked by `place`; the span cannot leave the closure, and the storage outlives it.
    return unsafe withPointers { _, strings in
      let text = unsafe UnsafeBufferPointer(start: strings + start, count: count)
      return unsafe body(text.span)
    }
  }

  /// True if the string of a string token is exactly `text`.
  @inline(__always)
  func spells(_ token: csimdjson_token, _ text: StaticString) -> Bool {
    let (start, count) = place(of: token)
    // A literal of one character may have no pointer.
    guard text.hasPointerRepresentation else { return spells(token, text.description) }
    guard count == text.utf8CodeUnitCount else { return false }
    // SAFETY: checked by `place`; both have `count` bytes.
    return unsafe withPointers { _, strings in unsafe csimdjson_same(strings + start, text.utf8Start, count) != 0 }
  }

  /// The same for a text that is known only at run time: byte by byte, where `==` of strings would take different bytes
  /// for the same character.
  func spells(_ token: csimdjson_token, _ text: String) -> Bool {
    withText(of: token) { stored in
      let wanted = text.utf8.span
      return stored.count == wanted.count && stored.indices.allSatisfy { stored[$0] == wanted[$0] }
    }
  }

  /// The string of a string token.
  func string(of token: csimdjson_token) -> String {
    let (start, count) = place(of: token)
    // What fits into a string's own sixteen bytes: most texts.
    if count <= 15 {
      // SAFETY: checked by `place`; the room asked for is written whole.
      return unsafe String(unsafeUninitializedCapacity: count) { output in
        unsafe withPointers { _, strings in
          unsafe output.baseAddress?.initialize(from: strings + start, count: count)
        }
        return count
      }
    }
    return withText(of: token) { bytes in
      // SAFETY: simdjson has checked that all strings are UTF-8.
      var text = unsafe UTF8Span(unchecked: bytes)
      // A string too long to stand in place is marked as ASCII only if told so; marked ones compare and hash faster.
      _ = text.checkForASCII()
      return String(copying: text)
    }
  }

  /// Index of the first string in `range` that begins with at least `countMin` digits, spaces or dashes.
  func firstNumericText(in range: Range<Int>, countMin: Int) -> Int? {
    precondition(range.lowerBound >= 0 && range.upperBound <= tokenCount, "no such tokens")
    // SAFETY: the tokens are there, and their strings are of this document: both were written by the parse.
    let found = unsafe withPointers { tokens, strings in
      unsafe csimdjson_find_numeric(tokens, range.lowerBound, range.upperBound, strings, UInt32(countMin))
    }
    return found < range.upperBound ? Int(found) : nil
  }

  @inline(__always)
  private func place(of token: csimdjson_token) -> (start: Int, count: Int) {
    let start = Int(token.payload >> 32)
    let count = Int(token.payload & 0xFFFF_FFFF)
    precondition(
      Int(token.kind) == CSIMDJSON_STRING && start + count <= stringCount, "no string of this document")
    return (start, count)
  }
}
