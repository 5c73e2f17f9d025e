// The journal as people and tools read it: short reads beside running workers, never a write.

/// One write of an attempt's history.
package struct RecordedWrite: Hashable, Sendable {
  /// The version the write made.
  package let version: Int64
  /// Journal time of the write.
  package let at: Timestamp
  /// The write's own name: a worker's words for it, unique.
  package let writeID: String
  /// What happened, in order.
  package let steps: [Step]

  package init(version: Int64, at: Timestamp, writeID: String, steps: [Step]) {
    self.version = version
    self.at = at
    self.writeID = writeID
    self.steps = steps
  }
}

/// The journal could not be read; what to do is in the description.
package struct JournalReadProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// One line for a person.
  package let description: String

  package init(description: String) {
    self.description = description
  }
}

/// How many attempts there are.
package struct JournalCounts: Hashable, Sendable {
  /// All attempts, ended or not.
  package let attempts: Int64
  /// Attempts that have not ended.
  package let open: Int64
  /// Open attempts that wait for a person.
  package let parked: Int64
  /// Attempts that ended unpaid and whose charge is looked up again later.
  package let watched: Int64

  package init(attempts: Int64, open: Int64, parked: Int64, watched: Int64) {
    self.attempts = attempts
    self.open = open
    self.parked = parked
    self.watched = watched
  }
}

/// Reads a journal. Each call is one short read and blocks the caller's thread meanwhile; two calls are not one snapshot.
package protocol JournalReader: AnyObject, Sendable {
  /// The journal's id.
  var id: String { get }
  /// One attempt; nil: there is none.
  func attempt(_ id: AttemptID) throws(JournalReadProblem) -> AttemptView?
  /// All attempts of one checkout, oldest first.
  func attempts(of checkout: CheckoutKey) throws(JournalReadProblem) -> [AttemptView]
  /// All attempts with this checkout id, whichever the merchant, oldest first. May look through the whole table.
  func attempts(ofCheckoutID checkoutID: String) throws(JournalReadProblem) -> [AttemptView]
  /// All parked attempts, ended ones with an obligation included, oldest first.
  func parked() throws(JournalReadProblem) -> [AttemptView]
  /// At most `limit` attempts after `cursor` (0: from the start) in the order of their creation, and the cursor to go on
  /// with; nil: there are no more.
  func page(after cursor: Int64, limit: Int) throws(JournalReadProblem) -> (views: [AttemptView], next: Int64?)
  /// The history of one attempt, oldest first.
  func history(of id: AttemptID) throws(JournalReadProblem) -> [RecordedWrite]
  /// How many attempts there are.
  func counts() throws(JournalReadProblem) -> JournalCounts
}

extension JournalReader {
  /// Calls `body` with every attempt in the order of their creation, page by page; not one snapshot.
  package func forEachAttempt(_ body: (AttemptView) -> Void) throws(JournalReadProblem) {
    var cursor: Int64? = 0
    while let after = cursor {
      let page = try page(after: after, limit: 500)
      page.views.forEach(body)
      cursor = page.next
    }
  }
}
