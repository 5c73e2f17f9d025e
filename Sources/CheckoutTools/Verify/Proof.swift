// A verification: all checks over the evidence, and what they found, for people and machines.

import CheckoutWire

/// What was found about the promises.
package struct Proof: Sendable {
  /// One for each check, in a fixed order.
  package let reports: [CheckReport]

  private static let checks: [any ProofCheck] = [
    AnswerCheck(), AskedCheck(), SameContentCheck(), ChargedOnceCheck(), ChargesKnownCheck(), AmountCheck(),
    MoneySettledCheck(), DeadLetterCheck(), SameKeyCheck(), OrderCheck(), StockCheck(),
  ]

  /// Looks at everything.
  package init(_ evidence: Evidence) {
    reports = Proof.checks.map { $0.examine(evidence) }
  }

  /// All broken promises, in a fixed order.
  package var violations: [Violation] {
    reports.flatMap { report in
      report.violations.sorted { ($0.checkoutID ?? "", $0.detail) < ($1.checkoutID ?? "", $1.detail) }
    }
  }

  /// True if everything was looked at and nothing is wrong.
  package var isClean: Bool { reports.allSatisfy { $0.verdict == .clean } }

  /// One object: `checked` by name of the check, `violations`.
  package var json: String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("checked")
    writer.beginObject()
    for report in reports { report.write(to: &writer) }
    writer.endObject()
    writer.key("violations")
    writer.beginArray()
    for violation in violations { violation.write(to: &writer) }
    writer.endArray()
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension CheckReport {
  /// Why something could not be judged: `2 not ended yet, 1 younger than the grace`.
  package var doubtText: String {
    doubts.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) \($0.key.text)" }.joined(separator: ", ")
  }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.key(named: name)
    writer.beginObject()
    writer.field("promise", promise)
    writer.field("verdict", verdict.rawValue)
    writer.field("checked", Int64(checked))
    writer.field("violations", Int64(violations.count))
    writer.key("cannot_tell")
    writer.beginObject()
    for (doubt, count) in doubts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      writer.key(named: doubt.rawValue)
      writer.integer(Int64(count))
    }
    writer.endObject()
    writer.endObject()
  }
}

extension Violation {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.field("promise", promise)
    writer.field("check", check)
    if let checkoutID { writer.field("checkout_id", checkoutID) }
    writer.field("detail", detail)
    writer.endObject()
  }
}
