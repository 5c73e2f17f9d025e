// Messages: dead letters keep their bytes, one key has one result, keys keep their order.

import CheckoutCore
import CheckoutWire

/// A dead letter is its message, byte for byte.
struct DeadLetterCheck: ProofCheck {
  func examine(_ evidence: Evidence) -> CheckReport {
    var report = CheckReport(
      name: "dead_letters", promise: "G4", claim: "dead letters hold the exact bytes and headers of their messages")
    for letter in evidence.letters { judge(letter, evidence, &report) }
    return report
  }

  private func judge(_ letter: LetterFact, _ evidence: Evidence, _ report: inout CheckReport) {
    guard let source = letter.source else {
      return report.violate(nil, "a dead letter (\(letter.code)) does not say where its message stood")
    }
    let name = "\(source.topic.suffix)/\(source.partition)/\(source.offset)"
    let checkoutID = evidence.messages[source]?.checkoutID
    guard let original = evidence.messages[source]?.digest ?? evidence.digests[source] else {
      if evidence.isGone(source) { return report.doubt(.retention) }
      if evidence.isAhead(source) { return report.doubt(.young) }
      return report.violate(nil, "the dead letter of \(name) names a place where no message is")
    }
    if letter.digest.keyAndHeaders != original.keyAndHeaders {
      return report.violate(checkoutID, "the dead letter of \(name) has another key or other headers")
    }
    if letter.isRedacted { return report.doubt(.partial) }
    let isSame =
      letter.isTruncated ? letter.digest.value == original.beginning : letter.digest.value == original.value
    if isSame { report.pass() } else { report.violate(checkoutID, "the dead letter of \(name) has other bytes") }
  }
}

/// One idempotency key has one content with an effect, and one result.
struct SameKeyCheck: ProofCheck {
  private struct Use {
    let place: Place
    let checkoutID: String
    let fingerprint: Fingerprint
  }

  func examine(_ evidence: Evidence) -> CheckReport {
    var report = CheckReport(
      name: "same_key", promise: "G5", claim: "one key has one content and one result; other contents were refused")
    var uses: [AttemptID: [Use]] = [:]
    for (place, message) in evidence.messages {
      guard case .request(let attempt, let checkout, let fingerprint) = message.kind else { continue }
      uses[attempt, default: []].append(
        Use(place: place, checkoutID: checkout.checkoutID, fingerprint: fingerprint))
    }
    var results: [Place: [AnswerFact]] = [:]
    for answer in evidence.answers where answer.type.isOutcome && answer.type != .rejected {
      results[Evidence.place(of: answer.origin.position), default: []].append(answer)
    }
    for (attempt, uses) in uses { judge(uses, evidence.attempts?[attempt], results, &report) }
    return report
  }

  private func judge(
    _ uses: [Use], _ attempt: AttemptFact?, _ results: [Place: [AnswerFact]], _ report: inout CheckReport
  ) {
    let effective = uses.filter { results[$0.place] != nil }
    guard let first = effective.first else { return report.pass() }
    let fingerprint = attempt?.fingerprint ?? first.fingerprint
    if let other = effective.first(where: { $0.fingerprint != fingerprint }) {
      return report.violate(
        other.checkoutID,
        "the message at \(other.place.partition)/\(other.place.offset) has a key used for other content, "
          + "and got a result")
    }
    let answers = effective.flatMap { results[$0.place] ?? [] }
    let contents = Set(answers.map { "\($0.type.rawValue) \($0.view.code ?? "") \($0.view.chargeID ?? "")" })
    if contents.count > 1 {
      return report.violate(
        first.checkoutID, "one key has several results: \(contents.sorted().joined(separator: "; "))")
    }
    report.pass()
  }
}

/// Messages of one key went on in their order.
struct OrderCheck: ProofCheck {
  private struct Lane: Hashable {
    let partition: Int32
    let source: Int32
    let key: UInt64
  }

  func examine(_ evidence: Evidence) -> CheckReport {
    var report = CheckReport(name: "order", promise: "G6", claim: "messages of one key were handled in their order")
    var last: [Lane: Int64] = [:]
    var seen: Set<String> = []
    for passed in evidence.passed where seen.insert(passed.id).inserted {
      let place = Evidence.place(of: passed.origin)
      guard let message = evidence.messages[place] else {
        if evidence.isGone(place) { report.doubt(.retention) }
        continue
      }
      guard let key = message.key else { continue }
      let lane = Lane(partition: passed.partition, source: passed.origin.partition, key: key)
      if let before = last[lane], before > passed.origin.offset {
        report.violate(
          message.checkoutID, "message \(place.partition)/\(place.offset) was passed on after \(before) of its key")
      } else {
        report.pass()
      }
      last[lane] = max(last[lane] ?? 0, passed.origin.offset)
    }
    attempts(evidence, &report)
    return report
  }

  /// Attempts of one checkout began in the order of their messages.
  private func attempts(_ evidence: Evidence, _ report: inout CheckReport) {
    guard let attempts = evidence.attempts else { return report.doubt(.noJournal) }
    for (checkout, group) in Dictionary(grouping: attempts.values, by: \.checkout) where group.count > 1 {
      let began = group.sorted { $0.createdAt < $1.createdAt }.map(\.origin)
      let isInOrder = zip(began, began.dropFirst()).allSatisfy { earlier, later in
        earlier.partition != later.partition || earlier.offset < later.offset
      }
      if isInOrder {
        report.pass()
      } else {
        report.violate(checkout.checkoutID, "attempts began in another order than their messages came")
      }
    }
  }
}
