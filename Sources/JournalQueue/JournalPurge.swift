// Forgetting what is old, in bounded steps beside running workers. The decision is Core's; a journal brings rows and does what
// is decided, only if the row is still as it was read.

package import CheckoutCore

/// A journal's side of a purge. Used by one thread; each call is one short transaction.
package protocol PurgeableJournal: AnyObject {
  /// The journal's time.
  func time() throws(JournalReadProblem) -> Timestamp
  /// Ended attempts with something to forget, last written before `age`, in the order of their creation: the next ones after
  /// `cursor` (0: from the start), from a bounded part of the table. `next` is nil at the end of the table.
  func purgeCandidates(after cursor: Int64, olderThan age: Timestamp) throws(JournalReadProblem) -> PurgePage
  /// Carries decisions out and returns how many history entries are gone; a row that has changed since is left alone.
  func purge(_ decisions: [PurgeDecision]) throws(JournalReadProblem) -> PurgeCounts
}

/// Some rows that a purge looks at.
package struct PurgePage: Sendable {
  /// One row.
  package struct Row: Sendable {
    /// The journal's own number of the row.
    package let id: Int64
    /// The row; nil: it does not decode, and is left alone.
    package let attempt: Attempt?
    /// Entries of its history.
    package let historyCount: Int64
    /// Bytes of its body and history.
    package let bytes: Int64

    package init(id: Int64, attempt: Attempt?, historyCount: Int64, bytes: Int64) {
      self.id = id
      self.attempt = attempt
      self.historyCount = historyCount
      self.bytes = bytes
    }
  }

  /// The rows.
  package let rows: [Row]
  /// Where to go on; nil: this was the end.
  package let next: Int64?

  package init(rows: [Row], next: Int64?) {
    self.rows = rows
    self.next = next
  }
}

/// What becomes of one row.
package struct PurgeDecision: Sendable {
  /// The journal's own number of the row.
  package let id: Int64
  /// The row's version when it was read.
  package let version: Int64
  /// What is kept; nil: nothing.
  package let kept: Attempt?

  package init(id: Int64, version: Int64, kept: Attempt?) {
    self.id = id
    self.version = version
    self.kept = kept
  }
}

/// What was, or would be, forgotten.
package struct PurgeCounts: Hashable, Sendable {
  /// Attempts of which the narrow row is kept.
  package var narrowed: Int64 = 0
  /// Attempts of which nothing is kept.
  package var removed: Int64 = 0
  /// History entries forgotten.
  package var historyEntries: Int64 = 0

  /// Counts; all zero unless given.
  package init(narrowed: Int64 = 0, removed: Int64 = 0, historyEntries: Int64 = 0) {
    self.narrowed = narrowed
    self.removed = removed
    self.historyEntries = historyEntries
  }

  package static func += (left: inout PurgeCounts, right: PurgeCounts) {
    left.narrowed += right.narrowed
    left.removed += right.removed
    left.historyEntries += right.historyEntries
  }
}

/// The result of a purge, or of its dry run.
package struct PurgeReport: Hashable, Sendable {
  /// What was forgotten.
  package var counts = PurgeCounts()
  /// Old ended attempts left alone: owed, parked, watched, or not decodable.
  package var untouched: Int64 = 0
  /// Bytes of the bodies and histories that were there.
  package var bytes: Int64 = 0

  package init() {}
}

/// Walks through a journal and forgets what may be forgotten.
package struct JournalPurge {
  private let journal: any PurgeableJournal

  package init(_ journal: any PurgeableJournal) {
    self.journal = journal
  }

  /// Forgets what was last written before `age`; without `isApplied` only counts. May be run again and again, and broken off
  /// at any time.
  package func run(before age: Timestamp, isApplied: Bool) throws(JournalReadProblem) -> PurgeReport {
    var report = PurgeReport()
    var cursor: Int64? = 0
    while let after = cursor {
      let page = try journal.purgeCandidates(after: after, olderThan: age)
      var decisions: [PurgeDecision] = []
      for row in page.rows {
        guard let attempt = row.attempt else {
          report.untouched += 1
          continue
        }
        switch attempt.retention(olderThan: age) {
        case .untouched:
          report.untouched += 1
          continue
        case .narrow(let kept): decisions.append(PurgeDecision(id: row.id, version: attempt.version, kept: kept))
        case .removed: decisions.append(PurgeDecision(id: row.id, version: attempt.version, kept: nil))
        }
        report.bytes += row.bytes
        if isApplied { continue }
        report.counts.historyEntries += row.historyCount
        if decisions.last?.kept == nil { report.counts.removed += 1 } else { report.counts.narrowed += 1 }
      }
      if isApplied, !decisions.isEmpty { report.counts += try journal.purge(decisions) }
      cursor = page.next
    }
    return report
  }
}
