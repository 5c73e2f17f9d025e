// Writing to the standard streams, and what is known of the terminal behind them.

import CLinux
import Glibc

/// A stream the process was started with. Does not own the descriptor.
package struct FileDescriptorStream: Sendable {
  /// Results: for people or for the next program.
  package static let output = FileDescriptorStream(descriptor: 1)
  /// Logs, errors, progress.
  package static let errors = FileDescriptorStream(descriptor: 2)

  private let descriptor: Int32

  /// A stream on an open descriptor, which stays the caller's to close.
  package init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Writes everything, in as many pieces as it takes; blocks while the reader is slow.
  ///
  /// False: nobody reads any more (a closed pipe), or the disk is full: stop writing, it is no reason to crash.
  @discardableResult
  package func write(_ bytes: [UInt8]) -> Bool {
    var written = 0
    while written < bytes.count {
      // SAFETY: the buffer lives through the closure, and its own count bounds what is read from it.
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.write(descriptor, buffer.baseAddress.map { unsafe $0 + written }, buffer.count - written)
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        waitUntilWritable()
        continue
      }
      guard count > 0 else { return false }
      written += count
    }
    return true
  }

  /// Writes the UTF-8 of `text`.
  @discardableResult
  package func write(_ text: String) -> Bool { write(Array(text.utf8)) }

  /// True if a person looks at it.
  package var isTerminal: Bool { isatty(descriptor) == 1 }

  /// Columns of the terminal; nil: no terminal, or it does not say.
  package var columns: Int? {
    let columns = Int(clinux_terminal_columns(descriptor))
    return columns > 0 ? columns : nil
  }

  /// A terminal shared with a program that made it non-blocking: wait instead of spinning.
  private func waitUntilWritable() {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    // SAFETY: one request on this stack, and the count says one.
    unsafe poll(&request, 1, 1_000)
  }
}
