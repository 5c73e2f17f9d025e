// Package.swift as text: its targets and what they depend on.

/// The targets of the package.
struct PackageManifest {
  struct Target {
    enum Kind { case library, system, executable, test }
    let kind: Kind
    let name: String
    let dependencies: [String]
    let line: Int
  }

  let targets: [Target]

  init(text: String) {
    var targets: [Target] = []
    var current: (kind: Target.Kind, line: Int, text: String)?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let trimmed = line.drop { $0 == " " }
      if let kind = Self.kind(of: trimmed) {
        if let current { targets += Self.target(current) }
        current = (kind, index + 1, String(trimmed))
      } else if trimmed.hasPrefix("],") || trimmed.hasPrefix("let ") {
        // The list of targets is over.
        if line.hasPrefix("  ]"), let ended = current {
          targets += Self.target(ended)
          current = nil
        } else {
          current?.text += trimmed
        }
      } else {
        current?.text += trimmed
      }
    }
    if let current { targets += Self.target(current) }
    self.targets = targets
  }

  private static func kind(of line: Substring) -> Target.Kind? {
    if line.hasPrefix(".target(") { return .library }
    if line.hasPrefix(".systemLibrary(") { return .system }
    if line.hasPrefix(".executableTarget(") { return .executable }
    return line.hasPrefix(".testTarget(") ? .test : nil
  }

  private static func target(_ read: (kind: Target.Kind, line: Int, text: String)) -> [Target] {
    let quoted = quotedWords(in: read.text)
    guard let name = quoted.first else { return [] }
    var kind = read.kind
    // A C target is a library for the compiler and a system library for the arrows.
    if kind == .library, name.hasPrefix("C"), name.dropFirst().first?.isUppercase == true { kind = .system }
    // What tests share is a target of its own, but no part of the program.
    if read.text.contains("path: \"Tests/") { kind = .test }
    let list = read.text.components(after: "dependencies: [", before: "]")
    return [Target(kind: kind, name: name, dependencies: quotedWords(in: list), line: read.line)]
  }

  private static func quotedWords(in text: String) -> [String] {
    text.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }
}

extension String {
  /// The text between the first `start` and the next `end`; empty when there is none.
  fileprivate func components(after start: String, before end: Character) -> String {
    guard let range = firstRange(of: start) else { return "" }
    let rest = self[range.upperBound...]
    return String(rest[..<(rest.firstIndex(of: end) ?? rest.endIndex)])
  }
}
