// A message's headers on their way into the library.

import CRdKafka
import WorkerEngine

/// Owner of an `rd_kafka_headers_t` until a produced message takes it over.
@safe final class HeadersHandle {
  private(set) var pointer: OpaquePointer?

  init(_ headers: [Header]) {
    // SAFETY: a fresh list; the library copies names and values.
    unsafe pointer = rd_kafka_headers_new(headers.count)
    for header in headers {
      unsafe Optional(header.name).withPointer { name, nameSize in
        unsafe header.value.withPointer { value, valueSize in
          _ = unsafe rd_kafka_header_add(
            pointer, name?.assumingMemoryBound(to: CChar.self), nameSize, value, valueSize)
        }
      }
    }
  }

  deinit {
    // SAFETY: still ours, because `giveAway` clears it.
    if let left = unsafe pointer { unsafe rd_kafka_headers_destroy(left) }
  }

  /// The message owns the list now.
  func giveAway() { unsafe pointer = nil }
}
