// Reads whole files: samples, reference data, configuration, requests on standard input.

import Glibc

/// The bytes of a file.
package enum FileContents {
  /// Reads the file at `path`, or standard input for `-`. Blocks. Throws an environment problem (exit 3) naming the file.
  package static func read(_ path: String, limitBytes: Int = 1 << 30) throws(Problem) -> [UInt8] {
    if path == "-" { return try read(descriptor: 0, named: "standard input", limitBytes) }
    // SAFETY: the C string lives for the call's length.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw .environment("cannot read \(path): \(reason(errno))", remedy: checkPath)
    }
    defer { close(descriptor) }
    return try read(descriptor: descriptor, named: path, limitBytes)
  }

  /// True if something is there that can be read.
  package static func isReadable(_ path: String) -> Bool {
    // SAFETY: the C string lives for the call's length.
    unsafe access(path, R_OK) == 0
  }

  private static let checkPath = "check the path and its permissions"

  private static func read(descriptor: Int32, named name: String, _ limit: Int) throws(Problem) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 256 << 10)
    while true {
      // SAFETY: the buffer lives through the closure, and its own count bounds what is written to it.
      let count = unsafe chunk.withUnsafeMutableBytes { buffer in
        unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .environment("cannot read \(name): \(reason(errno))", remedy: checkPath) }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
      guard bytes.count <= limit else { throw .environment("\(name) is larger than \(limit) bytes") }
    }
  }

  private static func reason(_ code: Int32) -> String {
    // SAFETY: strerror gives a C string that lives until the thread's next call of it; it is copied at once.
    unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
  }
}
