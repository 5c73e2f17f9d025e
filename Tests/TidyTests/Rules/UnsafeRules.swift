// Rules on unsafe code: only where one Swift type owns one C object, and never without the reason why it is safe.

enum UnsafeRules {
  /// How far above an unsafe expression its reason may stand.
  static let reasonLinesMax = 15

  static func places(_ file: SwiftFile) -> [Violation] {
    let unsafeLines = linesWithUnsafe(in: file)
    guard !unsafeLines.isEmpty else { return [] }
    guard isHandle(file) else {
      let message = "unsafe code: move it into the adapter's Handles/ folder, behind a safe type"
      return unsafeLines.map { Violation(path: file.path, line: $0, message: message) }
    }
    let covered = typesWithReason(in: file)
    return unsafeLines.filter { line in
      !hasReason(near: line, in: file.text) && !covered.contains { $0.contains(line) }
    }.map {
      Violation(path: file.path, line: $0, message: "no '// SAFETY:' above: say why this is safe")
    }
  }

  private static func isHandle(_ file: SwiftFile) -> Bool {
    if file.path == "Tests/TidyTests/Reading/SourceTree.swift" { return true }
    let allowed = file.target.hasSuffix("Adapter") || file.target == "CheckoutWire" || file.target == "Operations"
    return (allowed || file.isTest) && file.text.folder.split(separator: "/").contains("Handles")
  }

  private static func linesWithUnsafe(in file: SwiftFile) -> [Int] {
    var lines: [Int] = []
    for (index, token) in file.tokens.enumerated() {
      let before = index > 0 ? file.tokens[index - 1].text : ""
      let isUnsafe = token.text == "unsafe" && before != "."
      let isUnchecked = token.text == "unchecked" && before == "@"
      if isUnsafe || isUnchecked, lines.last != token.line { lines.append(token.line) }
    }
    return lines
  }

  /// Lines of the types whose own comment gives the reason for everything inside (who owns the pointer, who may call).
  private static func typesWithReason(in file: SwiftFile) -> [ClosedRange<Int>] {
    let types: Set<String> = ["struct", "class", "enum", "actor", "extension"]
    return DeclarationReader.declarations(in: file.tokens).compactMap { declaration in
      guard types.contains(declaration.keyword), declaration.endLine > declaration.line else { return nil }
      var index = declaration.line - 2
      while index >= 0 {
        let trimmed = file.text.lines[index].drop { $0 == " " }
        guard trimmed.hasPrefix("//") || trimmed.hasPrefix("@") else { return nil }
        if trimmed.hasPrefix("// SAFETY:") { return declaration.line...declaration.endLine }
        index -= 1
      }
      return nil
    }
  }

  private static func hasReason(near line: Int, in text: TextFile) -> Bool {
    text.lines[max(0, line - reasonLinesMax - 1)..<line].contains { $0.contains("// SAFETY:") }
  }
}
