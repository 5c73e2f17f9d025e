// A consumed message's bytes: measured, copied once, and named as parts of the copy.

import CRdKafka
import Glibc
import WorkerEngine

/// Fills one array from front to back.
// SAFETY: made for the length of one array's initialisation and never kept; each append checks that it stays inside.
@safe struct StretchWriter {
  private let target: UnsafeMutableBufferPointer<UInt8>
  private(set) var position = 0

  init(_ target: UnsafeMutableBufferPointer<UInt8>) { unsafe self.target = unsafe target }

  /// Appends bytes; nil appends nothing. Precondition: they fit, because they were measured before.
  mutating func append(_ source: UnsafeRawPointer?, _ count: Int) {
    guard let source = unsafe source, count > 0 else { return }
    precondition(unsafe position + count <= target.count, "a message has grown between measuring and copying")
    // SAFETY: the range was checked, the source is a librdkafka message's own memory.
    unsafe UnsafeMutableRawBufferPointer(target).baseAddress?.advanced(by: position)
      .copyMemory(from: source, byteCount: count)
    position += count
  }
}

/// Reads librdkafka messages. The order of a message's parts is key, value, then names and values of its headers.
// SAFETY: callers hand in messages they have taken from a queue and not yet destroyed; fields, key, payload and headers
// belong to the message and are read or copied before these functions return.
enum MessageReader {
  typealias Message = UnsafeMutablePointer<rd_kafka_message_t>

  /// Bytes of a message's parts; 0 for an error.
  static func size(of message: Message) -> Int {
    guard unsafe message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR else { return 0 }
    var size = unsafe message.pointee.key_len + message.pointee.len
    unsafe forEachHeader(of: message) { _, nameSize, _, valueSize in size += nameSize + valueSize }
    return size
  }

  /// Appends a message's parts; nothing for an error.
  static func copy(_ message: Message, to writer: inout StretchWriter) {
    guard unsafe message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR else { return }
    unsafe writer.append(message.pointee.key, message.pointee.key_len)
    unsafe writer.append(message.pointee.payload, message.pointee.len)
    unsafe forEachHeader(of: message) { name, nameSize, value, valueSize in
      unsafe writer.append(name, nameSize)
      unsafe writer.append(value, valueSize)
    }
  }

  /// Names the parts copied before; `position` goes on to the next message's.
  static func record(of message: Message, slot: Int, storage: [UInt8], position: inout Int) -> Record {
    func part(_ isPresent: Bool, _ count: Int) -> Bytes? {
      guard isPresent else { return nil }
      let bytes = Bytes(storage, start: position, count: count)
      position += count
      return bytes
    }
    // SAFETY: plain fields of a message that is ours.
    let key = unsafe part(message.pointee.key != nil, message.pointee.key_len)
    let value = unsafe part(message.pointee.payload != nil, message.pointee.len)
    var headers: [Header] = []
    unsafe forEachHeader(of: message) { _, nameSize, value, valueSize in
      guard let name = part(true, nameSize) else { return }
      headers.append(Header(name: name, value: part(unsafe value != nil, valueSize)))
    }
    var kind = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE
    let timestamp = unsafe rd_kafka_message_timestamp(message, &kind)
    return unsafe Record(
      slot: slot, offset: message.pointee.offset, timestamp: timestamp, key: key, value: value, headers: headers)
  }

  /// The error that came in place of a message.
  static func error(of message: Message) -> KafkaError {
    unsafe KafkaError(message.pointee.err, detail: String(cString: rd_kafka_message_errstr(message)))
  }

  private static func forEachHeader(
    of message: Message, _ body: (UnsafeRawPointer?, Int, UnsafeRawPointer?, Int) -> Void
  ) {
    var headers: OpaquePointer?
    // SAFETY: the list belongs to the message.
    guard unsafe rd_kafka_message_headers(message, &headers) == RD_KAFKA_RESP_ERR_NO_ERROR else { return }
    var index = 0
    var name: UnsafePointer<CChar>?
    var value: UnsafeRawPointer?
    var size = 0
    while unsafe rd_kafka_header_get_all(headers, index, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR {
      // SAFETY: names end with a zero; a nil value has size 0.
      let nameSize = unsafe name.map { unsafe strlen($0) } ?? 0
      unsafe body(UnsafeRawPointer(name), nameSize, value, unsafe value == nil ? 0 : size)
      index += 1
    }
  }
}
