// Texts as C wants a list of them: an array of pointers, ended by a null.

/// Zero-ended texts that live as long as the list.
// SAFETY: `@safe`: all bytes are in one block of this object's own, allocated in `init`, never moved and freed in `deinit`;
// pointers are given out for the length of a call only.
@safe final class CStringList {
  private let block: UnsafeMutableBufferPointer<CChar>
  private let starts: [Int]

  /// Texts with a NUL inside end there.
  init(_ texts: [String]) {
    var bytes: [CChar] = []
    var starts: [Int] = []
    for text in texts {
      starts.append(bytes.count)
      bytes += text.utf8.map { CChar(bitPattern: $0) } + [0]
    }
    self.starts = starts
    unsafe block = .allocate(capacity: max(1, bytes.count))
    unsafe _ = block.initialize(from: bytes)
  }

  deinit {
    unsafe block.deallocate()
  }

  func withPointers<Value>(_ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Value) -> Value {
    let list: [UnsafePointer<CChar>?] =
      unsafe starts.map { unsafe UnsafePointer(block.baseAddress?.advanced(by: $0)) } + [nil]
    return unsafe list.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
  }
}
