// Each rule on code, with a planted violation: a rule that cannot fail protects nothing.

import Testing

@Suite("Rules on code find what is planted")
struct CodeRuleTests {
  private func source(_ text: String, at path: String = "Sources/CheckoutCore/X.swift") -> SwiftFile {
    SwiftFile(path: path, text: text)
  }

  private func lines(_ violations: [Violation]) -> [Int] { violations.map(\.line) }

  @Test("a file of 501 lines; tests may have 600")
  func longFile() {
    let text = String(repeating: "\n", count: 501)
    #expect(lines(LengthRules.files(source(text))) == [501])
    #expect(LengthRules.files(source(text, at: "Tests/ATests/X.swift")).isEmpty)
    #expect(LengthRules.files(source(String(repeating: "\n", count: 500))).isEmpty)
  }

  @Test("a function of 71 lines")
  func longFunction() {
    let text = "struct A {\n  func f() {\n" + String(repeating: "\n", count: 69) + "  }\n}\n"
    #expect(lines(LengthRules.functions(source(text))) == [2])
    let shorter = "struct A {\n  func f() {\n" + String(repeating: "\n", count: 68) + "  }\n}\n"
    #expect(LengthRules.functions(source(shorter)).isEmpty)
  }

  @Test("a file without a first line that says what it is for")
  func firstLine() {
    #expect(lines(CommentRules.firstLine(TextFile(path: "a.swift", text: "import X\n"))) == [1])
    #expect(lines(CommentRules.firstLine(TextFile(path: "run", text: "#!/bin/sh\nset -e\n"))) == [2])
    #expect(CommentRules.firstLine(TextFile(path: "a.swift", text: "// Adds.\n")).isEmpty)
    #expect(CommentRules.firstLine(TextFile(path: "run", text: "#!/bin/sh\n# Runs.\n")).isEmpty)
  }

  @Test("package declarations without documentation")
  func documentation() {
    let text = """
      package struct A {
        package let x: Int
        /// Said.
        @inlinable
        package func f() {}
        package init(x: Int) {
          self.x = x
        }
        package init(y: Int) {
          self.x = y + twice(y)
        }
        let hidden = 1
      }
      /// Said.
      package protocol P {
        func g()
      }
      extension A: P {
        package func g() {}
        package func mine() {}
      }
      extension A {
        package var z: Int { 1 }
      }
      """
    let file = source(text)
    let requirements = CommentRules.requirements(of: [file])
    #expect(lines(CommentRules.documentation(file, requirements: requirements)) == [1, 2, 9, 16, 20, 23])
  }

  @Test(
    "banned calls",
    arguments: [
      "let a = Date()", "let a = UUID()", "let a = Int.random(in: 0..<2)", "try await Task.sleep(for: x)",
      "Task { f() }", "Task.detached { f() }", "let a = try! f()", "let a = b as! C", "fatalError(\"x\")", "print(1)",
      "let a = \"\\(Date())\"", "public func f() {}",
    ])
  func bannedCall(_ code: String) {
    #expect(lines(NameRules.calls(source("\n" + code))) == [2])
  }

  @Test("what looks like a banned call and is none")
  func allowedCalls() {
    let text = """
      // Date() in a comment, print("x")
      let a = "try! fatalError("
      let b = try? f()
      let c = d as? E
      let e = Int.random(in: 0..<max(2, f()), using: &random)
      await withTaskGroup { $0.addTask { f() } }
      func print(_ x: Int) {}
      writer.print(1)
      """
    #expect(NameRules.calls(source(text)).isEmpty)
    #expect(NameRules.calls(source("print(1)", at: "Sources/CheckoutCLI/main.swift")).isEmpty)
  }

  @Test("names that say nothing")
  func emptyNames() {
    #expect(lines(NameRules.words(source("", at: "Sources/A/StringUtils.swift"))) == [1])
    #expect(lines(NameRules.words(source("\nstruct LaneManager {}\nenum Base {}\n"))) == [2, 3])
    #expect(NameRules.words(source("struct Base64URL {}\nstruct Newest {}\n")).isEmpty)
  }

  @Test("unsafe code outside Handles/, or without its reason")
  func unsafeCode() {
    let handles = "Sources/KafkaAdapter/Handles/X.swift"
    #expect(lines(UnsafeRules.places(source("let a = unsafe b", at: "Sources/KafkaAdapter/X.swift"))) == [1])
    #expect(lines(UnsafeRules.places(source("let a = unsafe b", at: "Sources/CheckoutCore/Handles/X.swift"))) == [1])
    #expect(lines(UnsafeRules.places(source("\nlet a = unsafe b", at: handles))) == [2])
    #expect(lines(UnsafeRules.places(source("final class A: @unchecked Sendable {}", at: handles))) == [1])
    #expect(lines(UnsafeRules.places(source("nonisolated(unsafe) var a = 1", at: handles))) == [1])
    #expect(UnsafeRules.places(source("// SAFETY: owned here.\nlet a = unsafe b", at: handles)).isEmpty)
    let far = String(repeating: "\n", count: 20)
    let covered = "// SAFETY: owned here.\n/// A.\nfinal class A {\(far)let a = unsafe b\n}"
    #expect(UnsafeRules.places(source(covered, at: handles)).isEmpty)
    #expect(lines(UnsafeRules.places(source(covered + "\(far)let c = unsafe d", at: handles))) == [44])
  }
}
