// What a transactional commit asks of its producer: the librdkafka handle does it, tests script the answers.

import WorkerEngine

/// A transactional producer. Called by one thread; the calls with a limit block up to it (`sendOffsets` may take longer
/// while the broker is gone: librdkafka 2.0.2).
protocol TransactionClient {
  /// Proof of membership in the consumer group, as it was when the partitions were assigned.
  associatedtype Membership

  /// Takes the transactional id over and ends what its last owner left open.
  func initialise(limitMilliseconds: Int32) -> TransactionError?
  /// Opens a transaction. Never blocks.
  func begin() -> TransactionError?
  /// Opens a batch of outputs; they are kept until each has its report.
  func open(_ outputs: [Output]) -> UInt
  /// Hands one of the outputs that the newest batch was opened with to the library; nil: it was taken. Never blocks.
  func produce(_ outputs: [Output], index: Int, batch: UInt) -> ProduceFailure?
  /// Adds offsets to the transaction; the broker refuses them if the membership has ended.
  func sendOffsets(
    _ states: [PartitionState], of membership: Membership, limitMilliseconds: Int32
  ) -> TransactionError?
  /// Sends what is left, then commits. After a timeout only the same call may follow.
  func commit(limitMilliseconds: Int32) -> TransactionError?
  /// Aborts. After a timeout only the same call may follow.
  func abort(limitMilliseconds: Int32) -> TransactionError?
  /// Outputs of the batch that have no report yet.
  func outstanding(batch: UInt) -> Int
  /// What went wrong with outputs of the batch since the last call.
  func takeDeliveryErrors(batch: UInt) -> [(index: Int, error: TransactionError)]
  /// Lets reports in; waits for them at most so long, less if woken.
  func pause(nanoseconds: Int64)
  /// Says something in the log.
  func log(_ text: String)
}

/// Why an output was not taken.
enum ProduceFailure: Hashable, Sendable {
  /// The local queue is full: wait for reports and try again.
  case full
  case failed(TransactionError)
}
