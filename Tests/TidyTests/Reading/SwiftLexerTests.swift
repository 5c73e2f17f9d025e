// Tests of the reader: rules see code, and only code.

import Testing

@Suite("Reading Swift source")
struct SwiftLexerTests {
  private func words(_ source: String) -> [String] { SwiftLexer.tokens(of: source).map(\.text) }

  @Test("comments and literals are no code")
  func comments() {
    #expect(words("a // try! b\n/* Task { /* nested */ */ c \"fatalError(\" d") == ["a", "c", "\"\"", "d"])
  }

  @Test("code in an interpolation is code, with strings inside it")
  func interpolation() {
    let expected = ["x", "(", "\"\"", "f", "(", "\"\"", ",", "(", "1", ")", ")", ")", ")", "y"]
    #expect(words(#"x("a\(f("b", (1)))c") y"#) == expected)
  }

  @Test("raw and multi-line literals end where they end")
  func rawLiterals() {
    #expect(words("##\"a\"# b\"## c") == ["\"\"", "c"])
    #expect(words("\"\"\"\na \" b\n\"\"\" c") == ["\"\"", "c"])
    #expect(words(#""\"" c"#) == ["\"\"", "c"])
  }

  @Test("lines are counted through literals and comments")
  func lines() {
    let tokens = SwiftLexer.tokens(of: "a\n/*\n*/ b\n\"\"\"\n\n\"\"\"\nc")
    #expect(tokens.map(\.line) == [1, 3, 4, 7])
  }

  @Test("declarations have their body, their end and their parent")
  func declarations() {
    let source = """
      package struct A: P {
        package let x: Int
        private(set) package var y = 1
        func f(
          _ g: () -> Void = {}
        ) -> Int where X: Y {
          let inner = 1
          return inner
        }
      }
      protocol Q {
        func g() -> Int
        func h()
      }
      """
    let found = DeclarationReader.declarations(in: SwiftLexer.tokens(of: source))
    #expect(found.map(\.keyword) == ["struct", "let", "var", "func", "protocol", "func", "func"])
    #expect(found.map(\.name) == ["A", "x", "y", "f", "Q", "g", "h"])
    #expect(found.map(\.line) == [1, 2, 3, 4, 11, 12, 13])
    #expect(found.map(\.endLine) == [10, 2, 3, 9, 14, 12, 13])
    #expect(found.map(\.parent) == [nil, 0, 0, 0, nil, 4, 4])
    #expect(found[0].inherited == ["P"])
    #expect(found[2].modifiers == ["package"])
  }
}
