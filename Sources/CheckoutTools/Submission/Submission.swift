// Messages to send to `checkout.requests`, marked so that their answers can be told from everybody else's.

import CheckoutCore
import CheckoutWire
package import WorkerEngine

/// One message to send.
package struct SubmittedMessage: Sendable {
  /// What it is called where it came from: a line number, a sample's name.
  package let name: String
  /// The Kafka key; nil: none.
  package let key: Bytes?
  /// Nil: a tombstone.
  package let value: Bytes?

  /// A message with key and value as given.
  package init(name: String, key: Bytes?, value: Bytes?) {
    self.name = name
    self.key = key
    self.value = value
  }

  /// A line of NDJSON; its key is the `checkout_id` inside, or none if there is none to be read.
  package init(name: String, line: ArraySlice<UInt8>) {
    var key: Bytes?
    if let document = try? JSONDocument(parsing: line, depthMax: 64), document.kind(document.root) == .object,
      let node = document.member(document.root, "checkout_id"), let text = document.utf8(node)
    {
      key = Bytes(Array(text))
    }
    self.init(name: name, key: key, value: Bytes(Array(line)))
  }
}

/// A run of messages sent by one command.
package struct Submission: Sendable {
  /// The header that marks our messages: `RUN/INDEX`.
  package static let header = "checkout-submission"

  /// Names the run; unique.
  package let run: String
  /// In the order sent.
  package let messages: [SubmittedMessage]

  /// A run of these messages.
  package init(run: String, messages: [SubmittedMessage]) {
    self.run = run
    self.messages = messages
  }

  /// The non-empty lines of an NDJSON text, in order.
  package init(run: String, ndjson: [UInt8]) {
    var messages: [SubmittedMessage] = []
    for (index, line) in ndjson.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      let trimmed = line.last == 0x0D ? line.dropLast() : line
      guard trimmed.contains(where: { $0 != 0x20 && $0 != 0x09 }) else { continue }
      messages.append(SubmittedMessage(name: "line \(index + 1)", line: trimmed))
    }
    self.init(run: run, messages: messages)
  }

  /// The message with this index, ready to produce.
  package func output(_ index: Int, topic: String) -> Output {
    let message = messages[index]
    return Output(
      topic: topic, key: message.key, value: message.value,
      headers: [
        Header("content-type", "application/json"), Header(Submission.header, "\(run)/\(index)"),
      ])
  }

  /// The index of one of our messages by its mark; nil for everybody else's.
  func index(_ record: TopicRecord) -> Int? {
    guard let mark = record.text(Submission.header) else { return nil }
    let parts = mark.split(separator: "/")
    guard parts.count == 2, parts[0] == run, let index = Int(parts[1]), messages.indices.contains(index) else {
      return nil
    }
    return index
  }
}
