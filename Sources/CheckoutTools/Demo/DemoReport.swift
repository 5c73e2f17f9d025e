// What a demo ends with: counts, and everything that is not as it must be.

import CheckoutCore
package import CheckoutSandbox
import CheckoutWire

/// The result of a run of samples.
package struct DemoReport: Sendable {
  /// Messages that must be answered (tombstones are not).
  package private(set) var requests = 0
  /// Final answers by type; parked counts as one.
  package private(set) var outcomes: [String: Int] = [:]
  /// Notices by type (receipt pending, parked).
  package private(set) var notices: [String: Int] = [:]
  /// Messages that ended as a dead letter.
  package private(set) var deadLetters = 0
  /// Charges that took or held money, over all checkouts.
  package let charges: Int
  /// Checkouts charged more than once; anything but 0 is a violation.
  package let doubleCharges: Int
  /// One line each: which sample, what differs.
  package private(set) var violations: [String] = []

  /// Compares answers and the services' ledger with what the samples must lead to.
  package init(samples: [Sample], book: AnswerBook, ledger: LedgerReport, collectAll: Bool) {
    charges = ledger.charges
    doubleCharges = ledger.doubleCharged.count
    for (index, sample) in samples.enumerated() {
      let answers = book.answers[index]
      for difference in sample.expectation.differences(answers, collectAll: collectAll) {
        violations.append("\(sample.message.name) (\(sample.title)): \(difference)")
      }
      if !book.silent.contains(index) { requests += 1 }
      count(answers)
      if let fault = sample.ledgerFault(ledger) {
        violations.append("\(sample.message.name) (\(sample.title)): \(fault)")
      }
    }
    for checkout in ledger.doubleCharged { violations.append("\(checkout.checkoutID) was charged more than once") }
    for checkout in ledger.doubleReceipted { violations.append("\(checkout.checkoutID) got more than one receipt") }
  }

  private mutating func count(_ answers: [MessageAnswer]) {
    guard let final = answers.first(where: \.isFinal) else { return }
    switch final.content {
    case .deadLetter: deadLetters += 1
    case .outcome(let type, _), .notice(let type, _): outcomes[type.rawValue, default: 0] += 1
    }
    for answer in answers where answer != final {
      if case .notice(let type, _) = answer.content { notices[type.rawValue, default: 0] += 1 }
    }
  }

  /// The report as one line of JSON.
  package func json(elapsedMilliseconds: Int64) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.field("requests", Int64(requests))
    writer.counts(
      "outcomes",
      [
        "checkout.completed", "checkout.rejected", "checkout.failed", "checkout.cancelled",
        "checkout.parked",
      ], outcomes)
    writer.counts("notices", [], notices)
    writer.field("dead_letters", Int64(deadLetters))
    writer.field("charges", Int64(charges))
    writer.field("double_charges", Int64(doubleCharges))
    writer.field("violations", Int64(violations.count))
    writer.field("elapsed_ms", elapsedMilliseconds)
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension JSONWriter {
  fileprivate mutating func counts(_ name: StaticString, _ always: [String], _ counts: [String: Int]) {
    key(name)
    beginObject()
    for type in always { count(type, counts[type] ?? 0) }
    for (type, number) in counts.sorted(by: { $0.key < $1.key }) where !always.contains(type) { count(type, number) }
    endObject()
  }

  private mutating func count(_ type: String, _ number: Int) {
    key(named: type)
    integer(Int64(number))
  }
}

extension Sample {
  /// What the services' ledger says against the sample's expectation; nil: nothing.
  fileprivate func ledgerFault(_ ledger: LedgerReport) -> String? {
    guard let checkout else { return nil }
    let effects = ledger.effects(of: checkout)
    if let charges = expectation.charges, charges != effects.charges.count {
      return "\(effects.charges.count) charges, not \(charges)"
    }
    if let receipts = expectation.receipts, receipts != effects.receipts {
      return "\(effects.receipts) receipts, not \(receipts)"
    }
    if let charged = expectation.charged, charged != !effects.charges.isEmpty {
      return charged ? "was not charged" : "was charged"
    }
    if expectation.refundsEqualCharges, effects.capturedMinor != effects.refundedMinor {
      return "captured \(effects.capturedMinor), refunded \(effects.refundedMinor)"
    }
    let endsUnpaid = expectation.answer == "checkout.failed" || expectation.answer == "checkout.cancelled"
    return endsUnpaid && effects.openHolds > 0 ? "ended unpaid but still holds stock" : nil
  }
}
