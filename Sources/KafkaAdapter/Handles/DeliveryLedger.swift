// Which produced messages have been reported, and the bytes that must stay where they are until then.

import CRdKafka
import WorkerEngine

/// One group of messages under delivery.
struct DeliveryBatch {
  /// Kept because librdkafka reads the values in place.
  let outputs: [Output]
  /// Reports still to come.
  var outstanding: Int
  /// Which of `outputs` are under way.
  var isUnderWay: [Bool]
  /// Index into `outputs` and what was wrong; in the order of the reports.
  var failures: [(index: Int, error: KafkaError)]
}

/// The books of one producer. Used by the one thread that produces and serves the producer's callbacks.
// SAFETY: confined to the thread that owns the producer: librdkafka runs delivery reports inside `rd_kafka_poll` and the
// transaction calls only, which that thread makes.
final class DeliveryLedger: @unchecked Sendable {
  private var newest: (number: UInt, batch: DeliveryBatch)?
  private var older: [UInt: DeliveryBatch] = [:]
  private var lastNumber: UInt = 0

  /// Opens a batch and returns its number.
  func open(_ outputs: [Output]) -> UInt {
    if let (number, batch) = newest, batch.outstanding > 0 { older[number] = batch }
    lastNumber += 1
    let batch = DeliveryBatch(
      outputs: outputs, outstanding: 0, isUnderWay: Array(repeating: false, count: outputs.count), failures: [])
    newest = (lastNumber, batch)
    return lastNumber
  }

  /// The token that names one message of a batch in its report; never 0.
  static func token(batch: UInt, index: Int) -> UInt { batch << 32 | UInt(index) }

  /// Counts a message that librdkafka has taken. Precondition: `batch` is the newest.
  func sent(batch: UInt, index: Int) {
    newest?.batch.outstanding += 1
    newest?.batch.isUnderWay[index] = true
  }

  /// A delivery report.
  func report(token: UInt, code: rd_kafka_resp_err_t) {
    let number = token >> 32
    let failure = code == RD_KAFKA_RESP_ERR_NO_ERROR ? nil : (index: Int(token & 0xffff_ffff), error: KafkaError(code))
    if newest?.number == number {
      newest?.batch.outstanding -= 1
      newest?.batch.isUnderWay[Int(token & 0xffff_ffff)] = false
      if let failure { newest?.batch.failures.append(failure) }
    } else if let outstanding = older[number]?.outstanding {
      older[number]?.outstanding = outstanding - 1
      if outstanding == 1 { older[number] = nil }
    }
  }

  /// Reports still to come for the batch.
  func outstanding(batch: UInt) -> Int {
    guard let newest, newest.number == batch else { return 0 }
    return newest.batch.outstanding
  }

  /// Indices of the messages whose reports are still to come.
  func unreported(batch: UInt) -> [Int] {
    guard let newest, newest.number == batch else { return [] }
    return newest.batch.isUnderWay.indices.filter { newest.batch.isUnderWay[$0] }
  }

  /// Takes the failures reported so far.
  func takeFailures(batch: UInt) -> [(index: Int, error: KafkaError)] {
    guard let present = newest, present.number == batch else { return [] }
    newest?.batch.failures = []
    return present.batch.failures
  }
}
