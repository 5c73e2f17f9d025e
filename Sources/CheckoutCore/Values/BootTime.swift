// A clock for waiting and for leases: never set, and running through suspend.

/// A point on the worker's own clock, in nanoseconds since the machine started; it runs on while the machine sleeps.
package struct BootTime: Hashable, Comparable, Sendable {
  /// Since the machine started; comparable within one process only.
  package let nanoseconds: Int64

  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Later than any time there is.
  package static let never = BootTime(nanoseconds: .max)

  package static func < (left: BootTime, right: BootTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// `time` moved by `span`, saturating.
  package static func + (time: BootTime, span: TimeSpan) -> BootTime {
    let (sum, overflow) = time.nanoseconds.addingReportingOverflow(span.nanoseconds)
    return BootTime(nanoseconds: overflow ? (span.nanoseconds < 0 ? .min : .max) : sum)
  }

  /// The span from `right` to `left`, saturating.
  package static func - (left: BootTime, right: BootTime) -> TimeSpan {
    let (difference, overflow) = left.nanoseconds.subtractingReportingOverflow(right.nanoseconds)
    return TimeSpan(nanoseconds: overflow ? (left.nanoseconds < right.nanoseconds ? .min : .max) : difference)
  }
}
