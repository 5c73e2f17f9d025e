// SHA-256 by libcrypto.
import CCrypto
import CheckoutCore

/// The one hash of the pipeline.
package enum SHA256 {
  /// The 32 bytes of the digest. Any thread.
  package static func digest(_ bytes: [UInt8]) -> [UInt8] {
    var worked: Int32 = 0
    // SAFETY: both pointers live for the call only; the digest of SHA-256 is exactly 32 bytes.
    let digest = unsafe [UInt8](unsafeUninitializedCapacity: 32) { output, count in
      unsafe bytes.withUnsafeBufferPointer { input in
        unsafe worked = ccrypto_sha256(input.baseAddress, input.count, output.baseAddress)
      }
      if worked != 1 { unsafe output.initialize(repeating: 0) }
      count = 32
    }
    precondition(worked == 1, "libcrypto has no SHA-256")
    return digest
  }

  /// The digest as 64 lower-case hex digits, after `prefix`.
  package static func hex(_ bytes: [UInt8], prefix: String = "") -> String {
    var text = Array(prefix.utf8)
    text.reserveCapacity(prefix.utf8.count + 64)
    text.append(hex: digest(bytes)[...])
    return String(decoding: text, as: UTF8.self)
  }
}
