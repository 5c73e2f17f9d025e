// The repository as the rules see it: every text file that belongs to the project, read once.

import Foundation

/// One text file: its path from the project's root, and its lines.
struct TextFile {
  let path: String
  let lines: [String]

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// Path without its last component.
  var folder: String { path.split(separator: "/").dropLast().joined(separator: "/") }
  /// The last component of the path.
  var name: String { String(path.split(separator: "/").last ?? "") }
  /// The file's lines without the empty one after the last line break.
  var lineCount: Int { lines.last == "" ? lines.count - 1 : lines.count }
}

/// A Swift file, with its tokens.
struct SwiftFile {
  let text: TextFile
  let tokens: [Token]

  init(path: String, text source: String) {
    text = TextFile(path: path, text: source)
    tokens = SwiftLexer.tokens(of: source)
  }

  var path: String { text.path }
  /// `Sources/Operations/Log/Log.swift` belongs to `Operations`.
  var target: String {
    let parts = path.split(separator: "/")
    return parts.count > 2 ? String(parts[1]) : ""
  }
  var isTest: Bool { path.hasPrefix("Tests/") }
}

/// All files of the project.
struct SourceTree {
  let swift: [SwiftFile]
  let texts: [TextFile]

  /// The project this test file lies in.
  static let project = SourceTree(root: projectRoot)

  private static let projectRoot: URL = {
    var folder = URL(filePath: #filePath)
    for _ in 0..<4 { folder.deleteLastPathComponent() }
    return folder
  }()

  private static let skippedFolders: Set<String> = [".git", ".build", ".venv", ".tools", "dist", "out", "__pycache__"]
  private static let textEndings: Set<String> = [
    "swift", "md", "sh", "py", "c", "h", "cpp", "json", "yaml", "yml", "txt", "html", "css", "js", "modulemap", "sql",
  ]

  init(swift: [SwiftFile], texts: [TextFile]) {
    self.swift = swift
    self.texts = texts
  }

  init(root: URL) {
    var swift: [SwiftFile] = []
    var texts: [TextFile] = []
    for path in Self.paths(under: root, prefix: "") {
      guard let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8) else { continue }
      if path.hasSuffix(".swift") {
        let file = SwiftFile(path: path, text: text)
        swift.append(file)
        texts.append(file.text)
      } else {
        texts.append(TextFile(path: path, text: text))
      }
    }
    self.init(swift: swift, texts: texts)
  }

  func text(_ path: String) -> TextFile? { texts.first { $0.path == path } }

  /// Whether a file or folder of the project has this path.
  func holds(_ path: String) -> Bool {
    texts.contains { $0.path == path || $0.path.hasPrefix(path + "/") }
  }

  private static func paths(under folder: URL, prefix: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
    return names.sorted().flatMap { name -> [String] in
      guard !skippedFolders.contains(name), !name.hasPrefix(".build-") else { return [] }
      let below = folder.appending(path: name)
      var isFolder: ObjCBool = false
      // SAFETY: the flag lives on this stack for the call's length.
      guard unsafe FileManager.default.fileExists(atPath: below.path(percentEncoded: false), isDirectory: &isFolder)
      else { return [] }
      if isFolder.boolValue { return paths(under: below, prefix: prefix + name + "/") }
      let parts = name.split(separator: ".")
      let isText = parts.count < 2 || name.hasPrefix(".") || textEndings.contains(String(parts.last ?? ""))
      return isText ? [prefix + name] : []
    }
  }
}
