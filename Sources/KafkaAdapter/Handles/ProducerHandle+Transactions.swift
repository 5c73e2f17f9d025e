// The producer's transaction calls.

import CRdKafka
import WorkerEngine

extension ProducerHandle: TransactionClient {
  func initialise(limitMilliseconds: Int32) -> TransactionError? {
    // SAFETY: the client exists until `destroy`, which is never called while a call is inside; so for all calls here.
    unsafe TransactionError.taking(rd_kafka_init_transactions(client, limitMilliseconds))
  }

  func begin() -> TransactionError? {
    // SAFETY: see `initialise`.
    unsafe TransactionError.taking(rd_kafka_begin_transaction(client))
  }

  func produce(_ outputs: [Output], index: Int, batch: UInt) -> ProduceFailure? {
    switch enqueue(outputs, index..<index + 1, batch: batch).stop {
    case nil: nil
    case .full: .full
    case .failed(let error): .failed(TransactionError(error))
    }
  }

  func sendOffsets(
    _ states: [PartitionState], of membership: GroupMembershipHandle, limitMilliseconds: Int32
  ) -> TransactionError? {
    let list = PartitionListHandle(states)
    // SAFETY: the library copies both.
    return unsafe .taking(
      rd_kafka_send_offsets_to_transaction(client, list.pointer, membership.pointer, limitMilliseconds))
  }

  func commit(limitMilliseconds: Int32) -> TransactionError? {
    // SAFETY: see `initialise`. Delivery reports are served inside, on this thread.
    unsafe TransactionError.taking(rd_kafka_commit_transaction(client, limitMilliseconds))
  }

  func abort(limitMilliseconds: Int32) -> TransactionError? {
    // SAFETY: see `initialise`. Delivery reports are served inside, on this thread.
    unsafe TransactionError.taking(rd_kafka_abort_transaction(client, limitMilliseconds))
  }

  func takeDeliveryErrors(batch: UInt) -> [(index: Int, error: TransactionError)] {
    serve()
    return takeFailures(batch: batch).map { ($0.index, TransactionError($0.error)) }
  }

  func pause(nanoseconds: Int64) {
    serve()
    wake.wait(limitNanoseconds: nanoseconds)
    serve()
  }

  func log(_ text: String) { log(level: 5, facility: "TRANSACTION", text) }
}

extension TransactionError {
  /// Takes over an error object of the library; nil for none.
  static func taking(_ error: OpaquePointer?) -> TransactionError? {
    // SAFETY: the object is ours; its strings are copied before it is destroyed.
    guard let error = unsafe error else { return nil }
    defer { unsafe rd_kafka_error_destroy(error) }
    let name = unsafe String(cString: rd_kafka_error_name(error))
    return unsafe TransactionError(
      code: name, message: "\(String(cString: rd_kafka_error_string(error))) (\(name))",
      isFatal: rd_kafka_error_is_fatal(error) != 0, isRetriable: rd_kafka_error_is_retriable(error) != 0,
      requiresAbort: rd_kafka_error_txn_requires_abort(error) != 0)
  }

  /// An error of one message.
  init(_ error: KafkaError) {
    self.init(code: error.code, message: error.message, isFatal: error.reaction == .clientBroken)
  }
}
