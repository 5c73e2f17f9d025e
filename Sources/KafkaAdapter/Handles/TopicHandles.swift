// A producer's topic handles, made once for each name.

import CRdKafka
import Synchronization

/// Topics of one client. Any thread.
// SAFETY: librdkafka's topic handles are thread-safe; each is given back once, in `destroy`, before its client.
@safe final class TopicHandles: @unchecked Sendable {
  @safe private struct Handle: @unchecked Sendable {
    let pointer: OpaquePointer?
  }

  private let client: OpaquePointer
  private let handles = Mutex<[String: Handle]>([:])

  /// `client` must outlive the topics.
  init(client: OpaquePointer) { unsafe self.client = unsafe client }

  /// The topic of this name.
  subscript(name: String) -> OpaquePointer? {
    let handle = handles.withLock { handles in
      if let known = handles[name] { return known }
      // SAFETY: a new reference, given back in `destroy`.
      let made = unsafe Handle(pointer: rd_kafka_topic_new(client, name, nil))
      handles[name] = made
      return made
    }
    return unsafe handle.pointer
  }

  /// Gives all back. Nobody may use them any more.
  func destroy() {
    let all = handles.withLock { handles in
      defer { handles = [:] }
      return Array(handles.values)
    }
    for handle in all { unsafe rd_kafka_topic_destroy(handle.pointer) }
  }
}
