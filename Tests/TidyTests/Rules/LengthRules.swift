// Rules on length: what does not fit on a few screens is not read.

enum LengthRules {
  static let fileLinesMax = 500
  static let testFileLinesMax = 600
  static let functionLinesMax = 70

  static func files(_ file: SwiftFile) -> [Violation] {
    let limit = file.isTest ? testFileLinesMax : fileLinesMax
    guard file.text.lineCount > limit else { return [] }
    let message = "\(file.text.lineCount) lines, at most \(limit): split it by concern"
    return [Violation(path: file.path, line: limit + 1, message: message)]
  }

  static func functions(_ file: SwiftFile) -> [Violation] {
    let measured: Set<String> = ["func", "init", "deinit", "subscript", "var"]
    return DeclarationReader.declarations(in: file.tokens).compactMap { declaration in
      let length = declaration.endLine - declaration.line + 1
      guard measured.contains(declaration.keyword), length > functionLinesMax else { return nil }
      let name = declaration.name.isEmpty ? declaration.keyword : declaration.name
      let message = "\(name) has \(length) lines, at most \(functionLinesMax): name its parts as functions"
      return Violation(path: file.path, line: declaration.line, message: message)
    }
  }
}
