// Waits until a socket is ready.

import Glibc

/// poll(2) on one socket.
enum SocketWait {
  /// What to wait for.
  enum Readiness {
    case readable
    case writable
    case either

    fileprivate var events: Int16 {
      switch self {
      case .readable: Int16(POLLIN)
      case .writable: Int16(POLLOUT)
      case .either: Int16(POLLIN | POLLOUT)
      }
    }
  }

  /// Waits at most `milliseconds`. True: ready, or in a state that the next call on it will tell.
  static func wait(_ socket: Int32, _ readiness: Readiness, milliseconds: Int32) -> Bool {
    guard socket >= 0 else { return true }
    var descriptor = pollfd(fd: socket, events: readiness.events, revents: 0)
    // SAFETY: the descriptor lives on this stack for the call's length.
    return unsafe poll(&descriptor, 1, milliseconds) > 0
  }
}
