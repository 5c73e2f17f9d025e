// A person's retry or resolve on its way: checked against the row, made into an event, and found again in the history.

package import CheckoutCore
package import CheckoutStages
import CheckoutWire
package import WorkerEngine

/// Why a word is not even said.
package enum WordRefusal: Error, Hashable, Sendable {
  /// The row is not parked (any more).
  case notParked(state: String)
  /// The person looked at another version than the row has now.
  case otherVersion(now: Int64)
  /// Money is with us, so that the unpaid end needs evidence that it went back.
  case moneyHeld(EvidenceNeeded)

  /// Which evidence.
  package enum EvidenceNeeded: Hashable, Sendable {
    case refundedOutside
  }
}

/// A word about one attempt, ready to be published.
package struct PersonsWordPlan: Sendable {
  /// What is said.
  package let word: PersonsWord
  /// `ce_id` of its event, also found in the attempt's history once it was applied.
  package let eventID: String
  /// The event for `checkout.pending`.
  package let output: Output

  /// Checks the word against the row the person looks at.
  package init(
    _ word: PersonsWord, about row: Attempt, identifiers: Identifiers, topics: TopicNames, at now: Timestamp
  ) throws(WordRefusal) {
    guard row.version == word.rowVersion else { throw .otherVersion(now: row.version) }
    guard row.parked != nil else { throw .notParked(state: row.state.name) }
    if let resolution = word.resolution, row.hasEnded || resolution != .completed, row.holdsMoney,
      word.refundedOutside == nil
    {
      throw .moneyHeld(.refundedOutside)
    }
    self.word = word
    eventID = identifiers.personsWord(word, at: now)
    let event = PipelineEvent(
      id: eventID, type: word.resolution == nil ? .parkedRetry : .parkedResolve, origin: row.origin, time: now,
      subject: EventSubject(row.identity), trace: row.trace, body: .personsWord(word))
    output = EventEncoder().encode(event).output(topics)
  }

  /// What became of the word.
  package enum Fate: Hashable, Sendable {
    /// Reconciliation has not come to it yet.
    case waiting
    /// Somebody changed the row first: the word has no effect.
    case overtaken
    /// Applied; the attempt is not settled yet.
    case applied
    /// Applied, and the attempt has ended or is parked again.
    case settled(Attempt)
  }

  /// Reads the word's fate from the row as it is now and its history.
  package func fate(of row: Attempt, history: [RecordedWrite]) -> Fate {
    guard row.version > word.rowVersion else { return .waiting }
    let isApplied = history.contains { write in
      write.steps.contains { $0.detail.contains { $0.name == "word" && $0.value == eventID } }
    }
    guard isApplied else { return .overtaken }
    return row.hasEnded || row.parked != nil ? .settled(row) : .applied
  }
}

extension PersonsWordPlan {
  /// One line of JSON; `fate` nil: nobody waited for it.
  package func json(fate: String?) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.field("checkout_id", word.attempt.checkoutID)
    writer.field("merchant_id", word.attempt.merchantID)
    writer.field("idempotency_key", word.attempt.idempotencyKey)
    writer.field("said", word.resolution.map { "resolve as \($0.rawValue)" } ?? "retry")
    writer.field("row_version", word.rowVersion)
    writer.field("event_id", eventID)
    writer.field("fate", ifPresent: fate)
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension Attempt {
  /// What has come of a person's word, in a line.
  package var whatCame: String {
    if let parked { return "parked again: \(parked.reason.rawValue) (\(parked.detail))" }
    let reason = state.reason.map { " (\($0.rawValue))" } ?? ""
    return state.name + reason + (receipt.url.map { ", receipt \($0)" } ?? "")
  }
}
