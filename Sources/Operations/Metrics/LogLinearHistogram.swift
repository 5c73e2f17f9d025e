// A histogram of spans with bounded relative error: a fixed table of counters, cheap to record into and to merge.

/// Counts of non-negative 64-bit values in buckets whose width is at most 1/32 of their value, so that every quantile
/// is off by 3.2 % at most. About 15 KiB.
package struct LogLinearHistogram: Hashable, Sendable {
  private static let subBucketBits = 5
  private static let subBuckets = 1 << subBucketBits

  private var counts: [UInt64]
  /// Number of values recorded.
  package private(set) var count: UInt64 = 0
  /// Their sum; saturates.
  package private(set) var sum: Int64 = 0
  /// The largest; 0 when nothing was recorded.
  package private(set) var maximum: Int64 = 0

  /// An empty histogram.
  package init() {
    counts = Array(repeating: 0, count: (64 - Self.subBucketBits) * Self.subBuckets)
  }

  /// Counts one value; a negative one (a clock that was set) counts as 0.
  package mutating func record(_ value: Int64) {
    let value = max(0, value)
    counts[Self.index(of: value)] += 1
    count += 1
    let (total, overflow) = sum.addingReportingOverflow(value)
    sum = overflow ? .max : total
    maximum = max(maximum, value)
  }

  /// Adds everything another one has counted.
  package mutating func merge(_ other: LogLinearHistogram) {
    for index in counts.indices { counts[index] += other.counts[index] }
    count += other.count
    let (total, overflow) = sum.addingReportingOverflow(other.sum)
    sum = overflow ? .max : total
    maximum = max(maximum, other.maximum)
  }

  /// The value that `fraction` (0…1) of all values do not exceed, rounded up to its bucket's end; 0 when empty.
  package func quantile(_ fraction: Double) -> Int64 {
    guard count > 0 else { return 0 }
    let rank = UInt64((Double(count) * min(max(fraction, 0), 1)).rounded(.up))
    var seen: UInt64 = 0
    for index in counts.indices {
      seen += counts[index]
      if seen >= max(rank, 1) { return min(Self.upperEnd(of: index), maximum) }
    }
    return maximum
  }

  /// How many values are at most 2^`exponent`; exact, because powers of two are bucket ends.
  package func count(upToPowerOfTwo exponent: Int) -> UInt64 {
    let last = Self.index(of: Int64(1) << min(max(exponent, 0), 62))
    return counts[...last].reduce(0, +)
  }

  /// Buckets hold (lower, upper]: the value less one decides, so that powers of two end a bucket.
  private static func index(of value: Int64) -> Int {
    let shifted = UInt64(max(0, value - 1))
    let significant = 64 - shifted.leadingZeroBitCount
    let shift = max(0, significant - subBucketBits - 1)
    return shift * subBuckets + Int(shifted >> UInt64(shift))
  }

  private static func upperEnd(of index: Int) -> Int64 {
    // The first two rows are linear; from there on each row doubles the width.
    let shift = max(0, index / subBuckets - 1)
    let (end, overflow) = (Int64(index - shift * subBuckets) + 1).multipliedReportingOverflow(by: Int64(1) << shift)
    return overflow ? .max : end
  }
}
