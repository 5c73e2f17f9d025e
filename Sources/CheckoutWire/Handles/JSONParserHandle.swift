// The only code that touches simdjson: bytes in, a document that owns its memory out.
import CSimdjson

/// Why a text is not JSON as the pipeline accepts it. The texts name no content.
package enum JSONError: Error, Hashable, Sendable {
  case empty
  case syntax
  case encoding
  /// Also integers outside 64 bits signed.
  case number
  case tooDeep
  case duplicateKey
  case nulInString
  case memory

  /// One line for a person.
  package var detail: String {
    switch self {
    case .empty: "empty"
    case .syntax: "not well-formed JSON"
    case .encoding: "not UTF-8, or a lone surrogate"
    case .number: "a number that is malformed or outside 64 bits"
    case .tooDeep: "nested too deeply"
    case .duplicateKey: "a duplicate key"
    case .nulInString: "NUL in a string"
    case .memory: "too large to parse"
    }
  }

  fileprivate init(code: Int32) {
    switch Int(code) {
    case CSIMDJSON_EMPTY: self = .empty
    case CSIMDJSON_ENCODING: self = .encoding
    case CSIMDJSON_NUMBER: self = .number
    case CSIMDJSON_DEPTH: self = .tooDeep
    case CSIMDJSON_DUPLICATE: self = .duplicateKey
    case CSIMDJSON_NUL: self = .nulInString
    case CSIMDJSON_MEMORY: self = .memory
    default: self = .syntax
    }
  }
}

extension JSONDocument {
  /// Parses a whole text strictly: one value, no trailing bytes, no duplicate keys. A byte order mark is skipped.
  ///
  /// Any thread; each thread reuses its own parser. `depthMax` is the deepest nesting accepted, at most 70.
  package init(parsing text: ArraySlice<UInt8>, depthMax: Int = 64) throws(JSONError) {
    let bytes = text.starts(with: [0xEF, 0xBB, 0xBF]) ? text.dropFirst(3) : text
    var bound = 0
    // SAFETY: the pointer is used only during the call; simdjson copies the bytes into its own padded buffer.
    let parsed = unsafe bytes.withUnsafeBufferPointer { buffer in
      unsafe csimdjson_parse(buffer.baseAddress, buffer.count, &bound)
    }
    if Int(parsed) != CSIMDJSON_OK { throw JSONError(code: parsed) }
    var taken = Int32(CSIMDJSON_OK)
    var strings: [UInt8] = []
    // SAFETY: `bound` is the parser's own upper limit of tokens, and unescaped strings are never longer than their
    // source; the shim writes within both and says how much it wrote. Same thread as the parse: no suspension here.
    let tokens = unsafe [csimdjson_token](unsafeUninitializedCapacity: bound) { tokenBuffer, tokenCount in
      unsafe strings = [UInt8](unsafeUninitializedCapacity: bytes.count) { stringBuffer, stringCount in
        unsafe taken = csimdjson_take(
          tokenBuffer.baseAddress, &tokenCount, stringBuffer.baseAddress, &stringCount, UInt32(clamping: depthMax))
      }
    }
    if Int(taken) != CSIMDJSON_OK { throw JSONError(code: taken) }
    self.init(tokens: tokens, strings: strings)
  }
}
