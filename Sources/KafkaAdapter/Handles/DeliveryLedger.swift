// Which produced messages have been reported, and the bytes that must stay where they are until then.

import CRdKafka
import WorkerEngine

/// The books of one producer. Used by the one thread that produces and serves the producer's callbacks. One batch is the newest;
/// older ones are kept, because librdkafka reads the values in place, until their last report.
// SAFETY: confined to the thread that owns the producer: librdkafka runs delivery reports inside `rd_kafka_poll` and the
// transaction calls only, which that thread makes.
final class DeliveryLedger: @unchecked Sendable {
  private var number: UInt = 0
  private var outputs: [Output] = []
  /// Reports still to come.
  private var outstanding = 0
  /// Which of `outputs` are under way.
  private var isUnderWay: [Bool] = []
  /// Index into `outputs` and what was wrong; in the order of the reports.
  private var failures: [(index: Int, error: KafkaError)] = []
  private var older: [UInt: (outputs: [Output], outstanding: Int)] = [:]

  /// Opens a batch and returns its number.
  func open(_ outputs: [Output]) -> UInt {
    if outstanding > 0 { older[number] = (self.outputs, outstanding) }
    number += 1
    self.outputs = outputs
    outstanding = 0
    isUnderWay = Array(repeating: false, count: outputs.count)
    failures = []
    return number
  }

  /// The newest batch's outputs. Precondition: `batch` is the newest.
  func outputs(of batch: UInt) -> [Output] {
    precondition(batch == number, "only the newest batch is produced")
    return outputs
  }

  /// The token that names one message of a batch in its report; never 0.
  static func token(batch: UInt, index: Int) -> UInt { batch << 32 | UInt(index) }

  /// Counts messages of the newest batch that librdkafka has taken.
  func sent(_ indices: Range<Int>) {
    outstanding += indices.count
    for index in indices { isUnderWay[index] = true }
  }

  /// A delivery report.
  func report(token: UInt, code: rd_kafka_resp_err_t) {
    let batch = token >> 32
    let index = Int(token & 0xffff_ffff)
    guard batch == number else { return reportOlder(batch) }
    outstanding -= 1
    isUnderWay[index] = false
    if code != RD_KAFKA_RESP_ERR_NO_ERROR { failures.append((index, KafkaError(code))) }
  }

  private func reportOlder(_ batch: UInt) {
    guard let outstanding = older[batch]?.outstanding else { return }
    older[batch]?.outstanding = outstanding - 1
    if outstanding == 1 { older[batch] = nil }
  }

  /// Reports still to come for the batch.
  func outstanding(batch: UInt) -> Int { batch == number ? outstanding : 0 }

  /// Indices of the messages whose reports are still to come.
  func unreported(batch: UInt) -> [Int] {
    batch == number ? isUnderWay.indices.filter { isUnderWay[$0] } : []
  }

  /// Takes the failures reported so far.
  func takeFailures(batch: UInt) -> [(index: Int, error: KafkaError)] {
    guard batch == number else { return [] }
    defer { failures = [] }
    return failures
  }
}
