// Compares bytes with a string's own, without walking the string character by character.

/// True if `bytes` holds exactly the UTF-8 of `text` from `start` on. Precondition: that many bytes are there.
func equals(_ bytes: [UInt8], from start: Int, _ text: String) -> Bool {
  let count = text.utf8.count
  precondition(start >= 0 && start + count <= bytes.count, "text outside its storage")
  // SAFETY: both pointers live for the closure only; the range was checked above. A bridged string without contiguous
  // storage, which none of ours is, takes the slow way.
  let quick = unsafe bytes.withUnsafeBufferPointer { stored in
    unsafe text.utf8.withContiguousStorageIfAvailable { wanted in
      for index in 0..<count where unsafe stored[start + index] != wanted[index] { return false }
      return true
    }
  }
  return quick ?? bytes[start..<start + count].elementsEqual(text.utf8)
}
