// Each rule on the project as a whole, with a planted violation.

import Testing

@Suite("Rules on the project find what is planted")
struct TreeRuleTests {
  private let manifest = PackageManifest(
    text: """
      let package = Package(
        name: "x",
        targets: [
          .systemLibrary(name: "CRdKafka", pkgConfig: "rdkafka"),
          .target(name: "CheckoutCore", dependencies: ["Operations"]),
          .target(
            name: "KafkaAdapter",
            dependencies: [
              "CheckoutCore", "SQLiteAdapter",
              "CRdKafka",
            ]),
          .target(name: "Mystery"),
          .target(name: "WorkerEngine"),
          .testTarget(name: "KafkaAdapterTests", dependencies: ["Mystery"]),
        ]
      )
      for target in package.targets { f("y") }
      """)

  private func tree(_ files: [(String, String)]) -> SourceTree {
    SourceTree(
      swift: files.filter { $0.0.hasSuffix(".swift") }.map { SwiftFile(path: $0.0, text: $0.1) },
      texts: files.map { TextFile(path: $0.0, text: $0.1) })
  }

  @Test("the manifest is read as it is written")
  func reading() {
    #expect(
      manifest.targets.map(\.name) == [
        "CRdKafka", "CheckoutCore", "KafkaAdapter", "Mystery", "WorkerEngine", "KafkaAdapterTests",
      ])
    #expect(manifest.targets[2].dependencies == ["CheckoutCore", "SQLiteAdapter", "CRdKafka"])
  }

  @Test("a dependency against the arrows, and a target nobody drew")
  func dependencies() {
    #expect(
      ImportRules.dependencies(manifest).map(\.description) == [
        "Package.swift:5: CheckoutCore may not depend on Operations",
        "Package.swift:6: KafkaAdapter may not depend on SQLiteAdapter",
        "Package.swift:12: Mystery is not in the arrows: add it to the design's table and to ImportRules",
      ])
  }

  @Test(
    "an import against the arrows",
    arguments: [
      ("WorkerEngine", "import Foundation"), ("WorkerEngine", "import Glibc"), ("WorkerEngine", "import CRdKafka"),
      ("KafkaAdapter", "package import Foundation"), ("KafkaAdapter", "import Operations"),
    ])
  func imports(_ target: String, _ line: String) {
    let file = SwiftFile(path: "Sources/\(target)/X.swift", text: "\n" + line)
    #expect(ImportRules.imports(file, manifest: manifest).map(\.line) == [2])
  }

  @Test("imports along the arrows")
  func allowedImports() {
    let engine = SwiftFile(path: "Sources/WorkerEngine/X.swift", text: "import Synchronization")
    let adapter = SwiftFile(path: "Sources/KafkaAdapter/X.swift", text: "import Glibc\npackage import CheckoutCore")
    #expect(ImportRules.imports(engine, manifest: manifest).isEmpty)
    #expect(ImportRules.imports(adapter, manifest: manifest).isEmpty)
  }

  @Test("a test in a folder that mirrors nothing; a target without tests")
  func mirrored() {
    let tree = tree([
      ("Sources/KafkaAdapter/Handles/A.swift", ""), ("Sources/WorkerEngine/W.swift", ""),
      ("Tests/KafkaAdapterTests/Handles/ATests.swift", ""), ("Tests/KafkaAdapterTests/Fixtures/F.swift", ""),
      ("Tests/KafkaAdapterTests/Elsewhere/BTests.swift", ""),
    ])
    #expect(
      TestFolderRules.mirrored(tree, manifest: manifest).map(\.path) == [
        "Tests/KafkaAdapterTests/Elsewhere/BTests.swift"
      ])
    #expect(
      TestFolderRules.present(tree, manifest: manifest).map(\.message) == [
        "WorkerEngine has no tests: add Tests/WorkerEngineTests"
      ])
  }

  @Test("a link that leads nowhere, or to a heading that is not there")
  func links() {
    let tree = tree([
      (
        "docs/a.md",
        "# Here\n[x](../README.md) [y](gone.md)\n[z](#here) [w](#there)\n`[c](code.md)` [u](https://a.b/c)\n[o](../../up.md)"
      ),
      ("README.md", "[a](docs/a.md#here)\n```\n[n](nothing.md)\n```\n"),
    ])
    let found = tree.texts.flatMap { DocumentRules.links($0, in: tree) }
    #expect(
      found.map(\.description) == [
        "docs/a.md:2: the link to gone.md leads nowhere", "docs/a.md:3: docs/a.md has no heading for #there",
        "docs/a.md:5: the link to ../../up.md leads nowhere",
      ])
  }

  @Test("a path of one machine")
  func machinePaths() {
    let file = TextFile(path: "a.md", text: "see\n/wo" + "rk/main\n../sha" + "red/x\n")
    #expect(DocumentRules.machinePaths(file).map(\.line) == [2, 3])
  }

  @Test("decisions with one number, without one, or not linked")
  func decisions() {
    let tree = tree([
      ("docs/decisions/0001-a.md", ""), ("docs/decisions/0001-b.md", ""), ("docs/decisions/notes.md", ""),
      ("DESIGN.md", "[a](docs/decisions/0001-a.md) [n](docs/decisions/notes.md)"),
    ])
    #expect(
      DocumentRules.decisions(tree).map(\.description) == [
        "docs/decisions/0001-b.md:1: 0001 is taken by 0001-a.md",
        "docs/decisions/0001-b.md:1: link it from DESIGN.md: (docs/decisions/0001-b.md)",
        "docs/decisions/notes.md:1: call it NNNN-title.md",
      ])
  }

  @Test("a key that is explained nowhere, defined nowhere, defined twice, or spelt elsewhere")
  func keys() {
    let tree = tree([
      (
        KeyRules.metrics.definition,
        "Metric(name: \"checkout_a\")\nMetric(name: \"checkout_b\")\nMetric(name: \"checkout_b\")\n"
      ),
      (KeyRules.metrics.document, "| `checkout_a` | … |\n| `checkout_c` | … |\n"),
      ("Sources/A/X.swift", "\nlet a = \"checkout_a\"\n"),
    ])
    #expect(
      KeyRules.documented(KeyRules.metrics, in: tree).map(\.description) == [
        "Sources/Operations/Metrics/MetricName.swift:3: checkout_b stands here twice",
        "Sources/Operations/Metrics/MetricName.swift:2: explain checkout_b in docs/metrics.md",
        "Sources/Operations/Metrics/MetricName.swift:3: explain checkout_b in docs/metrics.md",
        "docs/metrics.md:2: checkout_c is not in Sources/Operations/Metrics/MetricName.swift",
      ])
    #expect(
      KeyRules.metricsElsewhere(tree).map(\.description) == [
        "Sources/A/X.swift:2: \"checkout_a\" again: use MetricName"
      ])
  }
}
