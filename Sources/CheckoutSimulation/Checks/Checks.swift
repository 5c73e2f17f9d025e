// The promises, each checked on its own from the evidence.

import CheckoutCore
import CheckoutSandbox
import CheckoutWire
import WorkerEngine

/// Looks at a run that has come to its end.
enum Checks {
  /// Everything that is wrong, in a fixed order; money last.
  static func violations(_ evidence: Evidence) -> [Violation] {
    evidence.unreadable + answers(evidence) + sources(evidence) + deadLetters(evidence) + repeats(evidence)
      + order(evidence) + memory(evidence) + charges(evidence) + money(evidence)
  }

  // MARK: G1

  /// Each message has exactly one answer, or waits for a person.
  static func answers(_ evidence: Evidence) -> [Violation] {
    var outcomes: [String: [AnswerRecord]] = [:]
    for answer in evidence.answers where answer.event.type.isOutcome {
      outcomes[answer.origin, default: []].append(answer)
    }
    var letters: [String: Int] = [:]
    for letter in evidence.deadLetters { letters[letter.sourcePlace, default: 0] += 1 }
    var found: [Violation] = []
    for message in evidence.sent {
      let own = outcomes[message.origin] ?? []
      let ids = Set(own.map(\.event.id)).count
      if ids > 1 || (own.count > 1 && !evidence.isAtLeastOnce) {
        found.append(violation(message, "is answered \(own.count) times: \(own.map(\.words).joined(separator: ", "))"))
      }
      if ids > 0, letters[message.record.place] != nil {
        found.append(violation(message, "is answered and a dead letter"))
      }
      if case .tombstone = message.kind, ids > 0 { found.append(violation(message, "is answered, it is a tombstone")) }
    }
    for message in evidence.unanswered { found.append(violation(message, "has no answer")) }
    return found
  }

  /// No answer without a message.
  static func sources(_ evidence: Evidence) -> [Violation] {
    let known = Set(evidence.sent.map(\.origin))
    return evidence.answers.filter { $0.event.type.isOutcome && !known.contains($0.origin) }.map { answer in
      Violation(promise: "G1", detail: "\(answer.words) for \(answer.origin), where nothing was sent")
    }
  }

  private static func violation(_ message: SentMessage, _ what: String) -> Violation {
    Violation(promise: "G1", detail: "\(message.record.place) (\(message.key)) \(what)")
  }

  // MARK: G4

  /// What cannot be processed is there with its bytes, and nothing else.
  static func deadLetters(_ evidence: Evidence) -> [Violation] {
    var letters: [String: [StoredRecord]] = [:]
    for letter in evidence.deadLetters { letters[letter.sourcePlace, default: []].append(letter) }
    var found: [Violation] = []
    var expected: Set<String> = []
    for message in evidence.sent {
      guard case .poison = message.kind else { continue }
      let own = letters[message.record.place] ?? []
      expected.insert(message.record.place)
      if own.isEmpty || (own.count > 1 && !evidence.isAtLeastOnce) {
        found.append(Violation(promise: "G4", detail: "\(message.record.place) has \(own.count) dead letters"))
      }
      for letter in own where letter.value != message.record.value || letter.key != message.record.key {
        found.append(Violation(promise: "G4", detail: "the dead letter of \(message.record.place) has other bytes"))
      }
    }
    for place in letters.keys.sorted() where !expected.contains(place) {
      let detail = letters[place]?.first?.header("dlq-detail") ?? ""
      let code = letters[place]?.first?.header("dlq-code") ?? ""
      found.append(Violation(promise: "G4", detail: "\(place) is a dead letter: \(code) \(detail)"))
    }
    return found
  }

  // MARK: G5 and repeats

  /// One result for one key; only its copies are marked; equal ids, equal bytes.
  static func repeats(_ evidence: Evidence) -> [Violation] {
    var found: [Violation] = []
    var byID: [String: StoredRecord] = [:]
    for answer in evidence.answers {
      if let first = byID[answer.event.id], first.value != answer.record.value || first.headers != answer.record.headers
      {
        found.append(
          Violation(promise: "repeat", detail: "two different \(answer.words) have the id \(answer.event.id)"))
      }
      byID[answer.event.id] = answer.record
    }
    var ends: [String: [AnswerRecord]] = [:]
    for answer in evidence.answers where answer.endsAttempt {
      guard let key = answer.event.content.subject.idempotencyKey else { continue }
      ends[key, default: []].append(answer)
    }
    var contents: [String: [String: Set<SimulatedOrder>]] = [:]
    for message in evidence.sent {
      if case .request(let order) = message.kind {
        contents[order.key, default: [:]][message.origin, default: []].insert(order)
      }
    }
    for key in ends.keys.sorted() {
      let answers = ends[key] ?? []
      let firsts = Set(answers.filter { !$0.event.content.replayed }.map(\.event.id))
      if firsts.count != 1 {
        found.append(Violation(promise: "G5", detail: "\(key) has \(firsts.count) first results"))
      }
      if Set(answers.map(\.result)).count > 1 {
        let words = Set(answers.map(\.words)).sorted().joined(separator: ", ")
        found.append(Violation(promise: "G5", detail: "\(key) has different results: \(words)"))
      }
      let orders = answers.reduce(into: Set<SimulatedOrder>()) { $0.formUnion(contents[key]?[$1.origin] ?? []) }
      if orders.count > 1 {
        found.append(Violation(promise: "G5", detail: "\(key) gave its result to \(orders.count) different requests"))
      }
    }
    return found
  }

