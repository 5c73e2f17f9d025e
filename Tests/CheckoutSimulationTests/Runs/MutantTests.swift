// The planted mutations must still fit the sources; that each is found is `make mutants`.

import Foundation
import Testing

struct MutantTests {
  private struct Mutant: Decodable {
    let number: Int
    let name: String
    let file: String
    let search: String
    let replace: String
  }

  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test("the text of each mutation stands once in its file")
  func fit() throws {
    let data = try Data(contentsOf: Self.root.appending(path: "Tests/Mutants/mutants.json"))
    let mutants = try JSONDecoder().decode([Mutant].self, from: data)
    #expect(mutants.count >= 15)
    #expect(mutants.map(\.number) == Array(1...mutants.count))
    for mutant in mutants {
      let source = try String(contentsOf: Self.root.appending(path: mutant.file), encoding: .utf8)
      let places = source.components(separatedBy: mutant.search).count - 1
      #expect(places == 1, "\(mutant.number), \(mutant.name): stands \(places) times in \(mutant.file)")
      #expect(mutant.replace.contains("MUTANT"), "\(mutant.number) is not switched")
    }
  }
}
