// Finds declarations in tokens: what is declared, where it starts and ends, and inside what.

/// A declaration with its place.
struct Declaration: Hashable {
  /// `func`, `init`, `struct`, `case`, …
  let keyword: String
  /// The declared name; empty for `init`, `deinit`, `subscript`.
  let name: String
  /// Modifiers before the keyword (`package`, `static`, …), attributes left out.
  let modifiers: [String]
  /// Line of the first modifier or the keyword.
  let line: Int
  /// Line of the closing brace; the same as `line` without a body.
  let endLine: Int
  /// Index of the token after the opening brace, and of the closing one; nil without a body.
  let body: Range<Int>?
  /// Index into the list of declarations of the type or extension around it.
  let parent: Int?
  /// The names after the colon of a type or extension.
  let inherited: [String]
}

/// Reads the declarations of one file, in order.
struct DeclarationReader {
  private let tokens: [Token]
  private var found: [Declaration] = []

  private static let types: Set<String> = ["struct", "class", "enum", "actor", "protocol", "extension"]
  private static let keywords: Set<String> = types.union([
    "func", "init", "deinit", "subscript", "var", "let", "typealias", "case", "associatedtype",
  ])
  private static let modifiers: Set<String> = [
    "package", "private", "fileprivate", "internal", "public", "open", "static", "final", "override", "mutating",
    "nonmutating", "consuming", "borrowing", "nonisolated", "convenience", "required", "prefix", "infix", "postfix",
    "indirect", "lazy", "weak", "unowned", "isolated", "distributed", "class",
  ]

  static func declarations(in tokens: [Token]) -> [Declaration] {
    var reader = DeclarationReader(tokens: tokens)
    reader.read(0..<tokens.count, parent: nil)
    return reader.found
  }

  private init(tokens: [Token]) { self.tokens = tokens }

  /// Reads the declarations directly inside `range`, and descends into types.
  private mutating func read(_ range: Range<Int>, parent: Int?) {
    var index = range.lowerBound
    while index < range.upperBound {
      let text = tokens[index].text
      if text == "{" {
        // The body of something that is no declaration (a top-level statement): nothing to find in it.
        index = closingBrace(from: index, below: range.upperBound) + 1
      } else if isKeyword(at: index) {
        index = readDeclaration(at: index, in: range, parent: parent)
      } else {
        index += 1
      }
    }
  }

  /// `class` is also a modifier, and every keyword may be an argument label or a member (`.init`, `case:`).
  private func isKeyword(at index: Int) -> Bool {
    guard Self.keywords.contains(tokens[index].text) else { return false }
    if index > 0, tokens[index - 1].text == "." { return false }
    let next = index + 1 < tokens.count ? tokens[index + 1].text : ""
    if tokens[index].text == "class", Self.keywords.contains(next) || next == "override" { return false }
    return next != ":" && next != "," && next != ")"
  }

  private mutating func readDeclaration(at index: Int, in range: Range<Int>, parent: Int?) -> Int {
    let (modifiers, first) = modifiersBefore(index, notBefore: range.lowerBound)
    let keyword = tokens[index].text
    let nameless = keyword == "init" || keyword == "deinit" || keyword == "subscript"
    let brace = openingBrace(of: keyword, at: index, below: range.upperBound)
    let end = brace.map { closingBrace(from: $0, below: range.upperBound) }
    let declaration = Declaration(
      keyword: keyword,
      name: nameless || index + 1 >= tokens.count ? "" : tokens[index + 1].text,
      modifiers: modifiers,
      line: tokens[first].line,
      endLine: tokens[end ?? index].line,
      body: brace.flatMap { brace in end.map { max(brace + 1, 0)..<max(brace + 1, $0) } },
      parent: parent,
      inherited: Self.types.contains(keyword) ? inherited(from: index, to: brace ?? index) : []
    )
    found.append(declaration)
    guard let brace, let end else { return index + 1 }
    if Self.types.contains(keyword) { read((brace + 1)..<max(end, brace + 1), parent: found.count - 1) }
    return end + 1
  }

  private func modifiersBefore(_ index: Int, notBefore lowest: Int) -> ([String], Int) {
    var modifiers: [String] = []
    var first = index
    while first - 1 >= lowest {
      let text = tokens[first - 1].text
      if Self.modifiers.contains(text) {
        modifiers.insert(text, at: 0)
        first -= 1
      } else if text == ")", first - 4 >= lowest, tokens[first - 3].text == "(",
        Self.modifiers.contains(tokens[first - 4].text)
      {
        // private(set), nonisolated(unsafe)
        first -= 4
      } else {
        break
      }
    }
    return (modifiers, first)
  }

  /// The brace that opens the declaration's body, if it has one.
  ///
  /// A body opens on the signature's last line; a signature goes on while parentheses or brackets are open, or when the
  /// next line starts with what can only continue one.
  private func openingBrace(of keyword: String, at index: Int, below end: Int) -> Int? {
    let continues: Set<String> = ["{", "-", "where", "throws", "async", ":", ",", "&", "(", "<", ">", "=", "else", ")"]
    if keyword == "case" || keyword == "typealias" || keyword == "associatedtype" { return nil }
    var depth = 0
    var current = index
    while current < end {
      let token = tokens[current]
      switch token.text {
      case "(", "[": depth += 1
      case ")", "]": depth -= 1
      case "{" where depth == 0: return current
      default: break
      }
      let next = current + 1
      guard next < end else { return nil }
      let endsLine = tokens[next].line > token.line
      let goesOn = continues.contains(tokens[next].text) || [",", ":", "&", "=", "-"].contains(token.text)
      if depth == 0, endsLine, !goesOn { return nil }
      current = next
    }
    return nil
  }

  private func closingBrace(from open: Int, below end: Int) -> Int {
    var depth = 0
    for index in open..<end {
      if tokens[index].text == "{" { depth += 1 }
      if tokens[index].text == "}" {
        depth -= 1
        if depth == 0 { return index }
      }
    }
    return max(open, end - 1)
  }

  private func inherited(from index: Int, to brace: Int) -> [String] {
    guard let colon = (index..<brace).first(where: { tokens[$0].text == ":" }) else { return [] }
    let end = (colon..<brace).first { tokens[$0].text == "where" } ?? brace
    return tokens[(colon + 1)..<end].map(\.text).filter { $0 != "," }
  }
}
