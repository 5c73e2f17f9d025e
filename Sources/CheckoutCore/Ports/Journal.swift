// The journal: the durable memory of all attempts. Requests go in by batches and are group-committed; each is answered
// once. Refusals that are expected (a duplicate, an older epoch, another version) are answers, never errors.

/// One entry of an attempt's append-only history, written together with the row.
package struct Step: Hashable, Sendable {
  /// What happened, in field terms (`reserved`, `charge sent`, `took over`, …).
  package let name: String
  /// Ids and codes, by name; no personal data, no tokens.
  package let detail: [Detail]

  /// One named value of a step.
  package struct Detail: Hashable, Sendable {
    /// What the value is, in `snake_case`.
    package let name: String
    /// An id, a code or a number as text.
    package let value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  package init(_ name: String, _ detail: [Detail] = []) {
    self.name = name
    self.detail = detail
  }
}

/// A conditional write of one row. Never changes; an object, because a row is a kilobyte of fields that would be copied at
/// each queue between a stage and the disk. Two are equal if they say the same.
package final class AttemptWrite: Hashable, Sendable {
  /// The whole new row; `row.version` is the version it will have, one more than the one it replaces.
  package let row: Attempt
  /// Refuse if the row's epoch is another; nil: do not look at the epoch (a late definite reply, a cancellation).
  package let expectedEpoch: Int64?
  /// Names the write, so that after a lost commit reply the same write can be recognised as done. Unique.
  package let writeID: String
  /// Appended to the attempt's history in the same transaction.
  package let steps: [Step]

  package init(row: Attempt, expectedEpoch: Int64?, writeID: String, steps: [Step]) {
    self.row = row
    self.expectedEpoch = expectedEpoch
    self.writeID = writeID
    self.steps = steps
  }

  package static func == (left: AttemptWrite, right: AttemptWrite) -> Bool {
    left.writeID == right.writeID && left.expectedEpoch == right.expectedEpoch && left.row == right.row
      && left.steps == right.steps
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(writeID)
    hasher.combine(row.version)
  }
}

/// A row, and whether its owner is alive by the journal's own clock. Never changes; an object for the reason above.
package final class AttemptView: Hashable, Sendable {
  /// The row as it is now.
  package let attempt: Attempt
  /// The end of the owner's lease if it lies ahead, in journal time; nil: nobody owns it, or the lease is over.
  package let ownedUntil: Timestamp?

  package init(attempt: Attempt, ownedUntil: Timestamp?) {
    self.attempt = attempt
    self.ownedUntil = ownedUntil
  }

  package static func == (left: AttemptView, right: AttemptView) -> Bool {
    left.ownedUntil == right.ownedUntil && left.attempt == right.attempt
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(attempt.identity)
    hasher.combine(attempt.version)
    hasher.combine(ownedUntil)
  }
}

/// A request to the journal.
package enum JournalCommand: Hashable, Sendable {
  /// Insert a new attempt, unless its key exists or another attempt blocks its checkout.
  /// Answers: `written`, `exists`, `blocked`.
  case create(AttemptWrite)
  /// Replace a row, if its version (and epoch) are the expected ones. Within an epoch an owner can be given up and not gained: a
  /// row without an owner stays so, whatever the write says, unless it raises the epoch. (A write made from a picture of the row
  /// before `giveUp` would else bring a live owner back that does not work on it.) Answers: `written`, `conflict`.
  case update(AttemptWrite)
  /// Read one attempt. Answer: `found`.
  case find(AttemptID)
  /// Read the checkout's attempts: the one that blocks it first, then from the latest created back; at most `limit`, at
  /// least 1. Answer: `listed`.
  case findCheckout(CheckoutKey, limit: Int)
  /// Take or renew the worker's lease for `duration` from the journal's now. Answer: `leased`.
  case lease(WorkerID, duration: TimeSpan)
  /// Clear the owner of these attempts where it is this worker. Versions and epochs stay. Answer: `done`.
  case giveUp(WorkerID, [AttemptID])
  /// End the worker's lease at once. Answer: `done`.
  case endLease(WorkerID)
  /// Open attempts last written before `olderThan` whose owner's lease is over, and ended ones whose watch is due at
  /// `now`; at most `limit`. Answer: `listed`.
  case sweep(olderThan: Timestamp, now: Timestamp, limit: Int)
}

/// One request with the number its answer will carry.
package struct JournalRequest: Hashable, Sendable {
  /// Chosen by the caller; unique in the worker.
  package let id: UInt64
  /// What is asked of the journal.
  package let command: JournalCommand

  package init(id: UInt64, command: JournalCommand) {
    self.id = id
    self.command = command
  }
}

/// What the journal answers.
package enum JournalResult: Hashable, Sendable {
  /// The write is durable.
  case written
  /// `create`: an attempt with this key is there already.
  case exists(AttemptView)
  /// `create`: this attempt of the same checkout stands in the way.
  case blocked(AttemptView)
  /// `update`: the row is not as expected; this is how it is (nil: there is none).
  case conflict(AttemptView?)
  case found(AttemptView?)
  /// The lease holds until this journal time.
  case leased(until: Timestamp)
  case done
  case listed([AttemptView])
  /// The journal refused the data of this one write (too long, bad encoding); all others went on.
  case refused(detail: String)
}

/// One answer.
package struct JournalReply: Hashable, Sendable {
  /// Of the request it answers.
  package let id: UInt64
  /// What became of the request.
  package let result: JournalResult
  /// The journal's clock when it answered.
  package let at: Timestamp

  package init(id: UInt64, result: JournalResult, at: Timestamp) {
    self.id = id
    self.result = result
    self.at = at
  }
}

/// Where a journal delivers its answers; may be called on any thread, never blocks.
package typealias JournalSink = @Sendable ([JournalReply]) -> Void

/// The journal. `submit` never blocks; each request is answered exactly once, and only when what it says is durable.
/// An outage delays answers; it never turns into one. Two writes of one attempt are applied in the order submitted.
package protocol Journal: AnyObject, Sendable {
  /// Made once when the journal was created; two journals never share it.
  var id: String { get }
  /// Hands over requests; answers come through `sink`.
  func submit(_ requests: [JournalRequest], sink: @escaping JournalSink)
}
