// Answers as they come, one line each, in columns that stay where they are.

import CheckoutTools
import Operations

/// Prints answers live.
struct AnswerTable {
  private static let titleColumns = 16
  private static let checkoutColumns = 15

  private let terminal: Terminal
  private let startedAt: Int64
  private let clock: any ProcessClock

  init(_ terminal: Terminal, clock: any ProcessClock) {
    self.terminal = terminal
    self.clock = clock
    startedAt = clock.bootNanoseconds()
  }

  /// Milliseconds since the table began.
  var elapsedMilliseconds: Int64 { (clock.bootNanoseconds() - startedAt) / 1_000_000 }

  func header(_ last: String) {
    let line = row("TIME", "CHECKOUT", "OUTCOME", last)
    terminal.write(terminal.styled(line, .quiet) + "\n")
  }

  /// One answer; `note` goes behind its summary, which is without the field's path if it is `brief`.
  func print(_ answer: MessageAnswer, checkout: String, note: String, brief: Bool = false) {
    let seconds = String(elapsedMilliseconds / 1000)
    let millis = String(elapsedMilliseconds % 1000)
    let time = "\(seconds).\(String(repeating: "0", count: 3 - millis.count))\(millis)"
    let summary = [answer.summary(withPath: !brief), note].filter { !$0.isEmpty }.joined(separator: "  · ")
    var line = row(time, checkout, answer.title, summary)
    if let columns = terminal.columns { line = DisplayWidth.cut(line, to: columns) }
    terminal.write(colour(line, answer) + "\n")
  }

  private func row(_ time: String, _ checkout: String, _ title: String, _ rest: String) -> String {
    pad(time, 8, right: true) + "  " + pad(checkout, Self.checkoutColumns) + "  " + pad(title, Self.titleColumns) + "  "
      + rest
  }

  private func pad(_ text: String, _ columns: Int, right: Bool = false) -> String {
    let cut = DisplayWidth.cut(text, to: columns)
    let space = String(repeating: " ", count: max(0, columns - DisplayWidth.of(cut)))
    return right ? space + cut : cut + space
  }

  private func colour(_ line: String, _ answer: MessageAnswer) -> String {
    guard terminal.hasColour else { return line }
    let style: TextStyle =
      switch answer.title {
      case "completed": .good
      case "cancelled", "receipt_pending", "parked": .warning
      case "failed", "rejected", "dead letter": .bad
      default: .strong
      }
    let title = pad(answer.title, Self.titleColumns)
    guard let range = line.firstRange(of: title) else { return line }
    return line.replacingCharacters(in: range, with: terminal.styled(title, style))
  }
}

extension String {
  fileprivate func replacingCharacters(in range: Range<String.Index>, with text: String) -> String {
    self[..<range.lowerBound] + text + self[range.upperBound...]
  }
}
