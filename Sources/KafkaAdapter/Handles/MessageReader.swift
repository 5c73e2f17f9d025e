// A consumed message's bytes: measured, copied once, and named as parts of the copy.

import CRdKafka
import Glibc
import WorkerEngine

/// How much memory a stretch of messages needs.
// SAFETY: see `MessageReader`.
struct StretchSize {
  private(set) var keys = 0
  private(set) var total = 0

  /// Adds a message; nothing for an error.
  mutating func add(_ message: MessageReader.Message, headers: OpaquePointer?) {
    guard unsafe message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR else { return }
    unsafe keys += message.pointee.key_len
    unsafe total += message.pointee.key_len + message.pointee.len
    guard let headers = unsafe headers else { return }
    unsafe MessageReader.forEachHeader(in: headers) { _, nameSize, _, valueSize in
      total += HeaderBlock.prefixBytes + nameSize + valueSize
    }
  }
}

/// Fills a part of an array from front to back.
// SAFETY: made for the length of one array's initialisation and never kept; each append checks that it stays inside.
@safe struct StretchWriter {
  private let target: UnsafeMutableBufferPointer<UInt8>
  private(set) var position: Int

  init(_ target: UnsafeMutableBufferPointer<UInt8>, from position: Int) {
    unsafe self.target = unsafe target
    self.position = position
  }

  /// Appends bytes; nil appends nothing. Precondition: they fit, because they were measured before.
  mutating func append(_ source: UnsafeRawPointer?, _ count: Int) {
    guard let source = unsafe source, count > 0 else { return }
    precondition(unsafe position + count <= target.count, "a message has grown between measuring and copying")
    // SAFETY: the range was checked, the source is a librdkafka message's own memory.
    unsafe UnsafeMutableRawBufferPointer(target).baseAddress?.advanced(by: position)
      .copyMemory(from: source, byteCount: count)
    position += count
  }

  /// Appends a little-endian word.
  mutating func append(_ word: UInt64) {
    // SAFETY: the word's own eight bytes.
    unsafe withUnsafeBytes(of: word.littleEndian) { bytes in unsafe append(bytes.baseAddress, bytes.count) }
  }
}

/// Where the next message's parts stand in a stretch.
// SAFETY: see `MessageReader`.
struct StretchPositions {
  var key: Int
  var rest: Int

  /// The next message as a record of the stretch.
  @inline(__always)
  mutating func next(
    _ message: MessageReader.Message, headers: OpaquePointer?, slot: Int, in storage: [UInt8]
  ) -> Record {
    // SAFETY: plain fields of a message that is ours.
    let keyCount = unsafe message.pointee.key_len
    let valueCount = unsafe message.pointee.len
    let keyStart = key
    let valueStart = rest
    key += keyCount
    rest += valueCount
    let headersStart = rest
    var headerCount = 0
    if let headers = unsafe headers {
      unsafe MessageReader.forEachHeader(in: headers) { _, nameSize, _, valueSize in
        rest += HeaderBlock.prefixBytes + nameSize + valueSize
        headerCount += 1
      }
    }
    return unsafe Record(
      slot: slot, offset: message.pointee.offset, timestamp: MessageReader.timestamp(of: message), storage: storage,
      key: (keyStart, message.pointee.key == nil ? -1 : keyCount),
      value: (valueStart, message.pointee.payload == nil ? -1 : valueCount),
      headers: (headersStart, rest - headersStart, headerCount))
  }
}

/// Reads librdkafka messages. A stretch holds the keys of all its messages, then for each message its value and its headers
/// (`HeaderBlock`).
// SAFETY: callers hand in messages they have taken from a queue and not yet destroyed; fields, key, payload and headers
// belong to the message and are read or copied before these functions return.
enum MessageReader {
  typealias Message = UnsafeMutablePointer<rd_kafka_message_t>

  /// The message's header list, which belongs to the message; nil if it has none.
  static func headers(of message: Message) -> OpaquePointer? {
    var headers: OpaquePointer?
    // SAFETY: sets the pointer on success only.
    guard unsafe message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR,
      unsafe rd_kafka_message_headers(message, &headers) == RD_KAFKA_RESP_ERR_NO_ERROR
    else { return nil }
    return unsafe headers
  }

  /// Appends a message's parts; nothing for an error.
  static func copy(
    _ message: Message, headers: OpaquePointer?, keys: inout StretchWriter, rest: inout StretchWriter
  ) {
    guard unsafe message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR else { return }
    unsafe keys.append(message.pointee.key, message.pointee.key_len)
    unsafe rest.append(message.pointee.payload, message.pointee.len)
    guard let headers = unsafe headers else { return }
    unsafe forEachHeader(in: headers) { name, nameSize, value, valueSize in
      rest.append(HeaderBlock.prefix(nameCount: nameSize, valueCount: unsafe value == nil ? nil : valueSize))
      unsafe rest.append(name, nameSize)
      unsafe rest.append(value, valueSize)
    }
  }

  /// Milliseconds since the Unix epoch; -1 if there is none.
  static func timestamp(of message: Message) -> Int64 {
    var kind = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE
    return unsafe rd_kafka_message_timestamp(message, &kind)
  }

  /// The error that came in place of a message.
  static func error(of message: Message) -> KafkaError {
    unsafe KafkaError(message.pointee.err, detail: String(cString: rd_kafka_message_errstr(message)))
  }

  /// Calls `body` with each header: name and its length, value and its length (nil and 0: a null value).
  static func forEachHeader(
    in headers: OpaquePointer, _ body: (UnsafeRawPointer?, Int, UnsafeRawPointer?, Int) -> Void
  ) {
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
