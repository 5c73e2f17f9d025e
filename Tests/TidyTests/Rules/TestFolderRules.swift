// Tests mirror the sources: who looks for the tests of a file finds them at the same path.

enum TestFolderRules {
  /// Folders that hold what tests read or share, not tests of a source folder.
  private static let freeFolders: Set<String> = ["Fixtures", "Regressions", "Conformance", "Recordings"]

  /// One suite that runs against several targets mirrors none of them.
  private static let sharedSuites: Set<String> = ["TidyTests", "ConformanceTests"]

  static func mirrored(_ tree: SourceTree, manifest: PackageManifest) -> [Violation] {
    let shared = sharedSuites.union(
      manifest.targets.filter { $0.kind == .test }.map(\.name).filter { !$0.hasSuffix("Tests") })
    let sourceFolders = Set(tree.swift.filter { !$0.isTest }.map(\.text.folder))
    return tree.swift.filter { $0.isTest && !shared.contains($0.target) }.compactMap { file in
      guard file.target.hasSuffix("Tests") else {
        return Violation(path: file.path, line: 1, message: "test folders are called <Target>Tests")
      }
      let target = file.target.replacingSuffix("IntegrationTests", with: "").replacingSuffix("Tests", with: "")
      var parts = file.text.folder.split(separator: "/").dropFirst(2).map(String.init)
      while let last = parts.last, freeFolders.contains(last) { parts.removeLast() }
      let wanted = (["Sources", target] + parts).joined(separator: "/")
      if sourceFolders.contains(wanted) || sourceFolders.contains(where: { $0.hasPrefix(wanted + "/") }) { return nil }
      return Violation(path: file.path, line: 1, message: "mirrors \(wanted), which does not exist: move it")
    }
  }

  /// Each Swift target with real files has a test target.
  static func present(_ tree: SourceTree, manifest: PackageManifest) -> [Violation] {
    let tested = Set(tree.swift.filter(\.isTest).map(\.target))
    return manifest.targets.filter { $0.kind == .library }.compactMap { target in
      let files = tree.swift.filter { $0.target == target.name && $0.text.name != "Placeholder.swift" }
      if files.isEmpty || tested.contains(target.name + "Tests") { return nil }
      let message = "\(target.name) has no tests: add Tests/\(target.name)Tests"
      return Violation(path: "Package.swift", line: target.line, message: message)
    }
  }
}

extension String {
  fileprivate func replacingSuffix(_ suffix: String, with replacement: String) -> String {
    hasSuffix(suffix) ? dropLast(suffix.count) + replacement : self
  }
}
