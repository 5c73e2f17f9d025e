// What waits for the journal's thread, and how it is cut into transactions.

package import CheckoutCore

/// One call of `submit`, kept whole: its requests are looked at where they lie.
package final class Submission: Sendable {
  /// As submitted.
  package let requests: [JournalRequest]
  let sink: JournalSink

  package init(requests: [JournalRequest], sink: @escaping JournalSink) {
    self.requests = requests
    self.sink = sink
  }
}

/// The requests of one transaction: runs of submissions, in the order submitted.
package struct JournalBatch {
  /// A run of one submission's requests; its sink gets their answers in one call.
  package struct Run {
    /// Whose requests.
    package let submission: Submission
    /// Which of them.
    package let range: Range<Int>
  }

  /// In the order submitted.
  package private(set) var runs: [Run] = []
  /// Requests in all runs.
  package private(set) var count = 0

  /// Cuts submissions into batches of at most `limit` requests, with at most one write of an attempt in each, and none
  /// after its owner was taken away in the same batch: a journal may carry out one kind of request after the other.
  package static func batches(of submissions: [Submission], limit: Int) -> [JournalBatch] {
    var batches: [JournalBatch] = []
    var batch = JournalBatch()
    var written: Set<AttemptID> = []
    written.reserveCapacity(min(limit, submissions.reduce(0) { $0 + $1.requests.count }))
    for submission in submissions {
      var start = 0
      for index in submission.requests.indices {
        let command = submission.requests[index].command
        let attempt = command.writtenAttempt
        let isSecondWrite = if let attempt { !written.insert(attempt).inserted } else { false }
        if case .giveUp(_, let attempts) = command { written.formUnion(attempts) }
        guard isSecondWrite || batch.count + index - start == limit else { continue }
        batch.append(submission, start..<index)
        batches.append(batch)
        batch = JournalBatch()
        start = index
        written.removeAll(keepingCapacity: true)
        if let attempt { written.insert(attempt) }
      }
      batch.append(submission, start..<submission.requests.count)
    }
    if batch.count > 0 { batches.append(batch) }
    return batches
  }

  private mutating func append(_ submission: Submission, _ range: Range<Int>) {
    if range.isEmpty { return }
    runs.append(Run(submission: submission, range: range))
    count += range.count
  }

  /// Answers every request: `results` are in the order of the requests.
  func deliver(_ results: [JournalResult], at now: Timestamp) {
    var next = 0
    for run in runs {
      var replies: [JournalReply] = []
      replies.reserveCapacity(run.range.count)
      for index in run.range {
        replies.append(JournalReply(id: run.submission.requests[index].id, result: results[next], at: now))
        next += 1
      }
      run.submission.sink(replies)
    }
  }
}

extension JournalCommand {
  /// The attempt a command writes a new version of.
  fileprivate var writtenAttempt: AttemptID? {
    switch self {
    case .create(let write), .update(let write): write.row.identity.attemptID
    case .find, .findCheckout, .lease, .giveUp, .endLease, .sweep: nil
    }
  }
}
