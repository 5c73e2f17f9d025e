// A proxy between a journal and its server that can cut the connection after a commit was sent, before its reply.

import Foundation
import Glibc
import Synchronization

/// Passes bytes between a Unix socket of its own and the server's. When told, it waits for the server's answer to the next
/// request, throws it away and closes the connection: the commit happened, its reply is lost.
// SAFETY: socket addresses and buffers live on the stack of the calls that use them; descriptors are closed by the thread that
// opened them.
package final class CuttingProxy: Sendable {
  private struct State {
    var isArmed = false
    var cuts = 0
    var isClosed = false
  }

  /// The folder to name as `host`.
  package let folder: String
  private let target: String
  private let listener: Int32
  private let state = Mutex(State())

  /// A proxy to the server's socket at `target`.
  package init(to target: String) throws {
    self.target = target
    let made = try FileManager.default.url(
      for: .itemReplacementDirectory, in: .userDomainMask, appropriateFor: URL(filePath: "/tmp/"), create: true)
    let short = "/tmp/px-\(getpid())-\(target.hashValue & 0xFFFF)"
    try? FileManager.default.removeItem(atPath: short)
    try FileManager.default.moveItem(atPath: made.path, toPath: short)
    folder = short
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard unsafe Self.withAddress("\(short)/.s.PGSQL.5432", { unsafe bind(listener, $0, $1) }) == 0,
      listen(listener, 16) == 0
    else {
      throw TestServerProblem(description: "the proxy cannot listen in \(short)")
    }
    Thread.detachNewThread { [self] in accept() }
  }

  /// From now on the next answer of the server is thrown away, with its connection.
  package func cutNextReply() { state.withLock { $0.isArmed = true } }

  /// Answers thrown away so far.
  package var cuts: Int { state.withLock { $0.cuts } }

  private func accept() {
    while true {
      let client = Glibc.accept(listener, nil, nil)
      if client < 0 { return }
      let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      guard unsafe Self.withAddress(target, { unsafe connect(server, $0, $1) }) == 0 else {
        close(client)
        close(server)
        continue
      }
      Thread.detachNewThread { [self] in
        pass(client, server)
        close(client)
        close(server)
      }
    }
  }

  /// Passes bytes both ways until one side ends.
  private func pass(_ client: Int32, _ server: Int32) {
    var hasAsked = false
    while true {
      var both = [
        pollfd(fd: client, events: Int16(POLLIN), revents: 0), pollfd(fd: server, events: Int16(POLLIN), revents: 0),
      ]
      unsafe poll(&both, 2, -1)
      if both[0].revents != 0 {
        let isArmed = state.withLock { $0.isArmed }
        guard copy(from: client, to: server) else { return }
        hasAsked = hasAsked || isArmed
      }
      if both[1].revents != 0 {
        let mustCut = state.withLock { state in
          guard hasAsked, state.isArmed else { return false }
          state.isArmed = false
          state.cuts += 1
          return true
        }
        if mustCut { return drop(server) }
        guard copy(from: server, to: client) else { return }
      }
    }
  }

  /// Reads the whole answer first (the last message of a transaction is ReadyForQuery): the commit is done for certain.
  private func drop(_ server: Int32) {
    var tail: [UInt8] = []
    while true {
      var buffer = [UInt8](repeating: 0, count: 65536)
      let count = unsafe read(server, &buffer, buffer.count)
      if count <= 0 { return }
      tail = Array((tail + buffer[..<count]).suffix(6))
      if tail == [0x5A, 0, 0, 0, 5, 0x49] { return }
    }
  }

  private func copy(from: Int32, to: Int32) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = unsafe read(from, &buffer, buffer.count)
    if count <= 0 { return false }
    var sent = 0
    while sent < count {
      let written = unsafe buffer[sent..<count].withUnsafeBytes {
        unsafe send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if written <= 0 { return false }
      sent += written
    }
    return true
  }

  private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8.prefix(107)) + [0]
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
