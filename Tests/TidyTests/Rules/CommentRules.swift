// Rules on comments: each file says what it is for, each declaration other targets see says what it means.

enum CommentRules {
  /// The first line is a comment (the second after a shebang or Package.swift's tools version).
  static func firstLine(_ file: TextFile) -> [Violation] {
    let commentSigns = ["swift": "// ", "h": "// ", "cpp": "// ", "c": "// ", "py": "# ", "sh": "# "]
    let ending = file.name.split(separator: ".").last.map(String.init) ?? ""
    var index = 0
    let first = file.lines.first ?? ""
    if first.hasPrefix("#!") || first.hasPrefix("// swift-tools-version") { index = 1 }
    let isScript = first.hasPrefix("#!")
    guard let sign = commentSigns[ending] ?? (isScript ? "# " : nil) else { return [] }
    let line = index < file.lines.count ? file.lines[index] : ""
    if line.hasPrefix(sign) || (ending == "py" && line.hasPrefix("\"\"\"")) { return [] }
    return [Violation(path: file.path, line: index + 1, message: "say what the file is for: a first line '\(sign)…'")]
  }

  /// `///` on what other targets see. Exempt, because it would only repeat what stands beside it: the cases of a
  /// documented enum (their names say it), an `init` that only stores its arguments in the documented properties,
  /// what a type has because of one of the project's protocols (the protocol says it), overrides, operators, `hash` and
  /// `description`.
  static func documentation(_ file: SwiftFile, requirements: [String: Set<String>]) -> [Violation] {
    guard !file.isTest else { return [] }
    let declarations = DeclarationReader.declarations(in: file.tokens)
    let conformances = conformances(in: declarations)
    return declarations.compactMap { declaration in
      guard isVisible(declaration, among: declarations), !isExempt(declaration, in: file),
        !isRequired(declaration, among: declarations, conformances, requirements),
        !hasDocumentation(above: declaration.line, in: file.text)
      else { return nil }
      let name = declaration.name.isEmpty ? declaration.keyword : declaration.name
      let message = "\(name) has no '///': say what it means, its unit, range, errors and what the caller does"
      return Violation(path: file.path, line: declaration.line, message: message)
    }
  }

  /// The project's protocols: the names each requires.
  static func requirements(of files: [SwiftFile]) -> [String: Set<String>] {
    var requirements: [String: Set<String>] = [:]
    for file in files {
      let declarations = DeclarationReader.declarations(in: file.tokens)
      for declaration in declarations {
        guard let parent = declaration.parent.map({ declarations[$0] }), parent.keyword == "protocol" else { continue }
        requirements[parent.name, default: []].insert(declaration.name)
      }
    }
    return requirements
  }

  /// What the types of a file conform to, by name, extensions included.
  private static func conformances(in declarations: [Declaration]) -> [String: Set<String>] {
    Dictionary(declarations.map { ($0.name, Set($0.inherited)) }) { $0.union($1) }
  }

  /// The member of a type that one of the type's protocols asks for.
  private static func isRequired(
    _ declaration: Declaration, among all: [Declaration], _ conformances: [String: Set<String>],
    _ requirements: [String: Set<String>]
  ) -> Bool {
    guard let parent = declaration.parent.map({ all[$0] }), !declaration.name.isEmpty else { return false }
    return conformances[parent.name, default: []].contains { requirements[$0, default: []].contains(declaration.name) }
  }

  /// Declared `package`, or a requirement of a `package` protocol.
  private static func isVisible(_ declaration: Declaration, among all: [Declaration]) -> Bool {
    if declaration.modifiers.contains("package") || declaration.modifiers.contains("public") { return true }
    guard let parent = declaration.parent.map({ all[$0] }), parent.keyword == "protocol" else { return false }
    return parent.modifiers.contains("package") && declaration.keyword != "case"
  }

  private static func isExempt(_ declaration: Declaration, in file: SwiftFile) -> Bool {
    let impliedNames: Set<String> = ["hash", "description", "debugDescription", "<", "=", "+", "-", "*"]
    if impliedNames.contains(declaration.name) || declaration.modifiers.contains("override") { return true }
    if declaration.keyword == "deinit" || declaration.keyword == "extension" { return true }
    return declaration.keyword == "init" && onlyStores(declaration, in: file)
  }

  /// Every statement of the body is `self.name = …` or `name = name`.
  private static func onlyStores(_ declaration: Declaration, in file: SwiftFile) -> Bool {
    guard let body = declaration.body else { return false }
    var lines: [Int: [String]] = [:]
    for token in file.tokens[body] { lines[token.line, default: []].append(token.text) }
    return lines.values.allSatisfy { words in
      words.count >= 4 && words[0] == "self" && words[1] == "." && words[3] == "=" && !words.contains("{")
        && !words.contains("(")
    }
  }

  private static func hasDocumentation(above line: Int, in text: TextFile) -> Bool {
    // Attributes may stand on the same line before the declaration or on lines of their own between.
    var index = line - 2
    while index >= 0 {
      let trimmed = text.lines[index].drop { $0 == " " }
      if trimmed.hasPrefix("///") { return true }
      // A reason for safety may stand between, too.
      guard trimmed.hasPrefix("@") || trimmed.hasPrefix("#if") || trimmed.hasPrefix("//") else { return false }
      index -= 1
    }
    return false
  }
}
