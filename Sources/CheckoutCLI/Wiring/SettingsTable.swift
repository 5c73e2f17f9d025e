// Every setting of the program, in one table: `checkout config` prints it, docs/configuration.md explains it.

import CheckoutWire
import Operations
import WorkerEngine

/// The settings, by section.
enum Setup {
  // kafka (the pass-through section) takes any librdkafka property; these are ours.
  static let brokers = Setting<[HostPort]>.addresses(
    "connection.brokers", standard: nil, help: "Kafka brokers to connect to first, HOST:PORT,…")
  static let topicPrefix = Setting<String>.text(
    "connection.topic_prefix", standard: "checkout.", help: "begins every topic's name")
  static let groupPrefix = Setting<String>.text(
    "connection.group_prefix", standard: "checkout-", help: "begins every consumer group's name")
  static let instance = Setting<String?>.optionalText(
    "connection.instance",
    help: "this process's stable name (default: the host's name); processes of one stage need different ones")
  static let staticMembership = Setting<Bool>.flag(
    "connection.static_membership", standard: false, help: "join the group under the instance's name")

  static let delivery = Setting<String>.choice(
    "worker.delivery", ["auto", "exactly-once", "at-least-once"], standard: "auto",
    help: "how outputs and offsets are committed; auto: exactly-once, on librdkafka's mock cluster at-least-once")
  static let inFlightMax = Setting<Int>.integer(
    "worker.in_flight_max", 1...100_000, standard: 1024, help: "messages in work at one time, per stage")
  static let heldBytesMax = Setting<Int>.size(
    "worker.held_bytes_max", 1_048_576...4_294_967_296, standard: "64MiB",
    help: "bytes of messages and outputs not yet committed, per stage")
  static let drain = Setting<Duration>.duration(
    "worker.drain", .milliseconds(100)...(.seconds(250)), standard: "5s",
    help: "how long started work may go on when partitions are taken away")
  static let shutdownGrace = Setting<Duration>.duration(
    "worker.shutdown_grace", .seconds(1)...(.seconds(600)), standard: "25s",
    help: "how long a shutdown may take in all")
  static let commitInterval = Setting<Duration>.duration(
    "worker.commit_interval_min", .zero...(.seconds(5)), standard: "5ms", help: "least time between two commits")
  static let outOfRange = Setting<String>.choice(
    "worker.out_of_range", OutOfRangePolicy.allCases.map(\.rawValue), standard: OutOfRangePolicy.fail.rawValue,
    help: "when committed offsets are not in the log any more: fail, or begin at its earliest or latest message")
  static let clockStart = Setting<String?>.optionalText(
    "worker.clock_start", help: "RFC 3339 time at which the wall clock starts: to run dated samples")

  static let journal = Setting<String>.text(
    "journal.location", standard: "sqlite:checkout.db",
    help: "sqlite:PATH, or postgres://user@host/database (libpq's address)")
  static let gateways = Setting<String>.text(
    "gateways.location", standard: "sandbox", help: "sandbox (in memory) or sandbox:LEDGER (a file)")
  static let reference = Setting<String?>.optionalText(
    "reference.location", help: "JSON file of accounts and prices, or: topics; needed by validation")
  static let accountsTopic = Setting<String>.text(
    "reference.accounts_topic", standard: ReferenceTopic.accounts.rawValue,
    help: "compacted topic of accounts, full name")
  static let pricesTopic = Setting<String>.text(
    "reference.prices_topic", standard: ReferenceTopic.prices.rawValue, help: "compacted topic of prices, full name")

  static let logForm = Setting<String>.choice(
    "log.form", ["auto", "json", "pretty"], standard: "auto", help: "auto: pretty on a terminal, else JSON")
  static let logLevel = Setting<String>.choice(
    "log.level", ["debug", "info", "warning", "error"], standard: "info", help: "lines below it are left out")

