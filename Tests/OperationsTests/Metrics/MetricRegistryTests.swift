// Tests of metrics: what is counted is shown, in Prometheus' format, byte by byte.

import Testing

@testable import Operations

@Suite("Metrics")
struct MetricRegistryTests {
  private let registry = MetricRegistry()
  private let requests = MetricName(name: "x_total", kind: .counter, labels: ["stage"], help: "All.")
  private let depth = MetricName(name: "depth", kind: .gauge, help: "A \\ and\na break.")
  private let latency = MetricName(name: "t_seconds", kind: .histogram, labels: ["s"], help: "Time.")

  @Test("counters and gauges, sorted, labels escaped")
  func exposition() {
    registry.counter(requests, ["validation"]).add(3)
    registry.counter(requests, ["a\"b\\c\nd"]).add()
    registry.gauge(depth).set(2.5)
    #expect(
      registry.exposition() == """
        # HELP depth A \\\\ and\\na break.
        # TYPE depth gauge
        depth 2.5
        # HELP x_total All.
        # TYPE x_total counter
        x_total{stage="a\\"b\\\\c\\nd"} 1
        x_total{stage="validation"} 3

        """)
  }

  @Test("one name with the same labels is one metric; a removed series is gone")
  func identity() {
    registry.counter(requests, ["a"]).add()
    registry.counter(requests, ["a"]).add()
    #expect(registry.counter(requests, ["a"]).total == 2)
    registry.remove(requests, ["a"])
    #expect(registry.exposition() == "")
  }

  @Test("a histogram shows cumulative buckets, sum and count in seconds")
  func histogram() {
    let histogram = registry.histogram(latency, ["f"])
    histogram.record(nanoseconds: 65_536)
    histogram.record(nanoseconds: 65_537)
    histogram.record(nanoseconds: 1_000_000_000)
    let lines = registry.exposition().split(separator: "\n").map(String.init)
    #expect(lines[1] == "# TYPE t_seconds histogram")
    #expect(lines[2] == "t_seconds_bucket{s=\"f\",le=\"6.5536e-05\"} 1")
    #expect(lines[3] == "t_seconds_bucket{s=\"f\",le=\"0.000131072\"} 2")
    #expect(lines.contains("t_seconds_bucket{s=\"f\",le=\"1.073741824\"} 3"))
    #expect(
      lines.suffix(3) == [
        "t_seconds_bucket{s=\"f\",le=\"+Inf\"} 3", "t_seconds_sum{s=\"f\"} 1.000131073", "t_seconds_count{s=\"f\"} 3",
      ])
  }

  @Test("quantiles are within 3.2 % above the true value")
  func quantiles() {
    var histogram = LogLinearHistogram()
    for value in 1...100_000 { histogram.record(Int64(value)) }
    for (fraction, exact) in [(0.5, 50_000.0), (0.99, 99_000), (0.999, 99_900)] {
      let found = Double(histogram.quantile(fraction))
      #expect(found >= exact && found <= exact * 1.032)
    }
    #expect(histogram.quantile(1) == 100_000)
    #expect(histogram.quantile(0) == 1)
    #expect(LogLinearHistogram().quantile(0.5) == 0)
  }

  @Test("the ends of the range are counted, and merging adds")
  func ends() {
    var histogram = LogLinearHistogram()
    for value: Int64 in [.min, -1, 0, 1, .max] { histogram.record(value) }
    #expect(histogram.count == 5)
    #expect(histogram.sum == .max)
    #expect(histogram.quantile(1) == .max)
    #expect(histogram.count(upToPowerOfTwo: 0) == 4)
    var other = LogLinearHistogram()
    other.record(7)
    histogram.merge(other)
    #expect(histogram.count == 6)
  }
}
