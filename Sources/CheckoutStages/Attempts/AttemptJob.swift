// One message that is about an attempt, from its arrival until it is finished or taken away.

import CheckoutCore
import CheckoutWire
import WorkerEngine

/// What a message asks.
enum Question: Sendable {
  /// Pay this.
  case validated(ValidatedRequest, Fingerprint)
  /// Refused by a rule that can change: is the attempt known?
  case refused(AttemptID, Fingerprint, [Refusal])
  /// Cancel this.
  case cancel(CheckoutKey, reason: String)
  /// Work this off.
  case pending(eventID: String, PendingWork)
  /// Apply a person's word.
  case word(eventID: String, PersonsWord)

  /// The attempt it is about; nil for a cancellation, which finds its own.
  var attemptID: AttemptID? {
    switch self {
    case .validated(let request, _): request.identity.attemptID
    case .refused(let id, _, _): id
    case .cancel: nil
    case .pending(_, let work): work.attempt.attemptID
    case .word(_, let word): word.attempt.attemptID
    }
  }
}

/// A message in work.
struct AttemptJob: Sendable {
  /// Nil once the message was taken away: only a late answer is waited for.
  var ticket: Ticket?
  let position: Position
  let origin: Origin
  let subject: EventSubject
  let trace: TraceContext?
  let offsetsWereLost: Bool
  let question: Question
  /// The machine, while the attempt is ours.
  var saga: Saga?
  /// When it was taken in.
  let admittedAt: BootTime
  /// Journal time at which its message was written.
  let toldAt: Timestamp
  /// What its message is.
  let type: EventType
  /// True once its service is back: it need not wait for its time.
  var hurries = false
  /// The service whose answer to its latest call was none; nil: the latest was one.
  var troubledBy: Service?
  /// The call in flight, or waiting for room at its service.
  var call: (id: UInt64, operation: Operation)?
  /// True while it is outside the in-flight budget.
  var isParked = false
}

/// What a journal answer is for.
enum JournalWait: Sendable {
  /// A job asked how the row is.
  case find(job: Int)
  /// A job's admission was written.
  case admission(job: Int, Admission)
  /// A machine's write.
  case saga(job: Int)
  case lease
  case sweepList
  case sweepWrite(Attempt)
  /// Nobody needs the answer.
  case nothing
}
