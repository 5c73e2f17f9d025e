// What stands behind a journal's queue: the connection that carries batches out.

package import CheckoutCore
import Synchronization

/// The writing connection of a journal. Used by one thread at a time.
package protocol JournalStore: AnyObject {
  /// Requests of one transaction at most.
  static var batchMax: Int { get }
  /// Carries all requests out and commits. On return everything the results say is durable; when it throws, the same
  /// batch may be tried again: whatever of it was done is recognised.
  func apply(_ batch: JournalBatch) throws(JournalOutage) -> AppliedBatch
}

/// Raised when a journal that is closing has no more patience: a store that waits for something looks at it now and then,
/// and gives up.
package final class Abandonment: Sendable {
  private let flag = Atomic(false)

  package init() {}

  /// True once nobody waits for answers any more.
  package var isRaised: Bool { flag.load(ordering: .acquiring) }

  /// Gives up.
  package func raise() { flag.store(true, ordering: .releasing) }
}

/// What became of a batch.
package struct AppliedBatch {
  /// In the order of the requests.
  package let results: [JournalResult]
  /// Journal time of the answers.
  package let at: Timestamp

  package init(results: [JournalResult], at: Timestamp) {
    self.results = results
    self.at = at
  }
}

/// The journal cannot be written at present: the batch waits and is tried again.
package struct JournalOutage: Error, Hashable, CustomStringConvertible {
  /// A lock of another process, a deadlock: worth a word only when it lasts.
  package let isOrdinary: Bool
  /// One line for a person.
  package let description: String

  package init(isOrdinary: Bool = false, _ description: String) {
    self.isOrdinary = isOrdinary
    self.description = description
  }
}

/// A journal with a queue in front and a thread behind: what a process opens, watches and closes.
package protocol HostedJournal: Journal {
  /// Why the journal cannot write at present; nil: all is well. For readiness.
  var trouble: String? { get }
  /// What was done so far; for metrics.
  var statistics: JournalStatistics { get }
  /// Commits and answers everything submitted so far, then closes. If that takes longer than `patience`, the rest is
  /// dropped unanswered and false is returned. What is submitted afterwards is never answered. Blocks the caller.
  @discardableResult
  func close(patience: TimeSpan) -> Bool
}

extension HostedJournal {
  /// Closes with five seconds' patience.
  @discardableResult
  package func close() -> Bool { close(patience: .seconds(5)) }
}

/// Counts since a journal was opened.
package struct JournalStatistics: Hashable, Sendable {
  /// Transactions committed.
  package var commits = 0
  /// Requests answered.
  package var answered = 0
  /// The largest batch so far.
  package var largestBatch = 0

  package init() {}
}
