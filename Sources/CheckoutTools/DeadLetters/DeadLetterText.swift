// Dead letters for people: a list, and one letter with everything in it as it is.

package import CheckoutCore
import CheckoutWire
import Operations
import WorkerEngine

/// Writes dead letters for people.
package enum DeadLetterText {
  private static let columnsWithoutTerminal = 80
  /// Bytes of a value shown unless all is asked for.
  package static let valueBytesShown = 4_096

  /// One line for each letter; the last column is cut to fit.
  package static func table(_ items: [DeadLetterItem], at now: Timestamp, columns: Int?) -> String {
    var table = TextTable([
      ("ID", .left), ("AGE", .right), ("CODE", .left), ("GEN", .right), ("STATE", .left), ("SOURCE", .left),
      ("DETAIL", .left),
    ])
    for item in items {
      let age = item.lastFailedAt.map { AgeText.of(max(.zero, now - Timestamp(milliseconds: $0))) } ?? "?"
      table.add([
        item.id.text, age, item.code, "\(item.generation)", item.state.rawValue, item.sourceText, item.detail,
      ])
    }
    return table.text(columns: columns ?? columnsWithoutTerminal)
  }

  /// Everything in one letter: our headers decoded, the message's own headers in order, key and value.
  package static func page(_ item: DeadLetterItem, showsWhole: Bool) -> String {
    var lines = [
      "id                \(item.record.position.topic)-\(item.id.text)", "state             \(item.state.rawValue)",
    ]
    for header in item.ourHeaders {
      let name = BytesText.text(of: header.name).replacing("dlq-", with: "")
      lines.append(name + String(repeating: " ", count: max(1, 18 - name.count)) + value(of: header, named: name))
    }
    lines += ["", "headers of the message"]
    lines += item.originalHeaders.map { "  \(BytesText.text(of: $0.name)) = \(BytesText.quoted($0.value))" }
    if item.originalHeaders.isEmpty { lines.append("  none") }
    lines += ["", "key    \(BytesText.quoted(item.record.key))", "value  \(size(item.record.value))"]
    if let value = item.record.value {
      lines += BytesText.block(value, limit: showsWhole ? .max : valueBytesShown).map { "  " + $0 }
      if !showsWhole, value.count > valueBytesShown {
        lines.append("  … \(value.count - valueBytesShown) bytes more; --whole shows all")
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private static func size(_ value: WorkerEngine.Bytes?) -> String {
    guard let value else { return "null (a tombstone)" }
    return "\(value.count) bytes" + (BytesText.isText(value) ? "" : ", not text: shown as hexadecimal")
  }

  private static func value(of header: Header, named name: String) -> String {
    let text = BytesText.quoted(header.value)
    guard name.hasSuffix("-at") || name == "timestamp", let milliseconds = Int64(text.filter { $0 != "\"" }) else {
      return BytesText.plain(header.value)
    }
    return "\(RFC3339.text(Timestamp(milliseconds: milliseconds))) (\(milliseconds))"
  }
}

extension DeadLetterItem {
  /// `requests 3-17`, without the prefix that all topics share.
  var sourceText: String {
    guard let source else { return "?" }
    let topic = source.topic.split(separator: ".").last.map(String.init) ?? source.topic
    return source.place.map { "\(topic) \($0.text)" } ?? topic
  }
}
