// Reads topics from a point on, for commands that wait for answers.

import CheckoutCore
import CheckoutTools
import KafkaAdapter
import Operations
import WorkerEngine

/// Follows some topics from their present ends on.
struct TopicTail {
  private let reader: KafkaReader

  /// Starts at the present end of every partition of these topics.
  init(_ topics: [String], settings: KafkaSettings) throws(Problem) {
    do throws(KafkaError) {
      reader = try KafkaReader(settings: settings, topics: topics, from: .latest)
    } catch {
      throw Problem(error)
    }
  }

  /// What has come since; waits up to `limit` for something.
  func next(limit: Duration) -> [TopicRecord] {
    reader.read(waitNanoseconds: limit.wholeNanoseconds).records.map { TopicRecord($0, of: reader) }
  }

  /// Ends the reader.
  func close() { reader.close() }
}
