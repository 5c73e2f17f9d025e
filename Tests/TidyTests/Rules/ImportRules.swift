// The arrows: who may import whom, in Package.swift and in each file.

enum ImportRules {
  /// What each target may depend on, as the design draws it. Package.swift may use less, never more.
  private static let arrows: [String: Set<String>] = [
    "CheckoutCore": [],
    "CheckoutWire": ["CheckoutCore", "CSimdjson", "CCrypto"],
    "WorkerEngine": [],
    "Operations": ["CLinux"],
    "CheckoutStages": ["CheckoutCore", "CheckoutWire", "WorkerEngine"],
    "CheckoutSandbox": ["CheckoutCore", "Operations"],
    "KafkaAdapter": ["CheckoutCore", "CheckoutWire", "WorkerEngine", "Operations", "CRdKafka"],
    "JournalQueue": ["CheckoutCore", "Operations"],
    "SQLiteAdapter": ["CheckoutCore", "CheckoutWire", "CheckoutSandbox", "JournalQueue", "Operations", "CSQLite"],
    "PostgresAdapter": ["CheckoutCore", "CheckoutWire", "JournalQueue", "Operations", "CPostgres"],
    "HTTPAdapter": [
      "CheckoutCore", "CheckoutWire", "WorkerEngine", "CheckoutSandbox", "Operations", "CCurl", "CMicroHTTPD",
    ],
    "CheckoutSimulation": ["CheckoutCore", "CheckoutWire", "WorkerEngine", "CheckoutStages", "CheckoutSandbox"],
    "CheckoutTools": [
      "CheckoutCore", "CheckoutWire", "WorkerEngine", "CheckoutStages", "CheckoutSandbox", "Operations",
    ],
  ]
  /// Decisions and rules that must run anywhere: the standard library and nothing else.
  private static let pureTargets: Set<String> = [
    "CheckoutCore", "CheckoutWire", "WorkerEngine", "CheckoutStages", "CheckoutSandbox", "CheckoutSimulation",
  ]
  /// Measures against Foundation and starts processes; nobody ships it.
  private static let foundationTarget = "CheckoutBench"
  private static let systemModules: Set<String> = ["Synchronization", "Glibc", "FoundationEssentials"]

  static func dependencies(_ manifest: PackageManifest) -> [Violation] {
    manifest.targets.flatMap { target -> [Violation] in
      // The command line wires everything, and tests may use what they test with.
      guard target.kind == .library else { return [] }
      guard let allowed = arrows[target.name] else {
        let message = "\(target.name) is not in the arrows: add it to the design's table and to ImportRules"
        return [Violation(path: "Package.swift", line: target.line, message: message)]
      }
      return target.dependencies.filter { !allowed.contains($0) }.map {
        Violation(path: "Package.swift", line: target.line, message: "\(target.name) may not depend on \($0)")
      }
    }
  }

  static func imports(_ file: SwiftFile, manifest: PackageManifest) -> [Violation] {
    guard file.path.hasPrefix("Sources/") else { return [] }
    let dependencies = Set(manifest.targets.first { $0.name == file.target }?.dependencies ?? [])
    return importedModules(of: file).compactMap { module, line in
      if dependencies.contains(module) { return nil }
      if pureTargets.contains(file.target) {
        if module == "Synchronization" { return nil }
        let message = "\(file.target) may not import \(module): it runs on the standard library alone"
        return Violation(path: file.path, line: line, message: message)
      }
      if systemModules.contains(module) { return nil }
      if module == "Foundation", file.target == foundationTarget { return nil }
      let hint =
        module == "Foundation" ? "use FoundationEssentials or Glibc (three times smaller binary)" : "see arrows"
      return Violation(path: file.path, line: line, message: "\(file.target) may not import \(module): \(hint)")
    }
  }

  private static func importedModules(of file: SwiftFile) -> [(String, Int)] {
    file.tokens.indices.compactMap { index in
      guard file.tokens[index].text == "import", index + 1 < file.tokens.count else { return nil }
      return (file.tokens[index + 1].text, file.tokens[index].line)
    }
  }
}
