// Tests of the thread owner: the body runs, on another thread, under its name, and joining waits for it.

import Synchronization
import Testing

@testable import Operations

@Suite("NamedThread")
struct NamedThreadTests {
  @Test("joining waits for the body")
  func joining() throws {
    let seen = Mutex(0)
    let thread = try NamedThread(name: "worker 1") { seen.withLock { $0 = 42 } }
    thread.join()
    #expect(seen.withLock { $0 } == 42)
  }

  @Test("joining twice returns at once")
  func joiningTwice() throws {
    let thread = try NamedThread(name: "worker 1") {}
    thread.join()
    thread.join()
  }

  @Test("waiting for the end has a limit, and says whether it came, 50 times")
  func limitedWait() throws {
    for _ in 0..<50 {
      let gate = Doorbell()
      let thread = try NamedThread(name: "waiter") { gate.wait() }
      #expect(!thread.waitForEnd(limitNanoseconds: 1_000_000))
      gate.ring()
      #expect(thread.waitForEnd(limitNanoseconds: 10_000_000_000))
      #expect(thread.waitForEnd(limitNanoseconds: 0))
      thread.join()
    }
  }

  @Test("the thread carries its name, cut to fifteen bytes")
  func name() throws {
    let seen = Mutex("")
    let thread = try NamedThread(name: "commit-facade-0123456789") {
      seen.withLock { $0 = ownThreadName() }
    }
    thread.join()
    #expect(seen.withLock { $0 } == "commit-facade-0")
  }

  @Test("a small stack is raised to what the system needs")
  func smallStack() throws {
    let seen = Mutex(false)
    let thread = try NamedThread(name: "small", stackBytes: 1) { seen.withLock { $0 = true } }
    thread.join()
    #expect(seen.withLock { $0 })
  }
}
