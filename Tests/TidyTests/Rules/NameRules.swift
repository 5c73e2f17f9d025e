// Rules on names: calls that make code untestable or unsafe, and words that say nothing.

enum NameRules {
  /// Token sequences that do not belong in the code, and what to use instead.
  private static let bannedCalls: [(tokens: [String], instead: String)] = [
    (["Date", "("], "time is an argument: take it from the clock you were given"),
    (["UUID", "("], "ids are derived, never drawn: see Identifiers"),
    ([".", "random", "("], "randomness is an argument: take the generator you were given"),
    (["Task", ".", "sleep"], "wait for the event itself, or for a due time on the loop"),
    (["Task", "{"], "no unstructured tasks: use a task group, or a NamedThread for a loop"),
    (["Task", ".", "detached"], "no unstructured tasks: use a task group, or a NamedThread for a loop"),
    (["try", "!"], "throw the error, or turn it into an expected outcome"),
    (["as", "!"], "use a protocol requirement or an enum instead of a forced cast"),
    (["fatalError", "("], "bad data is an error value; our own invariants are preconditions"),
  ]
  private static let bannedWords: Set<String> = [
    "Util", "Utils", "Utility", "Utilities", "Helper", "Helpers", "Manager", "Common", "Base", "New", "Misc",
  ]

  static func calls(_ file: SwiftFile) -> [Violation] {
    var violations: [Violation] = []
    for (index, token) in file.tokens.enumerated() {
      for banned in bannedCalls where token.text == banned.tokens[0] && matches(banned.tokens, at: index, in: file) {
        if banned.tokens.contains("random"), namesGenerator(callAt: index + 2, in: file) { continue }
        let call = banned.tokens.joined()
        violations.append(Violation(path: file.path, line: token.line, message: "'\(call)': \(banned.instead)"))
      }
    }
    return violations + prints(file) + publics(file)
  }

  /// `.random(in: range, using: &generator)`: the parenthesis opens at `index`.
  private static func namesGenerator(callAt index: Int, in file: SwiftFile) -> Bool {
    var depth = 0
    for position in file.tokens.indices[index...] {
      let text = file.tokens[position].text
      if text == "(" { depth += 1 }
      if text == ")" { depth -= 1 }
      if depth == 0 { return false }
      if depth == 1, text == "using" { return true }
    }
    return false
  }

  /// `print(` belongs to the command line and to benchmarks; everything else logs or returns text.
  private static func prints(_ file: SwiftFile) -> [Violation] {
    guard !file.path.hasPrefix("Sources/CheckoutCLI/"), !file.path.lowercased().contains("bench") else { return [] }
    return file.tokens.indices.filter { index in
      matches(["print", "("], at: index, in: file) && (index == 0 || file.tokens[index - 1].text != ".")
        && (index == 0 || file.tokens[index - 1].text != "func")
    }.map {
      Violation(path: file.path, line: file.tokens[$0].line, message: "'print(': log it, or return it to the CLI")
    }
  }

  /// `public` is for what another package would import: nothing is.
  private static func publics(_ file: SwiftFile) -> [Violation] {
    file.tokens.filter { $0.text == "public" }.compactMap { token in
      guard file.text.lines[token.line - 1].drop(while: { $0 == " " }).hasPrefix(token.text + " ") else { return nil }
      return Violation(path: file.path, line: token.line, message: "'\(token.text)': use package; nobody imports us")
    }
  }

  static func words(_ file: SwiftFile) -> [Violation] {
    let typeKeywords: Set<String> = ["struct", "class", "enum", "actor", "protocol", "typealias"]
    var violations = emptyWord(in: String(file.text.name.dropLast(6)), of: file, line: 1)
    for declaration in DeclarationReader.declarations(in: file.tokens) where typeKeywords.contains(declaration.keyword)
    {
      violations += emptyWord(in: declaration.name, of: file, line: declaration.line)
    }
    return violations
  }

  private static func emptyWord(in name: String, of file: SwiftFile, line: Int) -> [Violation] {
    words(of: name).filter(bannedWords.contains).map {
      Violation(path: file.path, line: line, message: "'\($0)' in \(name) says nothing: name what it does")
    }
  }

  /// `NewOrderHelpers` → `New`, `Order`, `Helpers`; digits belong to the word before them.
  private static func words(of name: String) -> [String] {
    var words: [String] = []
    for character in name {
      if character.isUppercase || words.isEmpty || character == "+" {
        words.append(String(character))
      } else {
        words[words.count - 1].append(character)
      }
    }
    return words
  }

  private static func matches(_ wanted: [String], at index: Int, in file: SwiftFile) -> Bool {
    guard index + wanted.count <= file.tokens.count else { return false }
    return wanted.indices.allSatisfy { file.tokens[index + $0].text == wanted[$0] }
  }
}
