// Parked attempts as gauges, read from the journal whenever somebody reads the metrics.

import CheckoutCore
import Operations

/// Feeds the registry. Any thread.
final class ParkedMetrics: Sendable {
  private let reader: any JournalReader
  private let registry: MetricRegistry
  private let now: @Sendable () -> Timestamp

  init(_ reader: any JournalReader, registry: MetricRegistry, now: @escaping @Sendable () -> Timestamp) {
    self.reader = reader
    self.registry = registry
    self.now = now
  }

  /// Reads the journal; what cannot be read stays as it was.
  func refresh() {
    guard let views = try? reader.parked() else { return }
    var counts: [ParkReason: Int] = [:]
    var since = now()
    for parked in views.compactMap(\.attempt.parked) {
      counts[parked.reason, default: 0] += 1
      since = min(since, parked.at)
    }
    for reason in ParkReason.allCases { registry.gauge(.parked, [reason.rawValue]).set(Double(counts[reason] ?? 0)) }
    registry.gauge(.parkedOldest).set(Double((now() - since).nanoseconds) / 1e9)
  }
}
