// What the system calls the thread that asks: read from /proc, independently of the code under test.

import Glibc

/// The calling thread's name as the kernel has it; empty when it cannot be read.
func ownThreadName() -> String {
  // SAFETY: a literal is a valid C string.
  let descriptor = unsafe open("/proc/thread-self/comm", O_RDONLY)
  guard descriptor >= 0 else { return "" }
  defer { close(descriptor) }
  var bytes = [UInt8](repeating: 0, count: 64)
  let size = bytes.count
  // SAFETY: the array is valid for the call, and its own length bounds the read.
  let count = unsafe read(descriptor, &bytes, size)
  return String(decoding: bytes.prefix(max(0, count - 1)), as: UTF8.self)
}
