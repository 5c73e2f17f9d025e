// Which offsets of a partition are done, for commands that work through a topic piece by piece: kept as a committed offset and its
// metadata, in the same form as a worker's finished set.

/// A frontier (everything before it is done) and what is done beyond it.
package struct OffsetLedger: Hashable, Sendable {
  /// Everything before it is done.
  package private(set) var frontier: Int64
  /// Ascending, disjoint, not empty, all beyond the frontier.
  private var done: [Range<Int64>]

  /// Nothing is done from `frontier` on.
  package init(frontier: Int64) {
    self.frontier = frontier
    done = []
  }

  /// What was committed. Throws if the metadata is not ours or damaged.
  package init(frontier: Int64, metadata: String) throws(FinishedSetUnreadable) {
    self.init(frontier: frontier)
    for range in try FinishedSet.decode(metadata, frontier: frontier)?.ranges ?? [] { mark(range) }
  }

  /// True if the offset is done.
  package func contains(_ offset: Int64) -> Bool { offset < frontier || done.contains { $0.contains(offset) } }

  /// These offsets are done. What lies between two records and is none (markers, compacted records) belongs to the later one.
  package mutating func mark(_ range: Range<Int64>) {
    guard !range.isEmpty else { return }
    var lower = max(range.lowerBound, frontier)
    var upper = range.upperBound
    var kept: [Range<Int64>] = []
    for other in done {
      if other.upperBound < lower || upper < other.lowerBound {
        kept.append(other)
      } else {
        lower = min(lower, other.lowerBound)
        upper = max(upper, other.upperBound)
      }
    }
    if lower < upper { kept.append(lower..<upper) }
    done = kept.sorted { $0.lowerBound < $1.lowerBound }
    while let first = done.first, first.lowerBound <= frontier {
      frontier = max(frontier, first.upperBound)
      done.removeFirst()
    }
  }

  /// The metadata to commit with the frontier; nil: too many separate pieces for what Kafka stores.
  package var metadata: String? {
    var writer = FinishedSetWriter(context: "", frontierTimestamp: nil, frontier: frontier)
    for range in done {
      writer.append(upTo: range.lowerBound, finished: false)
      writer.append(upTo: range.upperBound, finished: true)
      if writer.isFull { return nil }
    }
    return writer.finish()
  }
}
