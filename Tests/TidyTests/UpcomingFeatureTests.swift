// A misspelt feature name in Package.swift is ignored without a word: here each one is asked for at compile time.

import Testing

@Suite("Compiler features that Package.swift turns on are on")
struct UpcomingFeatureTests {
  @Test("ExistentialAny")
  func existentialAny() {
    #if hasFeature(ExistentialAny)
    #else
      Issue.record("ExistentialAny is off: check its spelling in Package.swift")
    #endif
  }

  @Test("InternalImportsByDefault")
  func internalImports() {
    #if hasFeature(InternalImportsByDefault)
    #else
      Issue.record("InternalImportsByDefault is off: check its spelling in Package.swift")
    #endif
  }

  @Test("MemberImportVisibility")
  func memberImportVisibility() {
    #if hasFeature(MemberImportVisibility)
    #else
      Issue.record("MemberImportVisibility is off: check its spelling in Package.swift")
    #endif
  }

  @Test("NonisolatedNonsendingByDefault")
  func nonisolatedNonsending() {
    #if hasFeature(NonisolatedNonsendingByDefault)
    #else
      Issue.record("NonisolatedNonsendingByDefault is off: check its spelling in Package.swift")
    #endif
  }

  @Test("StrictMemorySafety")
  func strictMemorySafety() {
    #if hasFeature(StrictMemorySafety)
    #else
      Issue.record("StrictMemorySafety is off: check Package.swift")
    #endif
  }

  @Test("a name that does not exist counts as off, so these tests can fail")
  func misspelt() {
    #if hasFeature(ExistentialAnny)
      Issue.record("hasFeature says yes to anything: these tests prove nothing")
    #endif
  }

  @Test("one loop gives all Swift targets the same settings")
  func oneLoop() throws {
    let manifest = try #require(SourceTree.project.text("Package.swift"))
    #expect(manifest.lines.filter { $0.contains("swiftSettings") }.count == 2)
    #expect(manifest.lines.contains { $0.contains("for target in package.targets") })
    #expect(manifest.lines.contains { $0.contains(".treatAllWarnings(as: .error)") })
  }
}
