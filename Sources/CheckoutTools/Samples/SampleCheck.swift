// Compares what happened to a sample with what must happen.

import CheckoutCore
import CheckoutWire

extension SampleExpectation {
  /// What differs between the answers of a sample and what must be; empty: all as expected.
  package func differences(_ answers: [MessageAnswer], collectAll: Bool) -> [String] {
    if answer == "skipped" { return answers.isEmpty ? [] : ["answered although it is skipped"] }
    let finals = answers.filter(\.isFinal)
    guard let final = finals.first else { return ["no answer"] }
    var found: [String] = []
    if finals.count > 1 { found.append("\(finals.count) answers") }
    switch final.content {
    case .deadLetter(let code):
      compare("answer", "dead-letter \(code)", answer, &found)
    case .outcome(let type, let view), .notice(let type, let view):
      compare("answer", type.rawValue, answer, &found)
      compare(view, collectAll: collectAll, &found)
    }
    if let notice, !answers.contains(where: { $0.isNotice(notice) }) { found.append("no notice \(notice)") }
    return found
  }

  private func compare(_ view: OutcomeView, collectAll: Bool, _ found: inout [String]) {
    if let codes = collectAll ? codesInCollectAll ?? codes : codes {
      compare("codes", view.codes.joined(separator: ","), codes.joined(separator: ","), &found)
    }
    if let replayed { compare("replayed", "\(view.replayed)", "\(replayed)", &found) }
    if let amountMinor { compare("amount", text(view.amountMinor), "\(amountMinor)", &found) }
    if let capturedMinor { compare("captured", text(view.capturedMinor), "\(capturedMinor)", &found) }
    if let paymentStatus { compare("payment status", view.paymentStatus ?? "none", paymentStatus, &found) }
    if let declineCode { compare("decline code", view.declineCode ?? "none", declineCode, &found) }
    if let path { compare("path", view.failures.first?.path ?? "none", path, &found) }
    if let expectedPrice { compare("expected price", text(view.failures.first?.expected), "\(expectedPrice)", &found) }
    if let actualPrice { compare("actual price", text(view.failures.first?.actual), "\(actualPrice)", &found) }
  }

  private func compare(_ what: String, _ actual: String, _ wanted: String, _ found: inout [String]) {
    if actual != wanted { found.append("\(what) \(actual), not \(wanted)") }
  }

  private func text(_ value: Int64?) -> String { value.map { "\($0)" } ?? "none" }

  private func text(_ evidence: Refusal.Evidence?) -> String {
    switch evidence {
    case .integer(let value): "\(value)"
    case .text(let text): text
    case nil: "none"
    }
  }
}

extension MessageAnswer {
  fileprivate func isNotice(_ name: String) -> Bool {
    if case .notice(let type, _) = content { type.rawValue == name } else { false }
  }
}
