// A client's configuration while it is put together.

import CRdKafka

/// Owner of an `rd_kafka_conf_t` until a client takes it over.
// SAFETY: the configuration is made here and belongs to this object alone until `makeClient` hands it to a client and clears
// the pointer; what is left is destroyed in `deinit`. Texts lie in buffers that live for the call and are announced with
// their size.
@safe final class ConfigurationHandle {
  private var configuration: OpaquePointer?

  init() {
    // SAFETY: a fresh configuration, owned by us.
    unsafe configuration = rd_kafka_conf_new()
  }

  deinit {
    // SAFETY: still ours, because `take` clears it.
    if let left = unsafe configuration { unsafe rd_kafka_conf_destroy(left) }
  }

  /// Sets one property; the library's own text says what is wrong with it.
  func set(_ property: KafkaProperty) throws(KafkaError) {
    guard let configuration = unsafe configuration else { return }
    let text = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer -> String? in
      // SAFETY: the buffer is announced with its size; the library ends the text with a zero.
      let status = unsafe rd_kafka_conf_set(
        configuration, property.name, property.value, buffer.baseAddress, buffer.count)
      guard status != RD_KAFKA_CONF_OK, let start = buffer.baseAddress else { return nil }
      return unsafe String(cString: start)
    }
    if let text { throw .environment("Kafka property \(property.name): \(text)") }
  }

  /// Sets several.
  func set(_ properties: [KafkaProperty]) throws(KafkaError) {
    for property in properties { try set(property) }
  }

  /// Lets the library say whether it knows the properties and takes their values.
  static func check(_ properties: [KafkaProperty]) throws(KafkaError) {
    try ConfigurationHandle().set(properties)
  }

  /// What all clients share.
  func apply(_ settings: KafkaSettings, defaults: [KafkaProperty]) throws(KafkaError) {
    try set(defaults)
    try set(KafkaProperty("bootstrap.servers", settings.brokers))
    try set(KafkaProperty("client.id", settings.clientID))
    if settings.statisticsIntervalMilliseconds > 0 {
      try set(KafkaProperty("statistics.interval.ms", String(settings.statisticsIntervalMilliseconds)))
    }
    try set(settings.properties)
  }

  /// Makes the client; the configuration is used up.
  func makeClient(_ kind: rd_kafka_type_t, callbacks: ClientCallbacks) throws(KafkaError) -> OpaquePointer {
    guard let configuration = unsafe configuration else { throw .environment("the configuration is used up") }
    unsafe callbacks.install(in: configuration)
    var client: OpaquePointer?
    let text = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer -> String in
      // SAFETY: on success the client owns the configuration, on failure we still do.
      unsafe client = rd_kafka_new(kind, configuration, buffer.baseAddress, buffer.count)
      guard unsafe client == nil, let start = buffer.baseAddress else { return "" }
      return unsafe String(cString: start)
    }
    guard let made = unsafe client else { throw .environment("the Kafka client cannot be made: \(text)") }
    unsafe self.configuration = nil
    return unsafe made
  }
}

extension ConfigurationHandle {
  /// These kinds of events come through queues instead of callbacks.
  func deliverEvents(_ kinds: Int32) {
    guard let configuration = unsafe configuration else { return }
    unsafe rd_kafka_conf_set_events(configuration, kinds)
  }
}
