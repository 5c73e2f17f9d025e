// Rules on keys: a metric or log key is defined once, in one file, and explained in one document.

enum KeyRules {
  /// Where keys are defined, where they are explained, and what the definition looks like.
  struct KeyKind {
    let definition: String
    let document: String
    /// The text before the quoted key.
    let prefix: String
  }

  static let metrics = KeyKind(
    definition: "Sources/Operations/Metrics/MetricName.swift", document: "docs/metrics.md", prefix: "name: \"")
  static let logs = KeyKind(
    definition: "Sources/Operations/Log/LogKey.swift", document: "docs/logs.md", prefix: " = \"")

  /// Each key is defined once; the document's tables (`| `key` | … |`) hold exactly the defined keys.
  static func documented(_ kind: KeyKind, in tree: SourceTree) -> [Violation] {
    guard let definition = tree.text(kind.definition) else {
      return [Violation(path: kind.definition, line: 1, message: "is missing: it defines the keys")]
    }
    guard let document = tree.text(kind.document) else {
      return [Violation(path: kind.document, line: 1, message: "is missing: it explains the keys")]
    }
    let defined = keys(in: definition, after: kind.prefix)
    let explained = keys(in: document, after: "| `")
    var violations = repeated(defined, in: definition) + repeated(explained, in: document)
    for (key, line) in defined where !explained.contains(where: { $0.key == key }) {
      violations.append(Violation(path: definition.path, line: line, message: "explain \(key) in \(document.path)"))
    }
    for (key, line) in explained where !defined.contains(where: { $0.key == key }) {
      violations.append(Violation(path: document.path, line: line, message: "\(key) is not in \(definition.path)"))
    }
    return violations
  }

  /// No metric name outside its file: a second spelling would be a second metric.
  static func metricsElsewhere(_ tree: SourceTree) -> [Violation] {
    guard let definition = tree.text(metrics.definition) else { return [] }
    let names = keys(in: definition, after: metrics.prefix).map(\.key)
    return tree.swift.filter { $0.path.hasPrefix("Sources/") && $0.path != definition.path }.flatMap { file in
      file.text.lines.enumerated().flatMap { index, line in
        guard line.contains("\"checkout_") else { return [Violation]() }
        return names.filter { line.contains("\"\($0)\"") }.map {
          Violation(path: file.path, line: index + 1, message: "\"\($0)\" again: use MetricName")
        }
      }
    }
  }

  private static func keys(in file: TextFile, after prefix: String) -> [(key: String, line: Int)] {
    let closing: Character = prefix.last == "`" ? "`" : "\""
    return file.lines.enumerated().compactMap { index, line in
      guard !line.drop(while: { $0 == " " }).hasPrefix("//"), let range = line.firstRange(of: prefix) else {
        return nil
      }
      let key = line[range.upperBound...].prefix { $0 != closing }
      return key.isEmpty ? nil : (String(key), index + 1)
    }
  }

  private static func repeated(_ keys: [(key: String, line: Int)], in file: TextFile) -> [Violation] {
    var seen: Set<String> = []
    return keys.filter { !seen.insert($0.key).inserted }.map {
      Violation(path: file.path, line: $0.line, message: "\($0.key) stands here twice")
    }
  }
}
