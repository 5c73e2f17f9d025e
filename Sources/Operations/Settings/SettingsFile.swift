// The configuration file: a small, strict part of TOML, so that any editor knows it. Debian has no TOML library for C
// or Swift that is kept up, and this part is a page long.

/// A file's settings in order, each with its line.
package struct SettingsFile: Hashable, Sendable {
  /// One `key = value`.
  package struct Entry: Hashable, Sendable {
    /// `section.key`; the key may have dots of its own (`kafka.sasl.mechanism`).
    package let name: String
    /// As one would write it on the command line: strings without quotes, arrays with commas.
    package let value: String
    /// Counted from 1.
    package let line: Int

    package init(name: String, value: String, line: Int) {
      self.name = name
      self.value = value
      self.line = line
    }
  }

  /// Where it came from, for messages.
  package let path: String
  /// In the file's order; names are unique.
  package let entries: [Entry]

  /// Reads `text`: `[section]`, `key = "text"`, numbers, `true`, `false`, arrays of those on one line, `#` comments.
  ///
  /// Throws a usage problem (exit 2) that names file and line.
  package init(path: String, text: String) throws(Problem) {
    self.path = path
    var section = ""
    var entries: [Entry] = []
    var seen: [String: Int] = [:]
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      var reader = TOMLLine(line)
      do throws(TOMLLine.Fault) {
        switch try reader.read() {
        case .nothing: break
        case .section(let name): section = name
        case .entry(let key, let value):
          let name = section.isEmpty ? key : section + "." + key
          if let first = seen[name] { throw TOMLLine.Fault(message: "\(name) is set in line \(first) already") }
          seen[name] = index + 1
          entries.append(Entry(name: name, value: value, line: index + 1))
        }
      } catch {
        throw .usage("\(path):\(index + 1): \(error.message)")
      }
    }
    self.entries = entries
  }
}

/// Reads one line.
private struct TOMLLine {
  enum Content {
    case nothing
    case section(String)
    case entry(key: String, value: String)
  }

  struct Fault: Error {
    let message: String
  }

  private var rest: Substring

  init(_ line: Substring) { rest = line }

  mutating func read() throws(Fault) -> Content {
    skipBlanks()
    guard let first = rest.first, first != "#" else { return .nothing }
    if first == "[" {
      rest.removeFirst()
      if rest.first == "[" { throw Fault(message: "arrays of tables ([[…]]) mean nothing here") }
      let name = try key()
      guard rest.popFirst() == "]" else { throw Fault(message: "the section's name does not end with ]") }
      try end()
      return .section(name)
    }
    let name = try key()
    guard rest.popFirst() == "=" else { throw Fault(message: "expected: key = value") }
    skipBlanks()
    let text = try value()
    try end()
    return .entry(key: name, value: text)
  }

  private mutating func skipBlanks() { rest = rest.drop { $0 == " " || $0 == "\t" } }

  private mutating func end() throws(Fault) {
    skipBlanks()
    if let first = rest.first, first != "#" { throw Fault(message: "nothing may follow here, but there is: \(rest)") }
  }

  /// Bare, quoted or dotted, up to what follows it.
  private mutating func key() throws(Fault) -> String {
    var parts: [String] = []
    repeat {
      if !parts.isEmpty { rest.removeFirst() }
      skipBlanks()
      if rest.first == "\"" || rest.first == "'" {
        parts.append(try string())
      } else {
        let bare = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
        if bare.isEmpty { throw Fault(message: "a name is missing: letters, digits, _ and -, or quotes around it") }
        parts.append(String(bare))
        rest = rest.dropFirst(bare.count)
      }
      skipBlanks()
    } while rest.first == "."
    return parts.joined(separator: ".")
  }

  private mutating func value() throws(Fault) -> String {
    guard let first = rest.first else { throw Fault(message: "a value is missing") }
    if first == "\"" || first == "'" { return try string() }
    if first == "[" { return try array() }
    let bare = rest.prefix { !$0.isWhitespace && $0 != "#" && $0 != "," && $0 != "]" }
    rest = rest.dropFirst(bare.count)
    let digits = bare.filter { $0 != "_" }
    guard bare == "true" || bare == "false" || Int64(digits) != nil else {
      throw Fault(message: "put quotes around the value: \"\(bare)\"")
    }
    return digits
  }

  private mutating func array() throws(Fault) -> String {
    rest.removeFirst()
    var values: [String] = []
    while true {
      skipBlanks()
      if rest.isEmpty { throw Fault(message: "the array does not end with ] on this line") }
      if rest.first == "]" { break }
      let element = try value()
      if element.contains(",") { throw Fault(message: "a value in an array may not hold a comma") }
      values.append(element)
      skipBlanks()
      if rest.isEmpty { throw Fault(message: "the array does not end with ] on this line") }
      if rest.first == "," {
        rest.removeFirst()
      } else if rest.first != "]" {
        throw Fault(message: "values of an array have commas between them")
      }
    }
    rest.removeFirst()
    return values.joined(separator: ",")
  }

  private mutating func string() throws(Fault) -> String {
    guard let quote = rest.popFirst() else { return "" }
    var text = ""
    while let character = rest.popFirst() {
      if character == quote { return text }
      guard character == "\\", quote == "\"" else {
        text.append(character)
        continue
      }
      guard let escaped = rest.popFirst(), let meant = Self.escapes[escaped] else {
        throw Fault(message: "unknown escape in a string; there are \\\\ \\\" \\n \\t, or use '…'")
      }
      text.append(meant)
    }
    throw Fault(message: "the string has no closing \(quote)")
  }

  private static let escapes: [Character: Character] = ["\\": "\\", "\"": "\"", "n": "\n", "t": "\t"]
}
