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
    let bytes = text.first == 0xEF && text.starts(with: [0xEF, 0xBB, 0xBF]) ? text.dropFirst(3) : text
    var sizes = csimdjson_sizes()
    // SAFETY: the pointers are used only during the call; the shim copies the bytes into a padded buffer of its own.
    let parsed = unsafe bytes.withUnsafeBufferPointer { buffer in
      unsafe csimdjson_parse(
        buffer.baseAddress, buffer.count, UInt32(clamping: depthMax), NumberedNames.shared.pointer, &sizes)
    }
    if Int(parsed) != CSIMDJSON_OK { throw JSONError(code: parsed) }
    // SAFETY: the storage has room for exactly the counts the parse gave. Same thread as the parse: no suspension here.
    self.init(unsafe JSONStorage(sizes) { tokens, strings in unsafe csimdjson_take(tokens, strings) })
  }
}

/// The names of `MemberName` as the shim wants them; made once.
// SAFETY: safe and sendable, because what the pointer stands for is never changed and never freed.
@safe private struct NumberedNames: @unchecked Sendable {
  static let shared = NumberedNames()

  let pointer: OpaquePointer

  private init() {
    var text: [UInt8] = []
    for (index, name) in MemberName.allCases.enumerated() {
      precondition(Int(name.rawValue) == index + 1, "numbers count from 1")
      text.append(literal: name.text)
      text.append(0x0A)
    }
    // SAFETY: the shim copies the text.
    let names = unsafe text.withUnsafeBufferPointer { unsafe csimdjson_names_create($0.baseAddress, $0.count) }
    guard let names = unsafe names else { preconditionFailure("the list of names is refused, or there is no memory") }
    unsafe pointer = names
  }
}
