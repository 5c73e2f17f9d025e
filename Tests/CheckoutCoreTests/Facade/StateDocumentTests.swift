// docs/states.md says what the machine does; `make states` (CHECKOUT_WRITE_DOCS=1) writes it anew.

import Foundation
import Testing

@Suite("docs/states.md") struct StateDocumentTests {
  private static let page = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../docs/states.md").standardizedFileURL

  @Test("is what the state machine itself says")
  func isUpToDate() throws {
    let text = StateDocument(table: try StateTable()).text
    if ProcessInfo.processInfo.environment["CHECKOUT_WRITE_DOCS"] != nil {
      try text.write(to: Self.page, atomically: true, encoding: .utf8)
    }
    let present = try? String(contentsOf: Self.page, encoding: .utf8)
    #expect(present == text, "run `make states`")
  }

  @Test("has a section for every state, and a result for every answer")
  func covers() throws {
    let table = try StateTable()
    #expect(Set(table.results.keys) == Set(StateKind.allCases).subtracting([.completed]))
    for (state, results) in table.results {
      #expect(!results.isEmpty)
      for (event, outcomes) in results { #expect(!outcomes.contains("nothing"), "\(state): \(event)") }
    }
  }
}
