// Tests of what people see: widths, tables, colours, progress.

import Testing

@testable import Operations

@Suite("Terminal")
struct TerminalTests {
  @Test(
    "columns of a text",
    arguments: [
      ("", 0), ("abc", 3), ("日本語", 6), ("한국", 4), ("é", 1), ("e\u{301}", 1), ("ﾊﾛｰ", 3), ("ハロー", 6), ("👍🏽", 2),
      ("👩‍👩‍👧", 2), ("✔", 1), ("❤️", 2), ("→", 1), ("…", 1), ("🇯🇵", 2),
    ])
  func widths(_ text: String, _ columns: Int) {
    #expect(DisplayWidth.of(text) == columns)
  }

  @Test("cutting never splits a wide character and marks the cut")
  func cutting() {
    #expect(DisplayWidth.cut("日本語", to: 6) == "日本語")
    #expect(DisplayWidth.cut("日本語", to: 5) == "日本…")
    #expect(DisplayWidth.cut("日本語", to: 4) == "日…")
    #expect(DisplayWidth.cut("abc", to: 0) == "")
  }

  @Test("a table aligns what a terminal shows")
  func table() {
    var table = TextTable([("NAME", .left), ("COUNT", .right), ("WHY", .left)])
    table.add(["東京", "5", "a\nb"])
    table.add(["Oslo", "12345", ""])
    #expect(
      table.text() == """
        NAME  COUNT  WHY
        東京      5  a b
        Oslo  12345

        """)
  }

  @Test("a narrow terminal cuts the last column, a pipe nothing")
  func narrow() {
    var table = TextTable([("A", .left), ("DETAIL", .left)])
    table.add(["1", String(repeating: "x", count: 100)])
    #expect(table.text(columns: 20).split(separator: "\n")[1] == "1  xxxxxxxxxxxxxxxx…")
    #expect(table.text().split(separator: "\n")[1].count == 103)
  }

  @Test("colours only for a person, and not against NO_COLOR or a dumb terminal")
  func colours() {
    func styled(_ isInteractive: Bool, _ environment: [String: String]) -> String {
      Terminal(.output, isInteractive: isInteractive, environment: environment).styled("ok", .good)
    }
    #expect(styled(true, [:]) == "\u{1B}[32mok\u{1B}[0m")
    #expect(styled(true, ["NO_COLOR": ""]) == "\u{1B}[32mok\u{1B}[0m")
    #expect(styled(true, ["NO_COLOR": "1"]) == "ok")
    #expect(styled(true, ["TERM": "dumb"]) == "ok")
    #expect(styled(false, [:]) == "ok")
  }
}
