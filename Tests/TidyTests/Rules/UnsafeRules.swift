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
    return unsafeLines.filter { !hasReason(near: $0, in: file.text) }.map {
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

  private static func hasReason(near line: Int, in text: TextFile) -> Bool {
    text.lines[max(0, line - reasonLinesMax - 1)..<line].contains { $0.contains("// SAFETY:") }
  }
}
