// Dead letters for machines: one object each; what is no text is in hexadecimal.

import CheckoutCore
import CheckoutWire
import WorkerEngine

extension DeadLetterItem {
  /// One line of JSON; with key, value and headers if `isWhole`.
  package func json(isWhole: Bool) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.field("id", "\(record.position.topic)-\(id.text)")
    writer.field("partition", Int64(id.partition))
    writer.field("offset", id.offset)
    writer.field("state", state.rawValue)
    writer.field("code", code)
    writer.field("detail", detail)
    writer.field("stage", stage)
    writer.field("generation", Int64(generation))
    writer.field("source_topic", ifPresent: source?.topic)
    writer.field("source_partition", ifPresent: (source?.place?.partition).map { Int64($0) })
    writer.field("source_offset", ifPresent: source?.place?.offset)
    writer.field("last_failed_at_ms", ifPresent: lastFailedAt)
    writer.field("is_changed", isChanged)
    if isWhole {
      writer.bytes("key", record.key)
      writer.bytes("value", record.value)
      writer.headers("headers", originalHeaders)
      writer.headers("dlq_headers", ourHeaders)
    }
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension JSONWriter {
  /// Member `name` as text or null; else member `name_hex`.
  fileprivate mutating func bytes(_ name: String, _ bytes: WorkerEngine.Bytes?) {
    guard let bytes else {
      key(named: name)
      return null()
    }
    if let text = String(validating: bytes.slice, as: UTF8.self) {
      key(named: name)
      string(text)
    } else {
      key(named: "\(name)_hex")
      string(BytesText.hex(bytes.slice))
    }
  }

  fileprivate mutating func headers(_ name: String, _ headers: [Header]) {
    key(named: name)
    beginArray()
    for header in headers {
      beginObject()
      bytes("name", header.name)
      bytes("value", header.value)
      endObject()
    }
    endArray()
  }
}

extension DeadLetterItem {
  /// One line of JSON about what was done with the letter.
  package func redriveJSON(_ result: String, _ text: String) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.field("id", "\(record.position.topic)-\(id.text)")
    writer.field("code", code)
    writer.field("generation", Int64(generation))
    writer.field("to", ifPresent: source?.topic)
    writer.field("result", result)
    writer.field("text", text)
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
