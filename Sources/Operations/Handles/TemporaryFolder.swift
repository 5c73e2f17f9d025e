// Folders that go with the process that made them.

import Glibc

/// Makes and removes folders below the system's temporary one.
package enum TemporaryFolder {
  /// Makes a new folder, readable by this user only, below `TMPDIR` or `/tmp`. Throws an environment problem (exit 3).
  package static func make(named name: String) throws(Problem) -> String {
    let parent = ProcessEnvironment.read()["TMPDIR"] ?? "/tmp"
    var template = Array("\(parent)/\(name)-XXXXXX".utf8CString)
    // SAFETY: mkdtemp fills in the template in place and keeps its length; the array is this function's own.
    let made = unsafe template.withUnsafeMutableBufferPointer { buffer in
      unsafe buffer.baseAddress.map { unsafe mkdtemp($0) != nil } ?? false
    }
    guard made else {
      throw .environment("cannot make a folder in \(parent)", remedy: "set TMPDIR to a folder that can be written")
    }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes the folder and the files in it; folders inside it stay. What cannot be removed is left.
  package static func remove(_ path: String) {
    // SAFETY: opendir's stream is used only here and closed; readdir's entry is copied before the next call.
    guard let folder = unsafe opendir(path) else { return }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
        unsafe field.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    unsafe closedir(folder)
    // SAFETY: the C strings live for each call's length.
    for name in names { unsafe unlink("\(path)/\(name)") }
    unsafe rmdir(path)
  }
}
