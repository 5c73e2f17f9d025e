// Answers for people: one short line each.

import CheckoutCore
import CheckoutWire

extension MessageAnswer {
  /// The type, without the common prefix: `completed`, `rejected`, `dead letter`, …
  package var title: String {
    switch content {
    case .outcome(let type, _), .notice(let type, _): String(type.rawValue.dropFirst("checkout.".count))
    case .deadLetter: "dead letter"
    }
  }

  /// Amount, codes and what else is worth a look; the field's path only if asked for.
  package func summary(withPath: Bool) -> String {
    switch content {
    case .deadLetter(let code): return code
    case .outcome(_, let view), .notice(_, let view): return MessageAnswer.summary(view, withPath: withPath)
    }
  }

  private static func summary(_ view: OutcomeView, withPath: Bool) -> String {
    var parts: [String] = []
    if view.failures.isEmpty, view.code == nil, let minor = view.amountMinor, let code = view.currency {
      parts.append(money(minor, code))
    }
    if !view.codes.isEmpty { parts.append(view.codes.joined(separator: ", ")) }
    if withPath, let path = view.failures.first?.path, view.failures.count == 1, !path.isEmpty {
      parts.append("at \(path)")
    }
    if let failure = view.failures.first, let expected = failure.expected, let actual = failure.actual {
      parts.append("expected \(text(expected)), got \(text(actual))")
    }
    if let decline = view.declineCode { parts.append("(\(decline))") }
    if let status = view.paymentStatus, status != "captured", view.code == nil { parts.append(status) }
    if let refunded = view.refundedMinor, refunded > 0, let code = view.currency {
      parts.append("refunded \(money(refunded, code))")
    }
    if view.replayed { parts.append("replayed") }
    return parts.joined(separator: " ")
  }

  private static func text(_ evidence: Refusal.Evidence) -> String {
    switch evidence {
    case .integer(let value): "\(value)"
    case .text(let text): text
    }
  }

  /// An amount as people write it: `90.38 EUR`, `500 JPY`, `12.345 KWD`.
  package static func money(_ minor: Int64, _ code: String) -> String {
    guard let currency = Currency(code: code), currency.exponent > 0 else { return "\(minor) \(code)" }
    let digits = "\(minor.magnitude)"
    let padded = String(repeating: "0", count: max(0, currency.exponent + 1 - digits.count)) + digits
    let whole = padded.dropLast(currency.exponent)
    return "\(minor < 0 ? "-" : "")\(whole).\(padded.suffix(currency.exponent)) \(code)"
  }
}
