// Rules on documents: links lead somewhere, nothing points outside the project, decisions are numbered and listed.

enum DocumentRules {
  /// Relative links of a Markdown file lead to a file, folder or heading of the project.
  static func links(_ file: TextFile, in tree: SourceTree) -> [Violation] {
    guard file.name.hasSuffix(".md") else { return [] }
    var violations: [Violation] = []
    for (target, line) in linkTargets(of: file) where !target.hasPrefix("mailto:") && !target.contains("://") {
      let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let path = parts[0].isEmpty ? file.path : resolve(parts[0], from: file.folder)
      guard let path, tree.holds(path) else {
        violations.append(Violation(path: file.path, line: line, message: "the link to \(target) leads nowhere"))
        continue
      }
      guard parts.count > 1, let document = tree.text(path), path.hasSuffix(".md") else { continue }
      if !headings(of: document).contains(parts[1]) {
        violations.append(Violation(path: file.path, line: line, message: "\(path) has no heading for #\(parts[1])"))
      }
    }
    return violations
  }

  /// No path of the machine it was written on, nothing outside the repository.
  static func machinePaths(_ file: TextFile) -> [Violation] {
    // Put together, so that this file does not find itself.
    let forbidden = ["/wo" + "rk/", "../sha" + "red", "/ro" + "ot/", "/ho" + "me/"]
    return file.lines.indices.flatMap { index in
      forbidden.filter { file.lines[index].contains($0) }.map {
        Violation(path: file.path, line: index + 1, message: "'\($0)' is a path of one machine: write it relative")
      }
    }
  }

  /// Decision notes are called `NNNN-title.md`, have a number of their own, and DESIGN.md links each.
  static func decisions(_ tree: SourceTree) -> [Violation] {
    let folder = "docs/decisions"
    let notes = tree.texts.filter { $0.folder == folder && $0.name.hasSuffix(".md") }
    let design = tree.text("DESIGN.md")?.lines.joined(separator: "\n") ?? ""
    var seen: [String: String] = [:]
    return notes.flatMap { note -> [Violation] in
      var violations: [Violation] = []
      let number = String(note.name.prefix(4))
      if !number.allSatisfy(\.isNumber) || !note.name.dropFirst(4).hasPrefix("-") {
        violations.append(Violation(path: note.path, line: 1, message: "call it NNNN-title.md"))
      } else if let other = seen[number] {
        violations.append(Violation(path: note.path, line: 1, message: "\(number) is taken by \(other)"))
      }
      seen[number] = note.name
      if !design.contains("(\(note.path))") {
        violations.append(Violation(path: note.path, line: 1, message: "link it from DESIGN.md: (\(note.path))"))
      }
      return violations
    }
  }

  /// `[text](target)` outside code, with its line.
  private static func linkTargets(of file: TextFile) -> [(String, Int)] {
    var found: [(String, Int)] = []
    var inCode = false
    for (index, line) in file.lines.enumerated() {
      if line.drop(while: { $0 == " " }).hasPrefix("```") { inCode.toggle() }
      guard !inCode else { continue }
      for piece in withoutCode(line).split(separator: "](", omittingEmptySubsequences: false).dropFirst() {
        let target = piece.prefix { $0 != ")" && $0 != " " }
        if !target.isEmpty { found.append((String(target), index + 1)) }
      }
    }
    return found
  }

  private static func withoutCode(_ line: String) -> String {
    line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .map { $0.offset % 2 == 0 ? String($0.element) : "" }.joined()
  }

  /// `path` as seen from `folder`, from the project's root; nil when it leaves the project.
  private static func resolve(_ path: String, from folder: String) -> String? {
    var parts = folder.split(separator: "/").map(String.init)
    for part in path.split(separator: "/").map(String.init) where part != "." {
      if part != ".." {
        parts.append(part)
      } else if parts.popLast() == nil {
        return nil
      }
    }
    return parts.joined(separator: "/")
  }

  /// The anchors of a document's headings, as hosts make them.
  private static func headings(of file: TextFile) -> Set<String> {
    Set(
      file.lines.filter { $0.hasPrefix("#") }.map { line in
        let title = line.drop { $0 == "#" || $0 == " " }.lowercased()
        return String(title.compactMap { $0 == " " ? "-" : $0.isLetter || $0.isNumber || "-_".contains($0) ? $0 : nil })
      })
  }
}
