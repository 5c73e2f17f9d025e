// Where the samples are: named, in this folder, or beside the program.

import CheckoutTools
import Glibc
import Operations

/// The samples' files.
struct SampleFiles {
  /// Folder with requests.ndjson, expected.ndjson, poison.ndjson and reference.json.
  let folder: String

  /// The folder named, or the first that has the samples: `samples` here, or above the program's own folder.
  init(named: String?) throws(Problem) {
    let candidates = named.map { [$0] } ?? ["samples"] + Self.besideProgram()
    for folder in candidates where FileContents.isReadable("\(folder)/requests.ndjson") {
      self.folder = folder
      return
    }
    throw .environment(
      named.map { "there are no samples in \($0): requests.ndjson cannot be read" }
        ?? "the samples are neither in ./samples nor beside the program",
      remedy: "use --samples DIR, the folder with requests.ndjson")
  }

  private static func besideProgram() -> [String] {
    guard let bytes = try? FileContents.read("/proc/self/cmdline"), let program = bytes.split(separator: 0).first
    else { return [] }
    var parts = String(decoding: program, as: UTF8.self).split(separator: "/", omittingEmptySubsequences: false)
    var folders: [String] = []
    while parts.count > 1 {
      parts.removeLast()
      folders.append(parts.joined(separator: "/") + "/samples")
    }
    return folders
  }

  /// Reads the samples.
  func load() throws(Problem) -> SampleSet {
    let requests = try FileContents.read("\(folder)/requests.ndjson")
    let expected = try FileContents.read("\(folder)/expected.ndjson")
    let poison = try FileContents.read("\(folder)/poison.ndjson")
    do throws(SampleProblem) {
      return try SampleSet(requests: requests, expected: expected, poison: poison)
    } catch {
      throw .environment("samples in \(folder): \(error.detail)")
    }
  }
}
