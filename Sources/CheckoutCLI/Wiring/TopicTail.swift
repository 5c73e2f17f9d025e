// Reads topics from a point on, for commands that wait for answers.

import CheckoutCore
import CheckoutTools
import KafkaAdapter
import Operations
import WorkerEngine

/// Follows some topics.
struct TopicTail {
  private let reader: KafkaReader

  /// Starts at the present end of every partition of these topics.
  init(_ topics: [String], settings: KafkaSettings) throws(Problem) {
    do throws(KafkaError) {
      reader = try KafkaReader(settings: settings, topics: topics, from: .end)
    } catch {
      throw Problem(error)
    }
  }

  /// What has come since; waits up to `limit` for something.
  func next(limit: Duration) throws(Problem) -> [TopicRecord] {
    do throws(KafkaError) {
      return try reader.read(maxRecords: 1000, waitNanoseconds: limit.wholeNanoseconds).map { record in
        TopicRecord(
          position: Position(
            topic: record.topic, partition: record.partition, offset: record.offset,
            timestampMilliseconds: record.timestamp),
          key: record.key, value: record.value, headers: record.headers)
      }
    } catch {
      throw Problem(error)
    }
  }
}
