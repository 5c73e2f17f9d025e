// A record read back from a topic, as tools see it.

package import CheckoutCore
import CheckoutWire
package import WorkerEngine

/// One record with its place.
package struct TopicRecord: Sendable {
  /// Where it stands, timestamp included.
  package let position: Position
  /// As it was sent; nil: none.
  package let key: Bytes?
  /// Nil for a tombstone.
  package let value: Bytes?
  /// In the order they were sent; names may repeat.
  package let headers: [Header]

  /// A record of its parts.
  package init(position: Position, key: Bytes?, value: Bytes?, headers: [Header]) {
    self.position = position
    self.key = key
    self.value = value
    self.headers = headers
  }

  /// The value of the last header with this name, as text.
  package func text(_ name: String) -> String? {
    guard let header = headers.last(where: { $0.name.slice.elementsEqual(name.utf8) }), let value = header.value
    else { return nil }
    return String(decoding: value.slice, as: UTF8.self)
  }

  /// As Wire reads it.
  var message: InboundMessage {
    InboundMessage(
      value: value?.slice, headers: headers.map { (name: $0.name.slice, value: $0.value?.slice) })
  }
}
