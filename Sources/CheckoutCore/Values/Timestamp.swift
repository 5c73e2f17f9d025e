// A point on the wall clock, as a value: Core never reads a clock, it is told the time.

/// A point in time in nanoseconds since 1970-01-01T00:00:00Z (UTC, no leap seconds).
///
/// Range: about the years 1677 to 2262; arithmetic saturates at both ends instead of trapping, so that a date far
/// away in a message cannot stop a worker.
package struct Timestamp: Hashable, Comparable, Sendable {
  /// Nanoseconds since the Unix epoch; negative before it.
  package let nanoseconds: Int64

  /// The time that lies `nanoseconds` after the Unix epoch.
  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// The time that lies `milliseconds` after the Unix epoch, saturating.
  package init(milliseconds: Int64) {
    let (value, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    nanoseconds = overflow ? (milliseconds < 0 ? .min : .max) : value
  }

  /// Whole milliseconds since the Unix epoch, rounded down.
  package var milliseconds: Int64 {
    let quotient = nanoseconds / 1_000_000
    return nanoseconds % 1_000_000 < 0 ? quotient - 1 : quotient
  }

  /// The latest time there is; stands for "never ends".
  package static let distantFuture = Timestamp(nanoseconds: .max)

  package static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// `time` moved by `span`, saturating.
  package static func + (time: Timestamp, span: TimeSpan) -> Timestamp {
    let (sum, overflow) = time.nanoseconds.addingReportingOverflow(span.nanoseconds)
    return Timestamp(nanoseconds: overflow ? (span.nanoseconds < 0 ? .min : .max) : sum)
  }

  /// `time` moved back by `span`, saturating.
  package static func - (time: Timestamp, span: TimeSpan) -> Timestamp {
    let (difference, overflow) = time.nanoseconds.subtractingReportingOverflow(span.nanoseconds)
    return Timestamp(nanoseconds: overflow ? (span.nanoseconds < 0 ? .max : .min) : difference)
  }

  /// The span from `right` to `left`, saturating.
  package static func - (left: Timestamp, right: Timestamp) -> TimeSpan {
    let (difference, overflow) = left.nanoseconds.subtractingReportingOverflow(right.nanoseconds)
    return TimeSpan(nanoseconds: overflow ? (left.nanoseconds < right.nanoseconds ? .min : .max) : difference)
  }
}

/// A length of time in nanoseconds; arithmetic saturates.
package struct TimeSpan: Hashable, Comparable, Sendable {
  /// Length in nanoseconds; may be negative.
  package let nanoseconds: Int64

  /// A span of `nanoseconds`.
  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// A span of `count` milliseconds, saturating.
  package static func milliseconds(_ count: Int64) -> TimeSpan {
    let (value, overflow) = count.multipliedReportingOverflow(by: 1_000_000)
    return TimeSpan(nanoseconds: overflow ? (count < 0 ? .min : .max) : value)
  }

  /// A span of `count` seconds, saturating.
  package static func seconds(_ count: Int64) -> TimeSpan {
    let (value, overflow) = count.multipliedReportingOverflow(by: 1_000_000_000)
    return TimeSpan(nanoseconds: overflow ? (count < 0 ? .min : .max) : value)
  }

  /// A span of `count` hours, saturating.
  package static func hours(_ count: Int64) -> TimeSpan { seconds(count * 3600) }

  /// Whole milliseconds, rounded towards zero.
  package var milliseconds: Int64 { nanoseconds / 1_000_000 }

  /// No time at all.
  package static let zero = TimeSpan(nanoseconds: 0)

  package static func < (left: TimeSpan, right: TimeSpan) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  package static func + (left: TimeSpan, right: TimeSpan) -> TimeSpan {
    let (sum, overflow) = left.nanoseconds.addingReportingOverflow(right.nanoseconds)
    return TimeSpan(nanoseconds: overflow ? (right.nanoseconds < 0 ? .min : .max) : sum)
  }

  package static func - (left: TimeSpan, right: TimeSpan) -> TimeSpan {
    let (difference, overflow) = left.nanoseconds.subtractingReportingOverflow(right.nanoseconds)
    return TimeSpan(nanoseconds: overflow ? (right.nanoseconds < 0 ? .max : .min) : difference)
  }
}