  static let validationMode = Setting<String>.choice(
    "validation.mode", ["fail_fast", "collect_all"], standard: "fail_fast", help: "first refusal, or all of them")
  static let payloadBytesMax = Setting<Int>.size(
    "validation.payload_bytes_max", 1024...8_388_608, standard: "512KiB", help: "larger messages are dead letters")
  static let quantityMax = Setting<Int>.integer(
    "validation.quantity_max", 1...1_000_000, standard: 999, help: "most pieces in one line")
  static let linesMax = Setting<Int>.integer(
    "validation.lines_max", 1...10_000, standard: 1000, help: "most lines in one cart")
  static let amountMax = Setting<Int>.integer(
    "validation.amount_minor_max", 1...9_000_000_000_000_000, standard: 1_000_000_000_000,
    help: "highest total, in minor units")
  static let clockSkewMax = Setting<Duration>.duration(
    "validation.clock_skew_max", .zero...(.seconds(86_400)), standard: "5m",
    help: "how far ahead requested_at may lie")
  static let paymentMethods = Setting<[String]>.list(
    "validation.payment_methods", standard: "card,apple_pay,google_pay,sepa_debit",
    help: "accepted payment.method_type values")
  static let livemode = Setting<Bool>.flag(
    "validation.livemode", standard: false, help: "the kind of traffic this deployment takes")

  static let sandboxSeed = Setting<Int>.integer(
    "sandbox.seed", 0...Int(Int32.max), standard: 1, help: "seed of the sandbox's latency and faults")
  static let sandboxLatency = Setting<Duration>.duration(
    "sandbox.latency_max", .zero...(.seconds(60)), standard: "0ms", help: "each call takes between 0 and this")
  static let sandboxHold = Setting<Duration>.duration(
    "sandbox.hold", .milliseconds(100)...(.seconds(86_400)), standard: "15m", help: "how long stock is held")

  static let sandboxKeyWindow = Setting<Duration>.duration(
    "sandbox.key_window", .milliseconds(100)...(.seconds(30 * 86_400)), standard: "24h",
    help: "how long the services remember an idempotency key")
  static let sandboxSlowCharge = Setting<Duration>.duration(
    "sandbox.slow_charge", .milliseconds(100)...(.seconds(86_400)), standard: "2s",
    help: "how long a charge with pm_tok_slow takes")
  static let sandboxOutages = Setting<String?>.optionalText(
    "sandbox.outages",
    help: "file of outages, read again whenever it changes (default: LEDGER.outages beside sandbox:LEDGER)")

  static let topicPartitions = Setting<Int>.integer(
    "topics.partitions", 1...10_000, standard: 12, help: "partitions of each topic that is created")
  static let topicReplication = Setting<Int>.integer(
    "topics.replication", 1...32, standard: 1, help: "copies of each partition that is created")

  /// The table, in the order it is shown.
  static let table: [SettingDefinition] =
    [
      brokers.definition, topicPrefix.definition, groupPrefix.definition, instance.definition,
      staticMembership.definition, delivery.definition, inFlightMax.definition, heldBytesMax.definition,
      drain.definition, shutdownGrace.definition, commitInterval.definition, outOfRange.definition,
      clockStart.definition, journal.definition, gateways.definition, reference.definition,
      accountsTopic.definition, pricesTopic.definition, logForm.definition, logLevel.definition,
      validationMode.definition, payloadBytesMax.definition, quantityMax.definition, linesMax.definition,
      amountMax.definition, clockSkewMax.definition, paymentMethods.definition, livemode.definition,
    ] + SagaSetup.table + [
      sandboxSeed.definition, sandboxLatency.definition, sandboxHold.definition, sandboxKeyWindow.definition,
      sandboxSlowCharge.definition,
      sandboxOutages.definition, topicPartitions.definition,
      topicReplication.definition,
    ]

  /// Flags that stand for a setting.
  static let flags: [(flag: String, setting: String)] = [
    ("brokers", brokers.definition.name), ("topic-prefix", topicPrefix.definition.name),
    ("group-prefix", groupPrefix.definition.name), ("journal", journal.definition.name),
    ("gateways", gateways.definition.name), ("reference", reference.definition.name),
    ("delivery", delivery.definition.name), ("log", logForm.definition.name),
    ("partitions", topicPartitions.definition.name), ("replication", topicReplication.definition.name),
  ]
}
