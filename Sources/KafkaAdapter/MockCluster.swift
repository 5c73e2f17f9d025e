// A Kafka-like broker inside the process, for the demo, local work and tests. What it lacks: transactions, deduplication
// of an idempotent producer's retries, administrative calls, compaction, and it drops messages beyond about 5 MB a
// partition. It keeps nothing over a restart.

/// An in-process cluster that speaks Kafka's protocol on random ports of the loopback interface. Any thread. It ends,
/// with everything in it, when the last reference goes.
package final class MockCluster: Sendable {
  /// Requests whose next answer can be made an error.
  package enum Request: Int16, Sendable {
    case produce = 0
    case fetch = 1
    case offsetCommit = 8
    case offsetFetch = 9
    case joinGroup = 11
    case heartbeat = 12
  }

  private let handle: MockClusterHandle

  /// Starts `brokerCount` brokers.
  package init(
    brokerCount: Int = 1, log: @escaping @Sendable (KafkaLogLine) -> Void = { _ in }
  ) throws(KafkaError) {
    let settings = try KafkaSettings(brokers: "in process", clientID: "mock", log: log)
    handle = try MockClusterHandle(settings: settings, brokerCount: brokerCount)
  }

  /// Bootstrap list for clients.
  package var brokers: String { handle.bootstrap }

  /// Makes a topic. Its partition count cannot be changed later.
  package func createTopic(_ name: String, partitions: Int) throws(KafkaError) {
    if let error = handle.createTopic(name, partitions: partitions) { throw error.during("creating topic \(name)") }
  }

  /// Adds a delay to each answer of a broker (numbered from 1).
  package func setRoundTrip(broker: Int = 1, milliseconds: Int) throws(KafkaError) {
    if let error = handle.setRoundTrip(broker: Int32(broker), milliseconds: Int32(milliseconds)) { throw error }
  }

  /// Cuts a broker off (numbered from 1): connections are closed and refused until `setUp`.
  package func setDown(broker: Int = 1) throws(KafkaError) {
    if let error = handle.setDown(broker: Int32(broker), true) { throw error }
  }

  /// Makes a broker reachable again.
  package func setUp(broker: Int = 1) throws(KafkaError) {
    if let error = handle.setDown(broker: Int32(broker), false) { throw error }
  }

  /// The next requests of a kind are answered with these Kafka error codes (Kafka protocol guide, "Error Codes"), one
  /// each.
  package func fail(next request: Request, with codes: [Int32]) {
    for code in codes { handle.pushError(apiKey: request.rawValue, code: code) }
  }

  /// Forgets errors not used up.
  package func clearFailures(of request: Request) { handle.clearErrors(apiKey: request.rawValue) }
}
