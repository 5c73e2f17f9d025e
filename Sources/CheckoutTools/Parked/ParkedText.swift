// Parked attempts for people: a list of 80 columns, and everything about one of them.

package import CheckoutCore
import CheckoutWire
import Operations

/// Writes parked attempts for people.
package enum ParkedText {
  /// Lines are cut to this where nobody says how wide the terminal is.
  private static let columnsWithoutTerminal = 80

  /// One line for each item; the last column is cut to fit.
  package static func table(_ items: [ParkedItem], at now: Timestamp, columns: Int?) -> String {
    var table = TextTable([
      ("AGE", .right), ("CHECKOUT", .left), ("MERCHANT", .left), ("AMOUNT", .right), ("MONEY", .left),
      ("REASON", .left), ("DETAIL", .left),
    ])
    for item in items {
      table.add([
        AgeText.of(item.age(at: now)), item.row.identity.checkoutID,
        DisplayWidth.cut(item.row.identity.merchantID, to: 12),
        MessageAnswer.money(item.row.amount.minor, item.row.amount.currency.code), item.money,
        item.parked.reason.rawValue, item.parked.detail,
      ])
    }
    return table.text(columns: columns ?? columnsWithoutTerminal)
  }

  /// Everything about one item: what is wrong, what is owed, its history, what to do.
  package static func page(_ item: ParkedItem, at now: Timestamp, columns: Int?) -> String {
    let width = columns ?? columnsWithoutTerminal
    var lines = facts(item, at: now).map { name, value in
      "\(name)\(String(repeating: " ", count: max(1, 13 - name.count)))\(value)"
    }
    if let history = item.history {
      lines += ["", "history"]
      lines += history.flatMap { write in
        write.steps.flatMap { step in
          Paragraph.lines(
            "\(RFC3339.text(write.at).prefix(19))Z v\(write.version) \(step.text)", indent: "  ", columns: width)
        }
      }
    }
    lines += ["", "what to do"]
    lines += item.parked.reason.advice(item.row).flatMap { Paragraph.lines($0, indent: "  ", columns: width) }
    return lines.map { $0 + "\n" }.joined()
  }

  private static func facts(_ item: ParkedItem, at now: Timestamp) -> [(String, String)] {
    let row = item.row
    var facts = [
      ("checkout", row.identity.checkoutID), ("merchant", row.identity.merchantID),
      ("key", row.identity.idempotencyKey),
      ("amount", MessageAnswer.money(row.amount.minor, row.amount.currency.code)),
      ("reason", item.parked.reason.rawValue), ("service said", item.parked.detail),
      ("parked", "\(RFC3339.text(item.parked.at)) (\(AgeText.of(item.age(at: now))) ago)"),
      ("state", row.state.name + (row.state.reason.map { " (\($0.rawValue))" } ?? "")),
      ("money", item.money), ("still owed", item.owed.isEmpty ? "nothing" : item.owed.joined(separator: ", ")),
    ]
    if let charge = row.chargeText { facts.append(("charge", charge)) }
    if let reservation = row.reservationID { facts.append(("reservation", reservation)) }
    if let url = row.receipt.url { facts.append(("receipt", url)) }
    if let cancel = row.cancel { facts.append(("cancelled", "\(RFC3339.text(cancel.at)), reason: \(cancel.reason)")) }
    facts.append(("version", "\(row.version)"))
    return facts
  }
}

extension Step {
  /// `name: detail=value …`, without what a person did not say.
  package var text: String {
    let details = detail.filter { !$0.value.isEmpty }.map { "\($0.name)=\($0.value)" }
    return name + (details.isEmpty ? "" : ": " + details.joined(separator: " "))
  }
}

extension Attempt {
  /// The provider's id of the charge and what is known of it; nil: there is no charge.
  fileprivate var chargeText: String? {
    switch charge.status {
    case .captured(let id, let amount): "\(id), captured \(MessageAnswer.money(amount.minor, amount.currency.code))"
    case .authorised(let id, let amount): "\(id), authorised \(MessageAnswer.money(amount.minor, amount.currency.code))"
    case .actionRequired(let id): "\(id), waits for the customer"
    case .sent: "sent, answer unknown"
    case .declined(let code): "declined (\(code))"
    case .refused(let detail): "refused (\(detail))"
    case .absent: "not charged"
    case .none, .notRequired: nil
    }
  }
}

/// Text in lines of a terminal's width.
enum Paragraph {
  /// Breaks at spaces; a word longer than a line stands on its own. Continued lines are indented by two more.
  static func lines(_ text: String, indent: String, columns: Int) -> [String] {
    var lines: [String] = []
    var line = indent
    for word in text.split(separator: " ") {
      if DisplayWidth.of(line) + DisplayWidth.of(String(word)) + 1 > columns, line.contains(where: { $0 != " " }) {
        lines.append(line)
        line = indent + "  "
      }
      line += (line.last == " " || line.isEmpty ? "" : " ") + word
    }
    return lines + [line]
  }
}
