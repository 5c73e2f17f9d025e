// librdkafka's mock cluster and the client that carries it.

import CRdKafka

/// Owner of a mock cluster; its brokers run on a thread of their own inside the library.
// SAFETY: client and cluster are made here, belong to this object alone and end in `deinit`, the cluster first. The pointers
// never change, and the mock functions hand their work to the cluster's own thread.
@safe final class MockClusterHandle: Sendable {
  nonisolated(unsafe) private let client: OpaquePointer
  nonisolated(unsafe) private let cluster: OpaquePointer
  private let callbacks: ClientCallbacks

  init(settings: KafkaSettings, brokerCount: Int) throws(KafkaError) {
    callbacks = ClientCallbacks(settings: settings, ledger: nil)
    let configuration = ConfigurationHandle()
    try configuration.set(KafkaProperty("client.id", settings.clientID))
    unsafe client = try configuration.makeClient(RD_KAFKA_PRODUCER, callbacks: callbacks)
    guard let made = unsafe rd_kafka_mock_cluster_new(client, Int32(brokerCount)) else {
      unsafe rd_kafka_destroy(client)
      throw .environment("the mock cluster cannot be started: is there a free port on 127.0.0.1?")
    }
    unsafe cluster = made
  }

  deinit {
    // SAFETY: the cluster goes before the client that carries it.
    unsafe rd_kafka_mock_cluster_destroy(cluster)
    unsafe rd_kafka_destroy(client)
  }

  var bootstrap: String {
    // SAFETY: a string owned by the cluster.
    unsafe String(cString: rd_kafka_mock_cluster_bootstraps(cluster))
  }

  func createTopic(_ name: String, partitions: Int) -> KafkaError? {
    unsafe .unlessOK(rd_kafka_mock_topic_create(cluster, name, Int32(partitions), 1))
  }

  func setRoundTrip(broker: Int32, milliseconds: Int32) -> KafkaError? {
    unsafe .unlessOK(rd_kafka_mock_broker_set_rtt(cluster, broker, milliseconds))
  }

  func setDown(broker: Int32, _ isDown: Bool) -> KafkaError? {
    unsafe .unlessOK(
      isDown ? rd_kafka_mock_broker_set_down(cluster, broker) : rd_kafka_mock_broker_set_up(cluster, broker))
  }

  func pushError(apiKey: Int16, code: Int32) {
    unsafe shim_mock_push_error(cluster, apiKey, rd_kafka_resp_err_t(code))
  }

  func clearErrors(apiKey: Int16) {
    unsafe rd_kafka_mock_clear_request_errors(cluster, apiKey)
  }
}
