// The rules, run over the whole project: each failure names file, line and what to do.

import Testing

@Suite("The project keeps its rules")
struct ProjectTidyTests {
  private let tree = SourceTree.project

  private func manifest() throws -> PackageManifest {
    PackageManifest(text: try #require(tree.text("Package.swift")).lines.joined(separator: "\n"))
  }

  @Test("the scan sees the project")
  func scan() {
    #expect(tree.swift.count > 30)
    #expect(tree.text("Package.swift") != nil)
    #expect(tree.text(".ci/run") != nil)
  }

  @Test("files and functions are short")
  func lengths() {
    let violations = tree.swift.flatMap { LengthRules.files($0) + LengthRules.functions($0) }
    #expect(violations.isEmpty, "\(report(violations))")
  }

  @Test("each file says in its first line what it is for")
  func firstLines() {
    let violations = tree.texts.flatMap(CommentRules.firstLine)
    #expect(violations.isEmpty, "\(report(violations))")
  }

  @Test("each declaration that other targets see is documented")
  func documentation() {
    let requirements = CommentRules.requirements(of: tree.swift)
    let violations = tree.swift.flatMap { CommentRules.documentation($0, requirements: requirements) }
    #expect(violations.isEmpty, "\(report(violations))")
  }

  @Test("no call draws time, ids or randomness, waits blindly, or crashes on data")
  func calls() {
    let violations = tree.swift.flatMap(NameRules.calls)
    #expect(violations.isEmpty, "\(report(violations))")
  }

  @Test("no file or type has a name that says nothing")
  func words() {
    let violations = tree.swift.flatMap(NameRules.words)
    #expect(violations.isEmpty, "\(report(violations))")
  }

  @Test("unsafe code lives in Handles/, each with its reason")
  func unsafePlaces() {
    let violations = tree.swift.flatMap(UnsafeRules.places)
    #expect(violations.isEmpty, "\(report(violations))")
  }

  @Test("targets and files import along the arrows only")
  func arrows() throws {
    let manifest = try manifest()
    let violations =
      ImportRules.dependencies(manifest) + tree.swift.flatMap { ImportRules.imports($0, manifest: manifest) }
    #expect(violations.isEmpty, "\(report(violations))")
  }

  @Test("tests mirror the folders of the sources, and each target has some")
  func mirrored() throws {
    let manifest = try manifest()
    let violations =
      TestFolderRules.mirrored(tree, manifest: manifest) + TestFolderRules.present(tree, manifest: manifest)
    #expect(violations.isEmpty, "\(report(violations))")
  }

  @Test("relative links in documents lead somewhere")
  func links() {
    let violations = tree.texts.flatMap { DocumentRules.links($0, in: tree) }
    #expect(violations.isEmpty, "\(report(violations))")
  }

  @Test("nothing points at one machine or outside the project")
  func machinePaths() {
    let violations = tree.texts.flatMap(DocumentRules.machinePaths)
    #expect(violations.isEmpty, "\(report(violations))")
  }

  @Test("decisions are numbered once and linked from DESIGN.md")
  func decisions() {
    let violations = DocumentRules.decisions(tree)
    #expect(violations.isEmpty, "\(report(violations))")
  }

  @Test("metric names and log keys are defined once and documented")
  func keys() {
    let violations =
      KeyRules.documented(KeyRules.metrics, in: tree) + KeyRules.documented(KeyRules.logs, in: tree)
      + KeyRules.metricsElsewhere(tree)
    #expect(violations.isEmpty, "\(report(violations))")
  }
}
