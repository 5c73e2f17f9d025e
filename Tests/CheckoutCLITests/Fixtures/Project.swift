// Where the tests find what they run: the program beside the test bundle, samples and scripts in the project.

import Foundation
import Operations
import Testing

enum Project {
  /// The project's folder.
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The `checkout` program, in the folder the test bundle was built into.
  static func program() throws -> String {
    let bundle = CommandLine.arguments.first { $0.contains(".xctest") } ?? CommandLine.arguments[0]
    var folder = URL(filePath: bundle)
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let program = folder.appending(path: "checkout").path
      if FileManager.default.isExecutableFile(atPath: program) { return program }
    }
    throw Late(what: "the checkout program beside \(bundle)", heard: "")
  }

  static func lines(_ path: String) throws -> [String] {
    try String(contentsOf: root.appending(path: path), encoding: .utf8).split(separator: "\n").map(String.init)
  }

  /// JSON objects, one a line.
  static func objects(_ lines: [String]) throws -> [[String: Any]] {
    try lines.map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "no object: \(line)")
    }
  }

  /// Runs `checkout` to its end.
  static func checkout(
    _ arguments: [String], environment: [String: String] = [:], withinSeconds limit: Double = 60
  ) throws -> Finished {
    try RunningProgram(try program(), arguments, environment: environment).finish(withinSeconds: limit)
  }
}

/// A folder that goes with its owner.
final class TestFolder {
  private let url: URL

  init() throws {
    url = URL(filePath: try TemporaryFolder.make(named: "checkout-cli"))
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appending(path: name).path }

  /// Writes a file; returns its path.
  func file(_ name: String, _ text: String) throws -> String {
    try Data(text.utf8).write(to: url.appending(path: name))
    return path(name)
  }
}
