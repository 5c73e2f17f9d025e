// Between the engine's records and Wire's messages.

import CheckoutCore
package import CheckoutWire
package import WorkerEngine

extension Delivery {
  /// The message's place, timestamp included.
  var position: Position {
    Position(
      topic: partition.topic, partition: partition.partition, offset: record.offset,
      timestampMilliseconds: record.timestamp)
  }

  /// The message as Wire reads it.
  var message: InboundMessage {
    var headers = EventHeaders(in: record.storage)
    record.forEachHeader { headers.add(name: $0, value: $1) }
    return InboundMessage(value: record.value?.slice, headers: headers)
  }
}

extension Record {
  /// The value of the last header with this name, as text.
  func text(ofHeader name: String) -> String? {
    guard let header = headers.last(where: { $0.name.slice.elementsEqual(name.utf8) }), let value = header.value
    else { return nil }
    return String(decoding: value.slice, as: UTF8.self)
  }
}

extension EncodedEvent {
  /// The event as the engine produces it.
  package func output(_ topics: TopicNames) -> Output {
    Output(
      topic: topics.name(topic), key: bytes(keyPlace), value: bytes(valuePlace),
      headers: headerPlaces.map { WorkerEngine.Header(name: bytes($0.name), value: bytes($0.value)) })
  }

  private func bytes(_ place: Range<Int>) -> Bytes {
    Bytes(storage, start: place.lowerBound, count: place.count)
  }
}

extension Moment {
  /// Wall clock of the turn.
  var wallTime: Timestamp { Timestamp(nanoseconds: wall) }
  /// Boot clock of the turn.
  var bootTime: BootTime { BootTime(nanoseconds: boot) }
}

extension Turn {
  /// A message between our own stages that does not decode: nobody can be answered.
  mutating func deadLetter(_ ticket: Ticket, _ error: MalformedEvent) {
    deadLetter(ticket, DeadLetter(code: DeadLetterCode.malformedEvent.rawValue, detail: error.detail))
  }
}
