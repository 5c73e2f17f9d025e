// What the process was started with: read once, from the kernel.

/// The environment and the host's name.
package enum ProcessEnvironment {
  /// Variables as the process was started with them; of a name given twice the first counts, as in the C library.
  package static func read() -> [String: String] {
    guard let bytes = try? FileContents.read("/proc/self/environ") else { return [:] }
    var variables: [String: String] = [:]
    for entry in bytes.split(separator: 0) {
      guard let equals = entry.firstIndex(of: 0x3D) else { continue }
      let name = String(decoding: entry[..<equals], as: UTF8.self)
      if variables[name] == nil { variables[name] = String(decoding: entry[(equals + 1)...], as: UTF8.self) }
    }
    return variables
  }

  /// The host's name; `localhost` where the kernel does not tell.
  package static func hostName() -> String {
    guard let bytes = try? FileContents.read("/proc/sys/kernel/hostname") else { return "localhost" }
    let name = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
    return name.isEmpty ? "localhost" : name
  }
}
