// Where a test's one waiting thread gets answers that come on another.

import Operations
import Synchronization

/// Collects what a sink is given. Any thread puts, one waits.
package final class AnswerBox<Answer: Sendable>: Sendable {
  private let answers = Mutex<[Answer]>([])
  private let bell = Doorbell()

  /// An empty box.
  package init() {}

  /// Adds answers; for a sink.
  package func put(_ new: [Answer]) {
    answers.withLock { $0 += new }
    bell.ring()
  }

  /// Everything so far, in the order it came.
  package var all: [Answer] { answers.withLock { $0 } }

  /// Waits a moment for more.
  package func pause() { bell.wait(nanoseconds: 10_000_000) }

  /// Waits until there are `count` answers, at most 30 seconds, and gives all there are.
  package func wait(for count: Int) -> [Answer] {
    let end = ContinuousClock().now + .seconds(30)
    while answers.withLock({ $0.count }) < count, ContinuousClock().now < end { bell.wait(nanoseconds: 100_000_000) }
    return all
  }

  /// Waits as above and takes the answers away.
  package func take(_ count: Int) -> [Answer] {
    let taken = wait(for: count)
    answers.withLock { $0.removeFirst(taken.count) }
    return taken
  }
}
