// What the client library tells about itself once a second, as values (librdkafka's STATISTICS.md names the fields).

package import WorkerEngine

/// One client's statistics.
package struct KafkaStatistics: Hashable, Sendable {
  /// What kind of client speaks.
  package enum Client: String, Hashable, Sendable {
    case consumer
    case producer
  }

  /// A partition this consumer fetches. Offsets are nil while the library does not know them.
  package struct Partition: Hashable, Sendable {
    /// First offset that is still in the log.
    package var logStart: Int64?
    /// One beyond the last offset that readers of committed messages may see.
    package var stableEnd: Int64?
    /// The next offset to be fetched.
    package var nextFetch: Int64?
    /// Messages fetched and not yet taken by the worker.
    package var fetched: Int64 = 0

    package init(logStart: Int64?, stableEnd: Int64?, nextFetch: Int64?, fetched: Int64 = 0) {
      self.logStart = logStart
      self.stableEnd = stableEnd
      self.nextFetch = nextFetch
      self.fetched = fetched
    }
  }

  /// The client's kind.
  package let client: Client
  /// Brokers the client knows (its bootstrap addresses not counted), and those it is connected to.
  package var brokersKnown = 0
  /// Brokers with a usable connection.
  package var brokersUp = 0
  /// Messages in the producer's own queues, waiting or under way.
  package var queuedMessages: Int64 = 0
  /// Their bytes.
  package var queuedBytes: Int64 = 0
  /// Partitions assigned to this consumer; empty for producers.
  package var partitions: [TopicPartition: Partition] = [:]
  /// Rebalances this consumer has seen.
  package var rebalances: Int64 = 0

  package init(client: Client) {
    self.client = client
  }
}
