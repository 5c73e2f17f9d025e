// A consumer's membership in its group, as it was at one moment.

import CRdKafka

/// Owner of an `rd_kafka_consumer_group_metadata_t`: group, member and generation. Never changes.
// SAFETY: the object belongs to this one alone, is only read after `init`, and destroyed with the last reference.
@safe final class GroupMembershipHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Takes the object over.
  init(_ pointer: OpaquePointer) { unsafe self.pointer = unsafe pointer }

  /// For tests: a membership nobody has.
  init?(group: String, generation: Int32, member: String) {
    guard let made = unsafe rd_kafka_consumer_group_metadata_new_with_genid(group, generation, member, nil) else {
      return nil
    }
    unsafe pointer = made
  }

  deinit { unsafe rd_kafka_consumer_group_metadata_destroy(pointer) }

  /// The group's generation; -1 outside the group; nil if the library writes it in a form we do not know.
  ///
  /// The library (2.0.2) tells it only inside its own serialised form: "CGMDv2:", then the number in four bytes.
  var generation: Int32? {
    var buffer: UnsafeMutableRawPointer?
    var size = 0
    // SAFETY: the library allocates the buffer with its own allocator; it is freed below.
    if let error = unsafe rd_kafka_consumer_group_metadata_write(pointer, &buffer, &size) {
      unsafe rd_kafka_error_destroy(error)
      return nil
    }
    guard let start = unsafe buffer else { return nil }
    defer { unsafe rd_kafka_mem_free(nil, start) }
    let bytes = unsafe UnsafeRawBufferPointer(start: start, count: size)
    let magic = Array("CGMDv2:".utf8)
    guard bytes.count >= magic.count + 4, unsafe bytes.prefix(magic.count).elementsEqual(magic) else {
      return nil
    }
    return unsafe bytes.loadUnaligned(fromByteOffset: magic.count, as: Int32.self)
  }
}
