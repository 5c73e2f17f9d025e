// One worker's numbers in the process's registry: what it says is counted at once, what it is like is asked for at each reading.

import CheckoutCore
import CheckoutStages
import CheckoutWire
import KafkaAdapter
import Operations
import Synchronization
import WorkerEngine

/// Feeds the registry. Any thread.
final class WorkerMetrics: Sendable {
  private struct State {
    /// Counters as they were at the last reading.
    var counted = WorkerCounters()
    var consumer = KafkaStatistics(client: .consumer)
    /// Partitions that have series of their own, with the label values of these.
    var shown: Set<[String]> = []
    /// Counters met before, so that an event costs no search in the registry.
    var outcomes: [OutcomeKey: Counter] = [:]
  }

  private struct OutcomeKey: Hashable {
    let type: EventType
    let code: String
  }

  private let stage: String
  private let input: String
  private let topics: TopicNames
  private let registry: MetricRegistry
  private let commitLatency: Histogram
  private let state = Mutex(State())

  /// Metrics of the worker of `stage`, which consumes the topic `input`.
  init(stage: String, input: String, topics: TopicNames, registry: MetricRegistry) {
    self.stage = stage
    self.input = input
    self.topics = topics
    self.registry = registry
    commitLatency = registry.histogram(.commitLatency, [stage])
  }

  // MARK: What is told

  /// Counts what the engine says.
  func count(_ notice: WorkerNotice) {
    switch notice {
    case .committed(_, let nanoseconds): commitLatency.record(nanoseconds: nanoseconds)
    case .deadLettered(let code): registry.counter(.deadLetters, [stage, code]).add()
    case .outputRefused: registry.counter(.deadLetters, [stage, "output_refused"]).add()
    case .assigned, .offsetsMissing, .released, .finishedSetIgnored, .startedOver, .contextAdopted, .commitDropped,
      .stopping:
      break
    }
  }

  /// Counts an event that a stage publishes.
  func count(_ event: PipelineEvent) {
    registry.counter(.published, [stage, topics.name(event.type.topic)]).add()
    guard event.type.topic == .outcomes || event.type.topic == .rejections else { return }
    let key = OutcomeKey(type: event.type, code: event.code)
    let counter = state.withLock { state in
      if let known = state.outcomes[key] { return known }
      let counter = registry.counter(.outcomes, [stage, key.type.rawValue, key.code])
      state.outcomes[key] = counter
      return counter
    }
    counter.add()
  }

  /// Clients were made anew.
  func countRebuild(wasFenced: Bool) { registry.counter(.rebuilds, [stage, wasFenced ? "fenced" : "broken"]).add() }

  /// Keeps what a client tells of itself.
  func take(_ statistics: KafkaStatistics) {
    let client = statistics.client.rawValue
    registry.gauge(.brokersUp, [stage, client]).set(Double(statistics.brokersUp))
    registry.gauge(.brokersKnown, [stage, client]).set(Double(statistics.brokersKnown))
    switch statistics.client {
    case .consumer: state.withLock { $0.consumer = statistics }
    case .producer:
      registry.gauge(.queuedMessages, [stage]).set(Double(statistics.queuedMessages))
      registry.gauge(.queuedBytes, [stage]).set(Double(statistics.queuedBytes))
    }
  }

  /// Shows what reconciliation has in hand.
  func show(_ backlog: Backlog) {
    for type in Backlog.types {
      registry.gauge(.pending, [type.rawValue]).set(Double(backlog.counts[type] ?? 0))
      registry.gauge(.pendingOldest, [type.rawValue]).set(Double((backlog.oldest[type] ?? .zero).nanoseconds) / 1e9)
    }
  }

  // MARK: What is asked for

  /// Brings the registry up to date with the worker's health; nil: it has not begun.
  func refresh(_ health: WorkerHealth?) {
    guard let health else { return }
    registry.gauge(.inFlight, [stage]).set(Double(health.inFlight + health.parked))
    registry.gauge(.lanes, [stage]).set(Double(health.lanes))
    registry.gauge(.heldBytes, [stage]).set(Double(health.heldBytes))
    registry.gauge(.paused, [stage, "stage"]).set(health.stageWantsPause ? 1 : 0)
    registry.gauge(.paused, [stage, "buffers"]).set(health.paused > 0 && !health.stageWantsPause ? 1 : 0)
    state.withLock { state in
      count(health.counters, after: state.counted)
      state.counted = health.counters
      show(health.partitionList, &state)
    }
  }

  private func count(_ now: WorkerCounters, after before: WorkerCounters) {
    func add(_ name: MetricName, _ labels: [String], _ field: KeyPath<WorkerCounters, Int>) {
      registry.counter(name, labels).add(UInt64(max(0, now[keyPath: field] - before[keyPath: field])))
    }
    add(.consumed, [stage, input], \.accepted)
    add(.commits, [stage, "committed"], \.commits)
    add(.commits, [stage, "dropped"], \.commitsDropped)
    add(.commits, [stage, "refused"], \.outputsRefused)
    add(.rebalances, [stage, "assigned"], \.assignments)
    add(.rebalances, [stage, "revoked"], \.revocations)
    add(.rebalances, [stage, "lost"], \.losses)
    add(.positionsLost, [stage], \.startsOver)
  }

  private func show(_ partitions: [PartitionHealth], _ state: inout State) {
    var shown: Set<[String]> = []
    for partition in partitions {
      let labels = [stage, partition.partition.topic, String(partition.partition.partition)]
      shown.insert(labels)
      registry.gauge(.windowDepth, labels).set(Double(partition.windowDepth))
      if let lag = partition.lag(state.consumer.partitions[partition.partition]) {
        registry.gauge(.lag, labels).set(Double(lag))
      } else {
        registry.remove(.lag, labels)
      }
    }
    for gone in state.shown.subtracting(shown) {
      registry.remove(.windowDepth, gone)
      registry.remove(.lag, gone)
    }
    state.shown = shown
  }
}

extension PartitionHealth {
  /// Messages between the frontier and the last stable offset; nil: the broker has not told yet. What the log has dropped does
  /// not count, and neither do the offsets of markers and aborted messages behind the last message there is.
  func lag(_ log: KafkaStatistics.Partition?) -> Int64? {
    guard let log, let end = log.stableEnd else { return nil }
    if windowDepth == 0, !isPaused, let next = log.nextFetch, next >= end { return 0 }
    let start = log.logStart ?? 0
    return max(0, end - max(frontier ?? start, start))
  }
}

extension AttemptState {
  /// Why it has failed; empty if it has not.
  fileprivate var failure: String {
    switch self {
    case .failed(let reason): reason.rawValue
    case .reserving, .charging, .receipting, .receiptPending, .releasing, .refunding, .completed, .cancelled: ""
    }
  }
}

extension PipelineEvent {
  /// What an outcome says beside its type: the code of the first refusal, the reason of a failure, `replayed` for a copy.
  fileprivate var code: String {
    switch body {
    case .rejected(let refusals, _): refusals.first?.code.rawValue ?? ""
    case .outcome(let attempt, let replayed): replayed ? "replayed" : attempt.state.failure
    case .parked(let attempt): attempt.parked?.reason.rawValue ?? ""
    case .receiptPending, .validated, .refused, .cancelRequested, .pendingWork, .personsWord: ""
    }
  }
}
