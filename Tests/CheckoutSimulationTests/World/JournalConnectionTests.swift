// A worker's way to the journal: slow in both directions, cut, frozen.

import CheckoutCore
import Synchronization
import Testing
import WorkerEngine

@testable import CheckoutSimulation

@Suite("Journal connection")
struct JournalConnectionTests {
  /// What came back, by request.
  private final class Answers: Sendable {
    private let ids = Mutex<[UInt64]>([])
    var taken: [UInt64] { ids.withLock { $0 } }
    var sink: JournalSink { { replies in self.ids.withLock { $0 += replies.map(\.id) } } }
  }

  private let clock = VirtualClock()
  private let journal: InMemoryJournal
  private let connection: JournalConnection
  private let answers = Answers()
  private let worker = WorkerID("w/1")

  init() {
    journal = InMemoryJournal(id: "j") { [clock] in Timestamp(nanoseconds: clock.now().wall) }
    connection = JournalConnection(journal: journal, clock: clock)
  }

  private func submit(_ id: UInt64) {
    connection.submit(
      [JournalRequest(id: id, command: .lease(worker, duration: .seconds(10)))], sink: answers.sink)
  }

  @Test("without delays the answer comes inside the call")
  func direct() {
    submit(1)
    #expect(answers.taken == [1])
    #expect(connection.nextDue == nil)
  }

  @Test("requests and answers take their time, and keep their order when the delay gets shorter")
  func delayed() {
    connection.setDelays(request: .milliseconds(20), reply: .milliseconds(10))
    submit(1)
    connection.setDelays(request: .milliseconds(5), reply: .milliseconds(10))
    submit(2)
    clock.advance(milliseconds: 20)
    connection.advance()
    #expect(answers.taken == [])
    clock.advance(milliseconds: 10)
    connection.advance()
    #expect(answers.taken == [1, 2])
  }

  @Test("cut: what is on its way is lost or applied, and nobody hears of it", arguments: [true, false])
  func cut(applied: Bool) {
    connection.setDelays(request: .milliseconds(20), reply: .zero)
    submit(1)
    connection.cut(pendingRequests: applied ? .applied : .lost)
    let other = Mutex<[JournalResult]>([])
    journal.submit([JournalRequest(id: 9, command: .endLease(worker))]) { replies in
      other.withLock { $0 += replies.map(\.result) }
    }
    clock.advance(milliseconds: 100)
    connection.advance()
    submit(2)
    #expect(answers.taken == [])
    #expect(other.withLock { $0 } == [.done])
  }

  @Test("a process that stands still gets its answers when it goes on")
  func frozen() {
    connection.freeze(true)
    submit(1)
    #expect(answers.taken == [])
    connection.freeze(false)
    connection.advance()
    #expect(answers.taken == [1])
  }
}
