// Metrics in Prometheus' text format, version 0.0.4.

enum PrometheusText {
  /// Histogram bounds: powers of two of a nanosecond, from about 66 µs to 137 s.
  private static let boundExponents = 16...37

  /// All series of one metric, with its help and type.
  static func family(_ name: MetricName, _ series: [(key: [String], value: MetricRegistry.Series)]) -> String {
    guard !series.isEmpty else { return "" }
    let help = escaped(name.help, quotes: false)
    var text = "# HELP \(name.name) \(help)\n# TYPE \(name.name) \(name.kind.rawValue)\n"
    for (values, metric) in series {
      let labels = zip(name.labels, values).map { "\($0)=\"\(escaped($1, quotes: true))\"" }
      switch metric {
      case .counter(let counter): text += line(name.name, labels, "\(counter.total)")
      case .gauge(let gauge): text += line(name.name, labels, number(gauge.value))
      case .histogram(let histogram): text += lines(name.name, labels, histogram.snapshot)
      }
    }
    return text
  }

  private static func lines(_ name: String, _ labels: [String], _ histogram: LogLinearHistogram) -> String {
    var text = ""
    for exponent in boundExponents {
      let bound = number(Double(Int64(1) << exponent) / 1_000_000_000)
      text += line(name + "_bucket", labels + ["le=\"\(bound)\""], "\(histogram.count(upToPowerOfTwo: exponent))")
    }
    text += line(name + "_bucket", labels + ["le=\"+Inf\""], "\(histogram.count)")
    text += line(name + "_sum", labels, number(Double(histogram.sum) / 1_000_000_000))
    return text + line(name + "_count", labels, "\(histogram.count)")
  }

  private static func line(_ name: String, _ labels: [String], _ value: String) -> String {
    labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels.joined(separator: ","))} \(value)\n"
  }

  private static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
    return value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
  }

  private static func escaped(_ text: String, quotes: Bool) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\"" where quotes: result += "\\\""
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
