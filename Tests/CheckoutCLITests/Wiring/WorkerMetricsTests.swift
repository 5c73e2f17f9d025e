// A worker's numbers as a scraper reads them.

import Foundation
import KafkaAdapter
import Operations
import Testing
import WorkerEngine

@testable import CheckoutCLI
@testable import CheckoutStages

@Suite("Worker metrics")
struct WorkerMetricsTests {
  private let registry = MetricRegistry()
  private let metrics: WorkerMetrics
  private static let first = TopicPartition(topic: "checkout.validated", partition: 0)
  private static let second = TopicPartition(topic: "checkout.validated", partition: 1)

  init() {
    metrics = WorkerMetrics(
      stage: "facade", input: "checkout.validated", topics: TopicNames(), registry: registry)
  }

  private func value(_ series: String) -> String? {
    let line = registry.exposition().split(separator: "\n").first { line in line.hasPrefix(series + " ") }
    return line?.split(separator: " ").last.map(String.init)
  }

  private func lag(_ partition: Int) -> String? {
    value("checkout_lag_messages{stage=\"facade\",topic=\"checkout.validated\",partition=\"\(partition)\"}")
  }

  private func health(_ partitions: [PartitionHealth]) -> WorkerHealth {
    var health = WorkerHealth()
    health.assigned = true
    health.partitionList = partitions
    return health
  }

  private func log(start: Int64?, end: Int64?, next: Int64?) -> KafkaStatistics {
    var statistics = KafkaStatistics(client: .consumer)
    statistics.partitions = [Self.first: .init(logStart: start, stableEnd: end, nextFetch: next)]
    return statistics
  }

  private func part(
    _ partition: TopicPartition = first, frontier: Int64?, depth: Int = 0, paused: Bool = false
  ) -> PartitionHealth {
    PartitionHealth(partition: partition, frontier: frontier, windowDepth: depth, isPaused: paused)
  }

  @Test("lag counts from the frontier to the last stable offset")
  func lag() {
    metrics.take(log(start: 0, end: 100, next: 60))
    metrics.refresh(health([part(frontier: 40, depth: 20)]))
    #expect(lag(0) == "60")
  }

  @Test("what the log has dropped is no lag")
  func dropped() {
    metrics.take(log(start: 90, end: 100, next: 90))
    metrics.refresh(health([part(frontier: 40)]))
    #expect(lag(0) == "10")
    metrics.refresh(health([part(frontier: nil)]))
    #expect(lag(0) == "10")
  }

  @Test("a marker behind the last message is no lag, unless intake is paused and nobody can tell")
  func caughtUp() {
    metrics.take(log(start: 0, end: 101, next: 101))
    metrics.refresh(health([part(frontier: 100)]))
    #expect(lag(0) == "0")
    metrics.refresh(health([part(frontier: 100, paused: true)]))
    #expect(lag(0) == "1")
  }

  @Test("it is never negative, and absent while the broker has not told an end")
  func unknown() {
    metrics.take(log(start: 0, end: 10, next: 10))
    metrics.refresh(health([part(frontier: 12, depth: 1)]))
    #expect(lag(0) == "0")
    metrics.take(log(start: nil, end: nil, next: 0))
    metrics.refresh(health([part(frontier: 12, depth: 1)]))
    #expect(lag(0) == nil)
  }

  @Test("a partition that was given back vanishes, with its window")
  func revoked() {
    metrics.take(log(start: 0, end: 10, next: 5))
    metrics.refresh(health([part(frontier: 5), part(Self.second, frontier: 3, depth: 2)]))
    #expect(registry.exposition().contains("partition=\"1\""))
    metrics.refresh(health([part(frontier: 5)]))
    #expect(lag(0) == "5")
    #expect(!registry.exposition().contains("partition=\"1\""))
    metrics.refresh(WorkerHealth())
    #expect(!registry.exposition().contains("partition="))
  }

  @Test("counters grow by what has come since the last reading")
  func counters() {
    var health = WorkerHealth()
    health.counters.accepted = 7
    health.counters.losses = 1
    metrics.refresh(health)
    health.counters.accepted = 9
    metrics.refresh(health)
    #expect(value("checkout_consumed_total{stage=\"facade\",topic=\"checkout.validated\"}") == "9")
    #expect(value("checkout_rebalances_total{stage=\"facade\",kind=\"lost\"}") == "1")
  }

  @Test("commits and dead letters are counted as they happen")
  func notices() {
    metrics.count(WorkerNotice.committed(outputs: 3, nanoseconds: 2_000_000))
    metrics.count(WorkerNotice.deadLettered(code: "malformed_event"))
    metrics.count(WorkerNotice.deadLettered(code: "malformed_event"))
    #expect(value("checkout_commit_seconds_count{stage=\"facade\"}") == "1")
    #expect(value("checkout_dead_letters_total{stage=\"facade\",code=\"malformed_event\"}") == "2")
  }

  /// Debian's package prometheus has it; another place may be named.
  private static let promtool = ProcessInfo.processInfo.environment["PROMTOOL"] ?? "/usr/bin/promtool"

  @Test(
    "promtool finds nothing wrong with the text",
    .enabled(if: FileManager.default.isExecutableFile(atPath: promtool), "promtool is not installed"))
  func acceptedByPromtool() throws {
    notices()
    metrics.take(log(start: 0, end: 100, next: 60))
    metrics.refresh(health([part(frontier: 40, depth: 20)]))
    let folder = try TestFolder()
    let file = try folder.file("metrics.txt", registry.exposition())
    let finished = try RunningProgram("/bin/sh", ["-c", "\(Self.promtool) check metrics < \(file)"]).finish()
    #expect(finished.ending == .exit(0), "\(finished.output)\(finished.errors)")
  }
}
