// A thread of our own for calls that block: never the cooperative pool's.

import CRdKafka
import Glibc
import Synchronization

/// A started thread. It is detached: whoever must know its end waits for it with a limit, because a call inside
/// librdkafka may never return.
final class NamedThread: Sendable {
  /// Handed over to the thread: what to run, and where to tell the end.
  private final class Body: Sendable {
    let name: String
    let run: @Sendable () -> Void
    let ended: WakeDescriptor
    let isOver = Atomic(false)

    init(name: String, run: @escaping @Sendable () -> Void) {
      self.name = name
      self.run = run
      ended = WakeDescriptor()
    }
  }

  private let body: Body

  /// Starts `run` on a new thread; `name` has at most 15 characters.
  init(_ name: String, _ run: @escaping @Sendable () -> Void) {
    body = Body(name: name, run: run)
    var thread = pthread_t()
    let context = unsafe Unmanaged.passRetained(body).toOpaque()
    // SAFETY: the context is a retained `Body`; the new thread takes that reference over.
    let status = unsafe pthread_create(&thread, nil, { unsafe NamedThread.main($0) }, context)
    precondition(status == 0, "the process cannot start another thread")
    pthread_detach(thread)
  }

  /// True once the body has returned; waits for it at most `limitNanoseconds`.
  func waitForEnd(limitNanoseconds: Int64) -> Bool {
    let deadline = monotonicNanoseconds() + limitNanoseconds
    while !body.isOver.load(ordering: .acquiring) {
      let left = deadline - monotonicNanoseconds()
      guard left > 0 else { return false }
      body.ended.wait(limitNanoseconds: left)
    }
    return true
  }

  private static func main(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context = unsafe context else { return nil }
    // SAFETY: `init` passed a retained `Body`; this is its only consumer.
    let body = unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
    unsafe shim_name_thread(body.name)
    body.run()
    body.isOver.store(true, ordering: .releasing)
    body.ended.ring()
    return nil
  }
}
