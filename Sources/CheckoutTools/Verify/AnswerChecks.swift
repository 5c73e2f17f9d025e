// Answers: one for each message, none without a message, one content for one id.

import CheckoutCore
import CheckoutWire

/// Each message of `checkout.requests` has ended in exactly one way.
struct AnswerCheck: ProofCheck {
  /// What came of one message.
  private struct Ends {
    var outcomes: [String: AnswerFact] = [:]
    var letters: Set<Place> = []
    var isParked = false
    var isPending = false

    /// Letters of later stages may have been redriven; one of the request itself is its end.
    var count: Int {
      outcomes.values.count { !$0.view.replayed } + letters.count { $0.topic == .requests }
    }
  }

  private let identifiers = Identifiers(digest: SHA256.digest)

  func examine(_ evidence: Evidence) -> CheckReport {
    var report = CheckReport(
      name: "answers", promise: "G1", claim: "each message ended in exactly one answer, dead letter or parked item")
    let ends = collect(evidence)
    let open = openOrigins(evidence)
    for (place, message) in evidence.messages where message.kind != .tombstone {
      judge(place, message, ends[place] ?? Ends(), isOpen: open.contains(place), evidence, &report)
    }
    return report
  }

  private func collect(_ evidence: Evidence) -> [Place: Ends] {
    var ends: [Place: Ends] = [:]
    for answer in evidence.answers {
      let place = Evidence.place(of: answer.origin.position)
      switch answer.type {
      case .parked: ends[place, default: Ends()].isParked = true
      case .receiptPendingNotice: ends[place, default: Ends()].isPending = true
      default: ends[place, default: Ends()].outcomes[answer.id] = answer
      }
    }
    for letter in evidence.letters {
      guard let origin = letter.origin, let source = letter.source else { continue }
      ends[origin, default: Ends()].letters.insert(source)
    }
    return ends
  }

  /// Origins that an open attempt still owes an answer.
  private func openOrigins(_ evidence: Evidence) -> Set<Place> {
    var open: Set<Place> = []
    for attempt in (evidence.attempts ?? [:]).values where attempt.ending == nil {
      open.insert(attempt.origin)
      open.formUnion(attempt.waiting)
    }
    return open
  }

  private func judge(
    _ place: Place, _ message: MessageFact, _ ends: Ends, isOpen: Bool, _ evidence: Evidence,
    _ report: inout CheckReport
  ) {
    let name = "\(place.partition)/\(place.offset)"
    let replayed = ends.outcomes.values.filter(\.view.replayed)
    if ends.count > 1 || replayed.count > 1 {
      let ids = ends.outcomes.values.map { "\($0.type.rawValue) \($0.id)" }.sorted()
      return report.violate(
        message.checkoutID, "message \(name) has \(ends.count + replayed.count) answers: \(ids.joined(separator: ", "))"
      )
    }
    if ends.count == 1, let again = replayed.first {
      // An answer given again to its own origin, because the group had lost its offsets, is no second one.
      let expected = identifiers.replayedEvent(again.type, of: again.origin)
      guard again.id == expected else {
        return report.violate(message.checkoutID, "message \(name) was answered, and again as a copy (\(again.id))")
      }
    }
    if ends.count == 1 || !replayed.isEmpty || ends.isParked || !ends.letters.isEmpty { return report.pass() }
    if evidence.isYoung(milliseconds: message.timestampMilliseconds) { return report.doubt(.young) }
    if isOpen || ends.isPending { return report.doubt(.open) }
    if evidence.hasLost(.outcomes) || evidence.hasLost(.rejections) || evidence.hasLost(.deadLetters) {
      return report.doubt(.retention)
    }
    if evidence.attempts == nil { return report.doubt(.noJournal) }
    report.violate(message.checkoutID, "message \(name) has no answer, and no open attempt owes one")
  }
}

extension MessageFact {
  /// The order a message is about, if it tells.
  var checkoutID: String? {
    switch kind {
    case .request(_, let checkout, _), .cancellation(let checkout): checkout.checkoutID
    case .tombstone, .other: nil
    }
  }
}

/// No answer without a message.
struct AskedCheck: ProofCheck {
  func examine(_ evidence: Evidence) -> CheckReport {
    var report = CheckReport(name: "asked", promise: "G1", claim: "no answer without a message that asked")
    for fault in evidence.unreadable { report.violate(nil, "a record of ours cannot be read: \(fault)") }
    for answer in evidence.answers {
      let place = Evidence.place(of: answer.origin.position)
      if let message = evidence.messages[place],
        message.timestampMilliseconds == answer.origin.position.timestampMilliseconds
      {
        if message.kind == .tombstone {
          report.violate(answer.view.subject.checkoutID, "\(answer.type.rawValue) \(answer.id) answers a tombstone")
        } else {
          report.pass()
        }
      } else if evidence.messages[place] != nil || evidence.isGone(place) {
        // Another record stands there now: the topic was made anew.
        report.doubt(.retention)
      } else if evidence.isAhead(place) {
        report.doubt(.young)
      } else {
        report.violate(
          answer.view.subject.checkoutID,
          "\(answer.type.rawValue) \(answer.id) answers \(answer.origin.position.text), where no message is")
      }
    }
    return report
  }
}

/// A repeat of an event is the same event.
struct SameContentCheck: ProofCheck {
  func examine(_ evidence: Evidence) -> CheckReport {
    var report = CheckReport(name: "same_content", promise: "G1", claim: "one event id has one content")
    var known: [String: AnswerFact] = [:]
    for answer in evidence.answers {
      guard let earlier = known[answer.id] else {
        known[answer.id] = answer
        report.pass()
        continue
      }
      // Validation's refusals carry the time of their decision, which a repeat after a crash makes anew.
      let isSame =
        answer.type == .rejected ? earlier.view.failures == answer.view.failures : earlier.digest == answer.digest
      if isSame {
        report.pass()
      } else {
        report.violate(answer.view.subject.checkoutID, "\(answer.type.rawValue) \(answer.id) came with two contents")
      }
    }
    return report
  }
}
