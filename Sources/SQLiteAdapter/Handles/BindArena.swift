// Memory for the texts of one statement's row, so that SQLite need not allocate a copy of each.

/// Bytes that stay where they are until `clear`.
// SAFETY: `@safe`: the block is allocated once, is owned by this object alone and freed in `deinit`; a pointer given out is
// valid until `clear` or the object's end, and its one user, `SQLiteStatement`, clears only after the reset or rebinding
// that makes SQLite forget it.
@safe final class BindArena {
  private static let capacity = 16 << 10
  private let block: UnsafeMutableRawBufferPointer
  private var used = 0

  init() {
    unsafe block = .allocate(byteCount: Self.capacity, alignment: 1)
  }

  deinit {
    unsafe block.deallocate()
  }

  /// Forgets everything kept.
  func clear() { used = 0 }

  /// A copy of `bytes` that stays; nil: no room is left, the caller has SQLite copy them.
  func keep(_ bytes: UnsafeRawBufferPointer) -> UnsafePointer<CChar>? {
    guard bytes.count <= Self.capacity - used else { return nil }
    let place = unsafe UnsafeMutableRawBufferPointer(rebasing: block[used..<used + bytes.count])
    unsafe place.copyMemory(from: bytes)
    used += bytes.count
    return unsafe UnsafePointer(place.baseAddress?.assumingMemoryBound(to: CChar.self))
  }
}
