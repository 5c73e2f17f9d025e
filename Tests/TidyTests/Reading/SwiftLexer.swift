// Cuts Swift source into tokens, without comments and literal text, so that rules see code and nothing else.

/// One word, number or punctuation character of code; a string literal is the token `""`.
struct Token: Hashable {
  let text: String
  /// Counted from 1.
  let line: Int
}

/// A scanner over the bytes of one file; text inside interpolations is code again.
struct SwiftLexer {
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private var tokens: [Token] = []
  private var contexts: [Context] = []

  /// What encloses the position: nothing means plain code.
  private enum Context {
    case string(hashes: Int, multiline: Bool)
    case interpolation(openParentheses: Int)
  }

  static func tokens(of source: String) -> [Token] {
    var lexer = SwiftLexer(bytes: Array(source.utf8))
    lexer.run()
    return lexer.tokens
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func run() {
    while position < bytes.count {
      if case .string(let hashes, let multiline)? = contexts.last {
        readString(hashes: hashes, multiline: multiline)
      } else {
        readCode()
      }
    }
  }

  private func at(_ offset: Int) -> UInt8 {
    let index = position + offset
    return index < bytes.count ? bytes[index] : 0
  }

  private func starts(with text: StaticString, at offset: Int = 0) -> Bool {
    let wanted = Array(text.description.utf8)
    return position + offset + wanted.count <= bytes.count
      && bytes[(position + offset)..<(position + offset + wanted.count)].elementsEqual(wanted)
  }

  private mutating func skip(_ count: Int) {
    for _ in 0..<count where position < bytes.count {
      if bytes[position] == newline { line += 1 }
      position += 1
    }
  }

  private mutating func readCode() {
    let byte = bytes[position]
    if byte == newline || byte == 0x20 || byte == 0x09 || byte == 0x0D {
      skip(1)
    } else if byte == slash, at(1) == slash {
      while position < bytes.count, bytes[position] != newline { position += 1 }
    } else if byte == slash, at(1) == star {
      skipBlockComment()
    } else if isWord(byte) {
      readWord()
    } else if byte == quote || (byte == hash && opensRawString()) {
      openString()
    } else {
      readPunctuation(byte)
    }
  }

  private mutating func readWord() {
    let start = position
    while position < bytes.count, isWord(bytes[position]) { position += 1 }
    tokens.append(Token(text: String(decoding: bytes[start..<position], as: UTF8.self), line: line))
  }

  private mutating func readPunctuation(_ byte: UInt8) {
    tokens.append(Token(text: String(decoding: [byte], as: UTF8.self), line: line))
    position += 1
    guard case .interpolation(let open)? = contexts.last else { return }
    if byte == openParenthesis {
      contexts[contexts.count - 1] = .interpolation(openParentheses: open + 1)
    } else if byte == closeParenthesis {
      contexts.removeLast()
      if open > 1 { contexts.append(.interpolation(openParentheses: open - 1)) }
    }
  }

  private mutating func skipBlockComment() {
    var depth = 0
    repeat {
      if starts(with: "/*") {
        depth += 1
        skip(2)
      } else if starts(with: "*/") {
        depth -= 1
        skip(2)
      } else {
        skip(1)
      }
    } while depth > 0 && position < bytes.count
  }

  private func opensRawString() -> Bool {
    var offset = 0
    while at(offset) == hash { offset += 1 }
    return at(offset) == quote
  }

  private mutating func openString() {
    tokens.append(Token(text: "\"\"", line: line))
    var hashes = 0
    while at(hashes) == hash { hashes += 1 }
    let multiline = starts(with: "\"\"\"", at: hashes)
    contexts.append(.string(hashes: hashes, multiline: multiline))
    skip(hashes + (multiline ? 3 : 1))
  }

  private mutating func readString(hashes: Int, multiline: Bool) {
    if at(0) == backslash, hasHashes(hashes, at: 1) {
      if at(1 + hashes) == openParenthesis {
        skip(2 + hashes)
        contexts.append(.interpolation(openParentheses: 1))
      } else {
        skip(2 + hashes)
      }
    } else if multiline ? starts(with: "\"\"\"") : at(0) == quote, hasHashes(hashes, at: multiline ? 3 : 1) {
      skip((multiline ? 3 : 1) + hashes)
      contexts.removeLast()
    } else if !multiline, at(0) == newline {
      // An unclosed literal: the compiler will say so; the rest of the file is code again.
      contexts.removeLast()
    } else {
      skip(1)
    }
  }

  private func hasHashes(_ count: Int, at offset: Int) -> Bool {
    (0..<count).allSatisfy { at(offset + $0) == hash }
  }

  private func isWord(_ byte: UInt8) -> Bool {
    (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5A) || (byte >= 0x61 && byte <= 0x7A)
      || byte == 0x5F || byte == 0x24 || byte >= 0x80
  }
}

private let newline: UInt8 = 0x0A
private let quote: UInt8 = 0x22
private let hash: UInt8 = 0x23
private let openParenthesis: UInt8 = 0x28
private let closeParenthesis: UInt8 = 0x29
private let star: UInt8 = 0x2A
private let slash: UInt8 = 0x2F
private let backslash: UInt8 = 0x5C
