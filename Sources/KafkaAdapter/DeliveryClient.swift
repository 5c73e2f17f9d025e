// What commits without transactions ask of their clients: the librdkafka handles do it, tests script the answers.

import WorkerEngine

/// A producer, and a consumer that commits offsets. Called by one thread; no call blocks.
protocol DeliveryClient {
  /// Takes over a batch whose first `sent` outputs have left ahead under this number; nil: none have. Returns its number.
  func adopt(_ batch: UInt?, _ outputs: [Output], sent: Int) -> UInt
  /// Opens a batch for outputs that are sent again. The one opened before is retired.
  func open(_ outputs: [Output]) -> UInt
  /// Hands outputs of a batch to the library until one is not taken. Returns how many were, and why the next one was not.
  func enqueue(_ outputs: [Output], _ indices: Range<Int>, batch: UInt) -> (queued: Int, stop: EnqueueProblem?)
  /// Outputs of the batch that have no report yet.
  func outstanding(batch: UInt) -> Int
  /// What went wrong with outputs of the batch since the last call.
  func takeFailures(batch: UInt) -> [(index: Int, error: KafkaError)]
  /// Nobody asks for the batch any more.
  func retire(_ batch: UInt)
  /// Lets reports in; waits for them at most so long, less if woken.
  func pause(nanoseconds: Int64)
  /// Asks for offsets to be committed; the answer comes later. An error: it was not even asked.
  func ask(_ states: [PartitionState]) -> KafkaError?
  /// What has been answered: nil: nothing yet.
  func answer() -> OffsetAnswer?
  /// Nobody waits for the answer under way any more: it must not be taken for the next one's.
  func forgetAnswer()
  /// Says something in the log.
  func log(_ text: String)
}

/// What became of a request to commit offsets.
enum OffsetAnswer: Hashable, Sendable {
  case committed
  case failed(KafkaError)
}

/// The real ones.
final class DeliveryClients: DeliveryClient {
  private let producer: ProducerHandle
  private let consumer: ConsumerHandle
  private var answers: QueueHandle

  init(producer: ProducerHandle, consumer: ConsumerHandle) {
    self.producer = producer
    self.consumer = consumer
    answers = consumer.makeQueue(wake: producer.wake)
  }

  func adopt(_ batch: UInt?, _ outputs: [Output], sent: Int) -> UInt { producer.adopt(batch, outputs, sent: sent) }

  func open(_ outputs: [Output]) -> UInt { producer.open(outputs) }

  func enqueue(_ outputs: [Output], _ indices: Range<Int>, batch: UInt) -> (queued: Int, stop: EnqueueProblem?) {
    producer.enqueue(outputs, indices, batch: batch)
  }

  func outstanding(batch: UInt) -> Int {
    producer.serve()
    return producer.outstanding(batch: batch)
  }

  func takeFailures(batch: UInt) -> [(index: Int, error: KafkaError)] { producer.takeFailures(batch: batch) }

  func retire(_ batch: UInt) { producer.retire(batch) }

  func pause(nanoseconds: Int64) { producer.pause(nanoseconds: nanoseconds) }

  func ask(_ states: [PartitionState]) -> KafkaError? { consumer.commit(states, answers: answers) }

  func answer() -> OffsetAnswer? {
    guard let event = answers.next(waitMilliseconds: 0) else { return nil }
    return event.commitError.map { .failed($0) } ?? .committed
  }

  func forgetAnswer() { answers = consumer.makeQueue(wake: producer.wake) }

  func log(_ text: String) { producer.log(level: 5, facility: "DELIVERY", text) }
}
