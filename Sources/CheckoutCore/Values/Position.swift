// Where a message stands in Kafka, and where a request came from.

/// One message's place: topic, partition, offset and the record's own timestamp.
///
/// The timestamp is part of it because a topic that was deleted and made again uses its offsets again.
package struct Position: Hashable, Sendable {
  /// Full topic name, prefix included.
  package let topic: String
  /// Partition number, 0 or more.
  package let partition: Int32
  /// Offset, 0 or more.
  package let offset: Int64
  /// Timestamp of the record, milliseconds since the Unix epoch; -1 when the broker gave none.
  package let timestampMilliseconds: Int64

  /// A place made of its four parts.
  package init(topic: String, partition: Int32, offset: Int64, timestampMilliseconds: Int64) {
    self.topic = topic
    self.partition = partition
    self.offset = offset
    self.timestampMilliseconds = timestampMilliseconds
  }

  /// The parts as text: `topic/partition/offset/timestamp`. Topic names hold no slash, so it reads back exactly.
  package var text: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(topic.utf8.count + 48)
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Bytes of `text`.
  var textCount: Int {
    topic.utf8.count + 3 + decimalCount(Int64(partition)) + decimalCount(offset) + decimalCount(timestampMilliseconds)
  }

  /// Appends `text` as UTF-8.
  package func append(to bytes: inout [UInt8]) {
    bytes.append(addingCapacity: topic.utf8.count + 3 * 21) { output in
      let topic = topic.utf8.span
      for index in topic.indices { output.append(topic[index]) }
      output.append(0x2F)
      output.append(decimal: Int64(partition))
      output.append(0x2F)
      output.append(decimal: offset)
      output.append(0x2F)
      output.append(decimal: timestampMilliseconds)
    }
  }

  /// Reads `text` back; nil when it is not of that form.
  package init?(text: some StringProtocol) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 4, !parts[0].isEmpty,
      let partition = Int32(parts[1]), let offset = Int64(parts[2]), let timestamp = Int64(parts[3]),
      partition >= 0, offset >= 0
    else { return nil }
    self.init(
      topic: String(parts[0]), partition: partition, offset: offset, timestampMilliseconds: timestamp)
  }
}

/// The place of a request's or cancellation's own message on `checkout.requests`; every event that follows from it
/// carries it (`ce_origin`), and every answer is for exactly one origin.
package struct Origin: Hashable, Sendable {
  /// The place of the first message.
  package let position: Position

  /// The origin that stands at `position`.
  package init(_ position: Position) {
    self.position = position
  }
}
