// How a Kafka client is set up: what the user may choose, and what belongs to the engine.

package import WorkerEngine

/// One librdkafka property as the user gave it.
package struct KafkaProperty: Hashable, Sendable {
  /// The property's name as librdkafka's CONFIGURATION.md lists it.
  package let name: String
  /// Its value as text; may be a secret, so it is never logged.
  package let value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// What every Kafka client of this program shares.
package struct KafkaSettings: Sendable {
  /// Bootstrap list: `HOST:PORT,…`.
  package let brokers: String
  /// `client.id`; appears in the broker's logs and quotas.
  package let clientID: String
  /// librdkafka properties passed through. Those owned by the engine are refused.
  package let properties: [KafkaProperty]
  /// How often the library reports statistics; 0: never. Milliseconds.
  package let statisticsIntervalMilliseconds: Int
  /// Lines of one facility shown per minute; default 5.
  package let logLinesPerMinuteMax: Int
  /// Called with each line of the library's log. Any thread; must not block.
  package let log: @Sendable (KafkaLogLine) -> Void
  /// Called with each client's statistics, on a thread of the worker's; must not block.
  package let statistics: @Sendable (KafkaStatistics) -> Void

  /// Called when a worker's clients are made anew, with whether another client had taken their identity; must not block.
  package var rebuilt: @Sendable (_ wasFenced: Bool) -> Void = { _ in }

  /// Checks the properties at once, so that a wrong one is found before anything connects. Throws `.environment`
  /// naming the property.
  package init(
    brokers: String,
    clientID: String = "checkout",
    properties: [KafkaProperty] = [],
    statisticsIntervalMilliseconds: Int = 0,
    logLinesPerMinuteMax: Int = 5,
    log: @escaping @Sendable (KafkaLogLine) -> Void = { _ in },
    statistics: @escaping @Sendable (KafkaStatistics) -> Void = { _ in }
  ) throws(KafkaError) {
    guard !brokers.isEmpty else { throw .environment("no Kafka brokers given: set --brokers HOST:PORT,…") }
    for property in properties { try PropertyRules.check(property) }
    self.brokers = brokers
    self.clientID = clientID
    self.properties = properties
    self.statisticsIntervalMilliseconds = statisticsIntervalMilliseconds
    self.logLinesPerMinuteMax = logLinesPerMinuteMax
    self.log = log
    self.statistics = statistics
    try ConfigurationHandle.check(properties)
  }
}

/// How outputs and offsets become durable.
package enum DeliveryMode: String, Hashable, Sendable {
  /// Outputs first, offsets once they are delivered: a crash between the two repeats outputs under the same ids.
  case atLeastOnce = "at-least-once"
  /// Outputs and offsets in one transaction: readers with `read_committed` see each output once.
  case exactlyOnce = "exactly-once"
}

/// A worker's membership in its consumer group.
package struct KafkaGroupSettings: Sendable {
  /// `group.id`.
  package let group: String
  /// Topics consumed; all partitions of all of them are shared in the group.
  package let topics: [String]
  /// `group.instance.id`; nil: dynamic membership.
  package let instanceID: String?
  /// Where a partition without a committed offset starts; default `earliest`.
  package let reset: LogPlace
  /// Default at least once.
  package let delivery: DeliveryMode
  /// `<instance>-<worker>`: the worker's name, the same after each restart, and of no other live worker of the group.
  /// Needed for `exactlyOnce`.
  package let workerName: String?

  package init(
    group: String, topics: [String], instanceID: String? = nil, reset: LogPlace = .earliest,
    delivery: DeliveryMode = .atLeastOnce, workerName: String? = nil
  ) {
    self.group = group
    self.topics = topics
    self.instanceID = instanceID
    self.reset = reset
    self.delivery = delivery
    self.workerName = workerName
  }
}

/// Which properties a user may not set, and why.
enum PropertyRules {
  private static let owned: [String: String] = [
    "isolation.level": "consumers always read committed messages only",
    "enable.auto.commit": "offsets are committed together with the outputs",
    "auto.commit.enable": "offsets are committed together with the outputs",
    "auto.commit.interval.ms": "offsets are committed together with the outputs",
    "enable.auto.offset.store": "offsets are committed together with the outputs",
    "offset.store.method": "offsets are committed together with the outputs",
    "enable.idempotence": "the producer is always idempotent",
    "acks": "outputs always wait for all in-sync replicas",
    "request.required.acks": "outputs always wait for all in-sync replicas",
    "transactional.id": "it is made from the group, the instance and the worker",
    "partitioner": "keys are placed as Java's clients place them",
    "partitioner_cb": "keys are placed as Java's clients place them",
    "bootstrap.servers": "use --brokers",
    "metadata.broker.list": "use --brokers",
    "group.id": "use --group-prefix",
    "group.instance.id": "it is a setting of the worker",
    "client.id": "it is a setting of its own",
    "auto.offset.reset": "it is a setting of the worker",
    "enable.partition.eof": "ends of partitions are no events of the engine",
    "statistics.interval.ms": "it is a setting of its own",
    "enabled_events": "it is wiring between the library and the engine",
    "log.queue": "it is wiring between the library and the engine",
  ]

  /// Refuses a property owned by the engine.
  static func check(_ property: KafkaProperty) throws(KafkaError) {
    if let reason = owned[property.name] {
      throw .environment("Kafka property \(property.name) belongs to the engine and cannot be set: \(reason)")
    }
    if property.name == "partition.assignment.strategy", property.value.contains("cooperative") {
      throw .environment(
        "Kafka property partition.assignment.strategy=\(property.value) is refused: librdkafka 2.0.2 loses "
          + "assignments when offsets are committed during a cooperative rebalance; use range or roundrobin")
    }
  }
}

/// The properties each kind of client starts from; the user's own come after them.
enum ClientDefaults {
  private static let shared = [
    KafkaProperty("socket.nagle.disable", "true"),
    KafkaProperty("retry.backoff.ms", "10"),
    KafkaProperty("reconnect.backoff.ms", "50"),
    KafkaProperty("reconnect.backoff.max.ms", "2000"),
  ]

  /// For a member of a group and for readers without one. The queue limits are high because the library stops
  /// fetching for about a second at a time when one of them is reached (2.0.2).
  static let consumer =
    shared + [
      KafkaProperty("enable.auto.commit", "false"),
      KafkaProperty("enable.auto.offset.store", "false"),
      KafkaProperty("isolation.level", "read_committed"),
      KafkaProperty("auto.offset.reset", "error"),
      KafkaProperty("partition.assignment.strategy", "range"),
      KafkaProperty("session.timeout.ms", "10000"),
      KafkaProperty("heartbeat.interval.ms", "1000"),
      KafkaProperty("fetch.wait.max.ms", "50"),
      KafkaProperty("queued.min.messages", "1000000"),
      KafkaProperty("queued.max.messages.kbytes", "262144"),
    ]

  /// For producers.
  static let producer =
    shared + [
      KafkaProperty("enable.idempotence", "true"),
      KafkaProperty("acks", "all"),
      KafkaProperty("partitioner", "murmur2_random"),
      KafkaProperty("linger.ms", "1"),
      KafkaProperty("batch.num.messages", "10000"),
      KafkaProperty("queue.buffering.max.messages", "200000"),
      KafkaProperty("queue.buffering.max.kbytes", "1048576"),
    ]

  /// For producers with transactions. A message must not outlive its transaction.
  static let transactionalProducer =
    producer + [
      KafkaProperty("transaction.timeout.ms", "10000"),
      KafkaProperty("message.timeout.ms", "10000"),
    ]

  /// For administrative calls.
  static let admin = shared
}
