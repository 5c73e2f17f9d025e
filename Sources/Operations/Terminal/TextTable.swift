// Tables for people: columns aligned by what a terminal shows, not by how many bytes a text has.

/// Rows under a header.
package struct TextTable: Sendable {
  /// Where a column's text stands.
  package enum Alignment: Hashable, Sendable {
    case left
    case right
  }

  private let header: [String]
  private let alignments: [Alignment]
  private var rows: [[String]] = []

  /// A table with these columns; numbers belong to the right.
  package init(_ columns: [(title: String, alignment: Alignment)]) {
    header = columns.map(\.title)
    alignments = columns.map(\.alignment)
  }

  /// Adds a row. Precondition: one text for each column. Line breaks become spaces.
  package mutating func add(_ row: [String]) {
    precondition(row.count == header.count, "a row has \(row.count) of \(header.count) columns")
    rows.append(row.map { $0.split(whereSeparator: \.isNewline).joined(separator: " ") })
  }

  /// The table as text, each line with a line break and no trailing spaces. With `columns` (a terminal's width) the
  /// last column is cut to fit; without, nothing is.
  package func text(columns: Int? = nil) -> String {
    var widths = header.map(DisplayWidth.of)
    for row in rows {
      for index in row.indices { widths[index] = max(widths[index], DisplayWidth.of(row[index])) }
    }
    if let columns, let last = widths.indices.last {
      let before = widths.dropLast().reduce(0, +) + 2 * last
      widths[last] = max(min(widths[last], columns - before), min(widths[last], 8))
    }
    return ([header] + rows).map { line($0, widths) + "\n" }.joined()
  }

  private func line(_ row: [String], _ widths: [Int]) -> String {
    var text = ""
    for index in row.indices {
      let shown = DisplayWidth.cut(row[index], to: widths[index])
      let gap = String(repeating: " ", count: max(0, widths[index] - DisplayWidth.of(shown)))
      text += (index > 0 ? "  " : "") + (alignments[index] == .left ? shown + gap : gap + shown)
    }
    while text.last == " " { text.removeLast() }
    return text
  }
}
