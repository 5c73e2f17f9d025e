// Every metric: its name, kind, labels and meaning. docs/metrics.md explains each; TidyTests compare the two.

/// What a metric is called and what it counts.
package struct MetricName: Hashable, Sendable {
  /// How a metric behaves.
  package enum Kind: String, Hashable, Sendable {
    /// Only grows; name ends in `_total`.
    case counter
    /// Goes up and down.
    case gauge
    /// Spans, recorded in nanoseconds and shown in seconds; name ends in `_seconds`.
    case histogram
  }

  /// By Prometheus' rules: `checkout_` and a base unit at the end.
  package let name: String
  /// How it behaves.
  package let kind: Kind
  /// Label names, in the order their values are given; few values each.
  package let labels: [String]
  /// One sentence, shown in the exposition.
  package let help: String

  package init(name: String, kind: Kind, labels: [String] = [], help: String) {
    self.name = name
    self.kind = kind
    self.labels = labels
    self.help = help
  }
}

extension MetricName {
  /// Messages taken from Kafka.
  package static let consumed = MetricName(
    name: "checkout_consumed_total", kind: .counter, labels: ["stage", "topic"], help: "Messages consumed.")
  /// Tombstones skipped.
  package static let tombstones = MetricName(
    name: "checkout_tombstones_total", kind: .counter, labels: ["stage"], help: "Messages without a value, skipped.")
  /// Messages published and committed.
  package static let published = MetricName(
    name: "checkout_published_total", kind: .counter, labels: ["stage", "topic"], help: "Messages published.")
  /// Outcomes and notices by type and code.
  package static let outcomes = MetricName(
    name: "checkout_outcomes_total", kind: .counter, labels: ["stage", "type", "code"],
    help: "Outcomes published, by event type and code.")
  /// Refusals by check.
  package static let refusals = MetricName(
    name: "checkout_refusals_total", kind: .counter, labels: ["check", "code"], help: "Refusals of the chain.")
  /// Dead letters by code.
  package static let deadLetters = MetricName(
    name: "checkout_dead_letters_total", kind: .counter, labels: ["stage", "code"], help: "Dead letters published.")
  /// Time in the validation chain.
  package static let chainLatency = MetricName(
    name: "checkout_chain_seconds", kind: .histogram, help: "Time one request spends in the chain of checks.")
  /// Time of one call to a service.
  package static let callLatency = MetricName(
    name: "checkout_call_seconds", kind: .histogram, labels: ["service", "operation"],
    help: "Time from sending a call to its answer.")
  /// Calls by result.
  package static let calls = MetricName(
    name: "checkout_calls_total", kind: .counter, labels: ["service", "operation", "result"],
    help: "Calls to services, by what became of them.")
  /// Time from the request's record to its outcome.
  package static let endToEnd = MetricName(
    name: "checkout_end_to_end_seconds", kind: .histogram, labels: ["stage"],
    help: "Time from the source record's timestamp to the commit of its outcome.")
  /// Time of a commit.
  package static let commitLatency = MetricName(
    name: "checkout_commit_seconds", kind: .histogram, labels: ["stage"], help: "Time of one commit of outputs.")
  /// Commits by result.
  package static let commits = MetricName(
    name: "checkout_commits_total", kind: .counter, labels: ["stage", "result"], help: "Commits, by how they ended.")
  /// Messages behind the last stable offset.
  package static let lag = MetricName(
    name: "checkout_lag_messages", kind: .gauge, labels: ["stage", "topic", "partition"],
    help: "Messages between the committed frontier and the last stable offset.")
  /// Messages in flight.
  package static let inFlight = MetricName(
    name: "checkout_in_flight_messages", kind: .gauge, labels: ["stage"], help: "Messages being worked on.")
  /// Depth of the window.
  package static let windowDepth = MetricName(
    name: "checkout_window_messages", kind: .gauge, labels: ["stage", "topic", "partition"],
    help: "Messages between the frontier and the newest one seen.")
  /// Bytes not committed.
  package static let heldBytes = MetricName(
    name: "checkout_held_bytes", kind: .gauge, labels: ["stage"],
    help: "Bytes of messages and outputs that are not committed.")
  /// Lanes in use.
  package static let lanes = MetricName(
    name: "checkout_lanes", kind: .gauge, labels: ["stage"], help: "Keys with a message in hand or waiting.")
  /// Whether intake is paused.
  package static let paused = MetricName(
    name: "checkout_paused", kind: .gauge, labels: ["stage", "cause"], help: "1 while intake is paused.")
  /// Rebalances.
  package static let rebalances = MetricName(
    name: "checkout_rebalances_total", kind: .counter, labels: ["stage", "kind"],
    help: "Assignments, revocations, losses.")
  /// Committed offsets that could not be gone on from.
  package static let positionsLost = MetricName(
    name: "checkout_positions_lost_total", kind: .counter, labels: ["stage"],
    help: "Partitions whose committed offset was not in the log any more.")
  /// Messages in the producer's queues.
  package static let queuedMessages = MetricName(
    name: "checkout_producer_queue_messages", kind: .gauge, labels: ["stage"],
    help: "Messages handed to the Kafka client and not delivered.")
  /// Their bytes.
  package static let queuedBytes = MetricName(
    name: "checkout_producer_queue_bytes", kind: .gauge, labels: ["stage"],
    help: "Bytes handed to the Kafka client and not delivered.")
  /// Brokers known.
  package static let brokersKnown = MetricName(
    name: "checkout_kafka_brokers", kind: .gauge, labels: ["stage", "client"], help: "Kafka brokers the client knows.")
  /// Brokers connected to.
  package static let brokersUp = MetricName(
    name: "checkout_kafka_brokers_up", kind: .gauge, labels: ["stage", "client"],
    help: "Kafka brokers the client is connected to.")
  /// Clients made again.
  package static let rebuilds = MetricName(
    name: "checkout_rebuilds_total", kind: .counter, labels: ["stage", "cause"],
    help: "Clients made again after an error.")
  /// Breaker state.
  package static let breaker = MetricName(
    name: "checkout_breaker_open", kind: .gauge, labels: ["service"], help: "1 open, 0.5 probing, 0 closed.")
  /// Journal writes.
  package static let journalWrites = MetricName(
    name: "checkout_journal_writes_total", kind: .counter, labels: ["stage", "result"],
    help: "Journal writes by result.")
  /// Time of a group commit.
  package static let journalLatency = MetricName(
    name: "checkout_journal_commit_seconds", kind: .histogram, help: "Time of one group commit of the journal.")
  /// Attempts waiting for reconciliation.
  package static let pending = MetricName(
    name: "checkout_pending_attempts", kind: .gauge, labels: ["type"], help: "Attempts waiting for reconciliation.")
  /// Age of the oldest attempt waiting for reconciliation.
  package static let pendingOldest = MetricName(
    name: "checkout_pending_oldest_seconds", kind: .gauge, labels: ["type"],
    help: "Age of the oldest attempt waiting for reconciliation.")
  /// Age of the oldest parked attempt.
  package static let parkedOldest = MetricName(
    name: "checkout_parked_oldest_seconds", kind: .gauge, help: "How long the oldest parked attempt has been waiting.")
  /// Attempts waiting for a person.
  package static let parked = MetricName(
    name: "checkout_parked_attempts", kind: .gauge, labels: ["reason"], help: "Attempts waiting for a person.")
  /// Build information.
  package static let build = MetricName(
    name: "checkout_build_info", kind: .gauge, labels: ["version"], help: "Always 1; the version is in the label.")
}
