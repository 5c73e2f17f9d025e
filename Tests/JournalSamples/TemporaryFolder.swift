// A place on the disk for one test's files.

import Foundation

/// A new, empty folder that goes with its owner.
package final class TemporaryFolder: Sendable {
  private let url: URL

  /// Makes the folder; throws what the system says if it cannot.
  package init() throws {
    let files = FileManager.default
    url = try files.url(
      for: .itemReplacementDirectory, in: .userDomainMask, appropriateFor: files.temporaryDirectory, create: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  /// The path of a file of that name in the folder; nothing is made there.
  package func path(_ name: String) -> String { url.appending(path: name).path }
}