  // MARK: G6

  /// What validation passes on of one key keeps the order of its partition.
  static func order(_ evidence: Evidence) -> [Violation] {
    guard !evidence.isAtLeastOnce else { return [] }
    var latest: [String: Int64] = [:]
    var found: [Violation] = []
    for record in evidence.validated {
      guard let origin = record.origin else {
        found.append(Violation(promise: "G6", detail: "\(record.place) has no origin"))
        continue
      }
      let lane = "\(record.keyText)/\(origin.partition)"
      if let before = latest[lane], before >= origin.offset {
        found.append(
          Violation(promise: "G6", detail: "\(record.keyText): offset \(origin.offset) came after \(before)"))
      }
      latest[lane] = origin.offset
    }
    return found
  }

  // MARK: Memory

  static func memory(_ evidence: Evidence) -> [Violation] {
    var found: [Violation] = []
    func check(_ name: String, _ value: Int, _ limit: Int) {
      if value > limit { found.append(Violation(promise: "memory", detail: "\(name): \(value), limit \(limit)")) }
    }
    let limits = evidence.limits
    // What waited outside the budget comes back into it when its time has come.
    check("messages in flight", evidence.peaks.inFlight, limits.inFlightMax + evidence.peaks.parked)
    check("messages that wait", evidence.peaks.parked, limits.heldItemsMax + evidence.sent.count)
    check("window", evidence.peaks.windowDepth, 100_000 + limits.pollRecordsMax)
    check("lanes", evidence.peaks.lanes, 8192 + limits.pollRecordsMax + limits.inFlightMax)
    check("bytes", evidence.peaks.heldBytes, 64 << 20)
    return found
  }

  // MARK: G2, G3, G7

  /// Nobody pays twice, or gets two receipts.
  static func charges(_ evidence: Evidence) -> [Violation] {
    evidence.ledger.doubleCharged.map { Violation(promise: "G2", detail: "\($0.checkoutID) was charged twice") }
      + evidence.ledger.doubleReceipted.map { Violation(promise: "G3", detail: "\($0.checkoutID) got two receipts") }
  }

  /// What the ledger says against what was told.
  static func money(_ evidence: Evidence) -> [Violation] {
    var completed: [String: AnswerRecord] = [:]
    for answer in evidence.answers where answer.event.type == .completed && !answer.event.content.replayed {
      completed[answer.event.content.subject.checkoutID] = answer
    }
    var found: [Violation] = []
    for (checkout, effects) in evidence.ledger.checkouts.sorted(by: { $0.key.checkoutID < $1.key.checkoutID }) {
      guard !evidence.parkedCheckouts.contains(checkout.checkoutID) else { continue }
      if let answer = completed.removeValue(forKey: checkout.checkoutID) {
        found += paid(checkout.checkoutID, effects, answer.event.content)
      } else {
        found += unpaid(checkout.checkoutID, effects)
      }
    }
    for checkout in completed.keys.sorted() {
      found.append(Violation(promise: "G3", detail: "\(checkout) is completed, the services never heard of it"))
    }
    return found
  }

  private static func paid(_ name: String, _ effects: LedgerReport.Checkout, _ told: OutcomeView) -> [Violation] {
    var found: [Violation] = []
    let held = effects.capturedMinor - effects.refundedMinor
    if told.amountMinor ?? 0 > 0, held <= 0, effects.openAuthorisations == 0 {
      found.append(Violation(promise: "G3", detail: "\(name) is completed and no money is held"))
    }
    if effects.openAuthorisations == 0, held != told.amountMinor ?? 0 {
      found.append(Violation(promise: "G3", detail: "\(name) is completed with \(held) of \(told.amountMinor ?? 0)"))
    }
    if effects.receipts != 1 {
      found.append(Violation(promise: "G3", detail: "\(name) is completed with \(effects.receipts) receipts"))
    }
    if effects.confirmedHolds != 1 || effects.openHolds != 0 {
      let holds = "\(effects.openHolds) open, \(effects.confirmedHolds) sold"
      found.append(Violation(promise: "G7", detail: "\(name) is completed; holds: \(holds)"))
    }
    return found
  }

  private static func unpaid(_ name: String, _ effects: LedgerReport.Checkout) -> [Violation] {
    var found: [Violation] = []
    if effects.capturedMinor != effects.refundedMinor || effects.openAuthorisations > 0 {
      let held = "\(effects.capturedMinor - effects.refundedMinor) taken, \(effects.openAuthorisations) authorised"
      found.append(Violation(promise: "G3", detail: "\(name) ended unpaid and money is held: \(held)"))
    }
    if effects.openHolds + effects.confirmedHolds > 0 {
      found.append(
        Violation(
          promise: "G7",
          detail: "\(name) ended unpaid; holds: \(effects.openHolds) open, \(effects.confirmedHolds) sold"))
    }
    return found
  }
}

extension AnswerRecord {
  /// What copies must have in common.
  fileprivate struct Result: Hashable {
    let words: String
    let chargeID: String?
    let receiptURL: String?
    let captured: Int64?
    let refunded: Int64?
  }

  fileprivate var result: Result {
    let content = event.content
    return Result(
      words: words, chargeID: content.chargeID, receiptURL: content.receiptURL, captured: content.capturedMinor,
      refunded: content.refundedMinor)
  }
}
