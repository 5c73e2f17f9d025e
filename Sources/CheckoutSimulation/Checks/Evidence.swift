// What the checks know of a run: the messages sent, what stands in the topics, the services' ledger, and how much the workers
// said they hold. Nothing of how the pipeline works.

import CheckoutCore
import CheckoutSandbox
import CheckoutWire
import WorkerEngine

/// A broken promise.
package struct Violation: Hashable, Sendable {
  /// Which: `G1` to `G7`, `order`, `repeat`, `memory`, `progress`, `livelock`.
  package let promise: String
  /// What was seen, in one line.
  package let detail: String
}

/// A message as it was sent.
struct SentMessage {
  let kind: MessageKind
  let key: String
  let origin: String
  let record: StoredRecord
}

/// An outcome, rejection or notice as it stands in its topic.
struct AnswerRecord {
  let record: StoredRecord
  let event: ReceivedEvent<OutcomeView>

  var origin: String { event.origin.position.text }
  /// `checkout.failed payment_declined`.
  var words: String { ([event.type.rawValue] + event.content.codes).joined(separator: " ") }
  /// Completed, failed or cancelled.
  var endsAttempt: Bool {
    switch event.type {
    case .completed, .failed, .cancelled: true
    case .requested, .cancelRequested, .validated, .refused, .rejected, .receiptPendingNotice, .parked, .receiptPending,
      .chargeUnknown, .reservePending, .compensationPending, .parkedRetry, .parkedResolve:
      false
    }
  }
}

/// The most that any worker said it held.
struct MemoryPeaks {
  var inFlight = 0
  var parked = 0
  var windowDepth = 0
  var heldBytes = 0
  var lanes = 0
}

/// Everything that is looked at.
struct Evidence {
  let isAtLeastOnce: Bool
  let sent: [SentMessage]
  let answers: [AnswerRecord]
  let deadLetters: [StoredRecord]
  let validated: [StoredRecord]
  let ledger: LedgerReport
  let peaks: MemoryPeaks
  let limits: PipelineSettings
  /// Faults of reading: events of ours that do not decode.
  private(set) var unreadable: [Violation] = []
  /// Attempts and checkouts for which a person is needed now.
  private(set) var parkedCheckouts: Set<String> = []

  init(world: InMemoryPipeline, sent: [SentMessage], isAtLeastOnce: Bool, peaks: MemoryPeaks) {
    self.isAtLeastOnce = isAtLeastOnce
    self.sent = sent
    self.peaks = peaks
    limits = world.settings
    var answers: [AnswerRecord] = []
    var unreadable: [Violation] = []
    for record in world.log(.rejections) + world.log(.outcomes) {
      do throws(MalformedEvent) {
        answers.append(AnswerRecord(record: record, event: try EventDecoder.outcome(record.message)))
      } catch {
        unreadable.append(Violation(promise: "G1", detail: "an answer does not decode: \(error.detail)"))
      }
    }
    deadLetters = world.log(.deadLetters)
    validated = world.log(.validated)
    do throws(LedgerProblem) {
      ledger = try LedgerReport(of: world.ledger, at: world.now)
    } catch {
      ledger = LedgerReport()
      unreadable.append(Violation(promise: "G3", detail: "the ledger cannot be read: \(error.description)"))
    }
    self.answers = answers
    self.unreadable = unreadable
    parkedCheckouts = Self.parked(answers)
  }

  /// Checkouts with an attempt whose latest word is that a person is needed.
  private static func parked(_ answers: [AnswerRecord]) -> Set<String> {
    var parked: [String: String] = [:]
    for answer in answers where !answer.event.content.replayed {
      guard let key = answer.event.content.subject.idempotencyKey else { continue }
      if answer.event.type == .parked { parked[key] = answer.event.content.subject.checkoutID }
      if answer.endsAttempt { parked[key] = nil }
    }
    return Set(parked.values)
  }

  /// Messages that were never answered and do not wait for a person.
  var unanswered: [SentMessage] {
    let answered = Set(answers.lazy.filter { $0.event.type.isOutcome }.map(\.origin))
    let buried = Set(deadLetters.map(\.sourcePlace))
    return sent.filter { message in
      if case .tombstone = message.kind { return false }
      return !answered.contains(message.origin) && !buried.contains(message.record.place)
        && !parkedCheckouts.contains(message.key)
    }
  }
}

extension StoredRecord {
  /// As Wire reads it.
  var message: InboundMessage {
    InboundMessage(value: value?.slice, headers: headers.map { (name: $0.name.slice, value: $0.value?.slice) })
  }

  /// `topic/partition/offset`.
  var place: String { "\(partition.topic)/\(partition.partition)/\(offset)" }

  /// Of a dead letter: where its message stood.
  var sourcePlace: String {
    "\(header("dlq-topic") ?? "?")/\(header("dlq-partition") ?? "?")/\(header("dlq-offset") ?? "?")"
  }

  /// Whose effect it is, as events carry it.
  var origin: Position? { header("ce_origin").flatMap { Position(text: $0) } }
}
