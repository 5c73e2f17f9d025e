// The process's metrics: made once, written to from any thread, read as Prometheus text.

import Synchronization

/// A count that only grows. Any thread; never blocks.
package final class Counter: Sendable {
  private let value = Atomic<UInt64>(0)

  fileprivate init() {}

  /// Adds `count`, 1 unless told otherwise.
  package func add(_ count: UInt64 = 1) { value.wrappingAdd(count, ordering: .relaxed) }

  /// The count so far.
  package var total: UInt64 { value.load(ordering: .relaxed) }
}

/// A value that goes up and down. Any thread; never blocks.
package final class Gauge: Sendable {
  private let bits = Atomic<UInt64>(Double(0).bitPattern)

  fileprivate init() {}

  /// Replaces the value.
  package func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

  /// The value as last set; 0 before.
  package var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }
}

/// Spans. Any thread; a short lock each.
package final class Histogram: Sendable {
  private let values = Mutex(LogLinearHistogram())

  fileprivate init() {}

  /// Counts one span, in nanoseconds.
  package func record(nanoseconds: Int64) { values.withLock { $0.record(nanoseconds) } }

  /// A copy of everything counted so far.
  package var snapshot: LogLinearHistogram { values.withLock { $0 } }
}

/// All metrics of the process, by name and label values.
///
/// Ask for a metric once and keep it: the look-up locks, the metric does not.
package final class MetricRegistry: Sendable {
  /// One metric with one set of label values.
  enum Series {
    case counter(Counter)
    case gauge(Gauge)
    case histogram(Histogram)
  }

  private let series = Mutex<[MetricName: [[String]: Series]]>([:])
  private let sources = Mutex<[@Sendable () -> Void]>([])

  /// A registry without metrics.
  package init() {}

  /// The counter with these label values, made on first use. Precondition: `name` is a counter, one value each label.
  package func counter(_ name: MetricName, _ labels: [String] = []) -> Counter {
    guard case .counter(let counter) = find(name, labels, kind: .counter, make: { .counter(Counter()) }) else {
      preconditionFailure("\(name.name) is a \(name.kind.rawValue)")
    }
    return counter
  }

  /// The gauge with these label values, made on first use. Precondition: `name` is a gauge, one value each label.
  package func gauge(_ name: MetricName, _ labels: [String] = []) -> Gauge {
    guard case .gauge(let gauge) = find(name, labels, kind: .gauge, make: { .gauge(Gauge()) }) else {
      preconditionFailure("\(name.name) is a \(name.kind.rawValue)")
    }
    return gauge
  }

  /// The histogram with these label values, made on first use. Precondition: `name` is a histogram, one value each
  /// label.
  package func histogram(_ name: MetricName, _ labels: [String] = []) -> Histogram {
    guard case .histogram(let found) = find(name, labels, kind: .histogram, make: { .histogram(Histogram()) }) else {
      preconditionFailure("\(name.name) is a \(name.kind.rawValue)")
    }
    return found
  }

  /// Forgets the series with these label values, for example of a partition that was given back.
  package func remove(_ name: MetricName, _ labels: [String]) {
    series.withLock { $0[name]?[labels] = nil }
  }

  /// `refresh` is called before each reading, on the reader's thread: for metrics that are cheaper to ask for than to keep.
  package func onReading(_ refresh: @escaping @Sendable () -> Void) {
    sources.withLock { $0.append(refresh) }
  }

  /// Everything as Prometheus text (exposition format 0.0.4), sorted, so that two readings can be compared.
  package func exposition() -> String {
    for refresh in sources.withLock({ $0 }) { refresh() }
    let all = series.withLock { $0 }
    return all.sorted { $0.key.name < $1.key.name }
      .map { PrometheusText.family($0.key, $0.value.sorted { $0.key.lexicographicallyPrecedes($1.key) }) }.joined()
  }

  private func find(_ name: MetricName, _ labels: [String], kind: MetricName.Kind, make: () -> Series) -> Series {
    precondition(name.kind == kind, "\(name.name) is a \(name.kind.rawValue)")
    precondition(name.labels.count == labels.count, "\(name.name) has the labels \(name.labels)")
    return series.withLock { series in
      if let found = series[name]?[labels] { return found }
      let made = make()
      series[name, default: [:]][labels] = made
      return made
    }
  }
}
