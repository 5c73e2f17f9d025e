// The finished offsets a former owner left in the commit's metadata, carried along until the frontier has passed them.

/// Ascending, disjoint, non-empty ranges of offsets, asked for in ascending order.
struct OffsetRanges {
  private(set) var ranges: [Range<Int64>]
  /// Index of the first range not wholly before the offsets asked for so far.
  private var cursor = 0

  init(_ ranges: [Range<Int64>] = []) {
    self.ranges = ranges
  }

  var isEmpty: Bool { ranges.isEmpty }

  /// Whether the offset is in a range. Offsets must be asked for in ascending order.
  mutating func containsNext(_ offset: Int64) -> Bool {
    while cursor < ranges.count, ranges[cursor].upperBound <= offset { cursor += 1 }
    return cursor < ranges.count && ranges[cursor].lowerBound <= offset
  }

  /// Forgets the ranges that end at or before the frontier.
  mutating func drop(before frontier: Int64) {
    var passed = 0
    while passed < ranges.count, ranges[passed].upperBound <= frontier { passed += 1 }
    guard passed > 0 else { return }
    ranges.removeFirst(passed)
    cursor = max(0, cursor - passed)
  }
}
