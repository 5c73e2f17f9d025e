// Which produced messages have been reported, and the bytes that must stay where they are until then.

import CRdKafka
import Synchronization
import WorkerEngine

/// The books of one producer. librdkafka reads values in place, so that a batch's values are kept until its last report, whatever
/// becomes of the batch meanwhile.
// SAFETY: `makeNumber` and `keep(values:)` may be called by any thread. All else is confined to the thread that serves the
// producer's callbacks: librdkafka runs delivery reports inside `rd_kafka_poll` and the transaction calls only.
final class DeliveryLedger: @unchecked Sendable {
  private struct Books {
    var outputs: [Output] = []
    /// Messages that the library has taken.
    var sent = 0
    var reported = 0
    /// By index, for batches that were opened here.
    var hasReport: [Bool] = []
    /// Index and what was wrong; in the order of the reports.
    var failures: [(index: Int, error: KafkaError)] = []
    /// Nobody asks for it any more: it goes with its last report.
    var isRetired = false
  }

  private let numbers = Atomic<UInt>(0)
  private let values = Mutex<[UInt: [[UInt8]]]>([:])
  /// The batch that the latest report was of; reports come in runs of one batch.
  private var number: UInt = 0
  private var books = Books()
  private var others: [UInt: Books] = [:]
  private var opened: UInt?

  /// A number that no batch has had. Any thread.
  func makeNumber() -> UInt { numbers.add(1, ordering: .relaxed).newValue }

  /// Keeps values of a batch. Any thread.
  func keep(_ values: [[UInt8]], of batch: UInt) {
    self.values.withLock { $0[batch, default: []] += values }
  }

  /// Opens a batch that keeps its outputs, and retires the one opened before.
  func open(_ outputs: [Output]) -> UInt {
    if let opened { retire(opened) }
    let batch = makeNumber()
    opened = batch
    select(batch)
    books.outputs = outputs
    books.hasReport = Array(repeating: false, count: outputs.count)
    return batch
  }

  /// Takes a batch over of which so many messages have been sent by another thread.
  func adopt(_ batch: UInt, _ outputs: [Output], sent: Int) {
    select(batch)
    books.outputs = outputs
    books.sent = sent
  }

  /// The token that names one message of a batch in its report; never 0.
  static func token(batch: UInt, index: Int) -> UInt { batch << 32 | UInt(index) }

  /// Counts messages of a batch that librdkafka has taken.
  func sent(_ count: Int, batch: UInt) {
    select(batch)
    books.sent += count
  }

  /// A delivery report.
  func report(token: UInt, code: rd_kafka_resp_err_t) {
    let batch = token >> 32
    if batch != number { select(batch) }
    let index = Int(token & 0xffff_ffff)
    books.reported += 1
    if index < books.hasReport.count { books.hasReport[index] = true }
    if code != RD_KAFKA_RESP_ERR_NO_ERROR { books.failures.append((index, KafkaError(code))) }
    if books.isRetired { dropIfOver() }
  }

  /// Reports still to come for a batch.
  func outstanding(batch: UInt) -> Int {
    select(batch)
    return books.sent - books.reported
  }

  /// False while the report of a message of the opened batch is still to come.
  func hasReport(_ index: Int, batch: UInt) -> Bool {
    select(batch)
    return books.hasReport[index]
  }

  /// Takes the failures reported so far for a batch.
  func takeFailures(batch: UInt) -> [(index: Int, error: KafkaError)] {
    select(batch)
    defer { books.failures = [] }
    return books.failures
  }

  /// Nobody asks for the batch any more.
  func retire(_ batch: UInt) {
    select(batch)
    books.isRetired = true
    dropIfOver()
  }

  private func dropIfOver() {
    guard books.reported >= books.sent else { return }
    books = Books()
    // Freed outside the lock: there may be much of it.
    let over = values.withLock { [number] in $0.removeValue(forKey: number) }
    _ = over
    number = 0
  }

  private func select(_ batch: UInt) {
    guard batch != number else { return }
    if number != 0 { others[number] = books }
    books = others.removeValue(forKey: batch) ?? Books()
    number = batch
  }
}
