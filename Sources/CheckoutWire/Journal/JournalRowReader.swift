// Reads the parts of a journal row's JSON, naming the member that is not as written.

import CheckoutCore

/// A row of the journal does not decode: it was damaged, or written by a newer release.
package struct JournalRowProblem: Error, Hashable, CustomStringConvertible {
  /// The member in question, by its path.
  package let member: String

  package init(member: String) {
    self.member = member
  }

  /// One line for a person.
  package var description: String {
    "a journal row does not decode (member \(member)): it is damaged, or was written by a newer release"
  }
}

/// One JSON object of a row.
struct JournalRowReader {
  private let value: JSONValue
  private let path: String

  /// The object `value`; `path` names it in problems.
  init(_ value: JSONValue, path: String) {
    self.value = value
    self.path = path
  }

  /// The problem with the member `name`.
  func problem(_ name: String) -> JournalRowProblem { JournalRowProblem(member: "\(path).\(name)") }

  func string(_ name: String) throws(JournalRowProblem) -> String {
    guard let text = value[name]?.string else { throw problem(name) }
    return text
  }

  func integer(_ name: String) throws(JournalRowProblem) -> Int64 {
    guard let number = value[name]?.integer else { throw problem(name) }
    return number
  }

  func count(_ name: String) throws(JournalRowProblem) -> Int {
    guard let number = Int(exactly: try integer(name)) else { throw problem(name) }
    return number
  }

  func time(_ name: String) throws(JournalRowProblem) -> Timestamp { Timestamp(nanoseconds: try integer(name)) }

  /// True only if the member is there and `true`.
  func flag(_ name: String) -> Bool { value[name]?.bool ?? false }

  func optionalString(_ name: String) throws(JournalRowProblem) -> String? {
    guard let member = value[name] else { return nil }
    guard let text = member.string else { throw problem(name) }
    return text
  }

  func optionalTime(_ name: String) throws(JournalRowProblem) -> Timestamp? {
    guard let member = value[name] else { return nil }
    guard let number = member.integer else { throw problem(name) }
    return Timestamp(nanoseconds: number)
  }

  func optionalCount(_ name: String) throws(JournalRowProblem) -> Int? {
    value[name] == nil ? nil : try count(name)
  }

  func position(_ name: String) throws(JournalRowProblem) -> Position {
    guard let position = Position(text: try string(name)) else { throw problem(name) }
    return position
  }

  func amount(minor: String, currency: String) throws(JournalRowProblem) -> Amount {
    guard let currency = Currency(readmitting: try string(currency)) else { throw problem(currency) }
    return Amount(minor: try integer(minor), currency: currency)
  }

  /// An enum by its raw value.
  func choice<Choice: RawRepresentable<String>>(
    _ name: String, _: Choice.Type = Choice.self
  )
    throws(JournalRowProblem) -> Choice
  {
    guard let choice = Choice(rawValue: try string(name)) else { throw problem(name) }
    return choice
  }

  /// The object under `name`; nil if there is none.
  func object(_ name: String) -> JournalRowReader? {
    value[name].map { JournalRowReader($0, path: "\(path).\(name)") }
  }

  /// The objects of the array under `name`; none if it is missing.
  func objects(_ name: String) -> [JournalRowReader] {
    (value[name]?.elements ?? []).enumerated().map { JournalRowReader($1, path: "\(path).\(name)[\($0)]") }
  }

  func strings(_ name: String) throws(JournalRowProblem) -> [String] {
    var texts: [String] = []
    for element in value[name]?.elements ?? [] {
      guard let text = element.string else { throw problem(name) }
      texts.append(text)
    }
    return texts
  }
}
