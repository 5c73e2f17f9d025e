// Everything the engine knows of one assigned partition.

/// One assigned partition: its window, and what an earlier owner finished beyond the frontier.
struct PartitionState {
  let partition: TopicPartition
  /// True if the group had no committed offset when the partition was assigned.
  let offsetsWereLost: Bool
  var window: OffsetWindow
  /// Messages that may start, oldest first.
  var ready = PlaceQueue()
  private(set) var carried: OffsetRanges
  /// Number of the batch that was open at the latest change, and of the latest batch whose job covers this partition.
  var changedIn = 0
  var snapshotIn = 0
  /// Finished messages kept out of commits because the finished set does not fit in the metadata.
  var heldBack: CommitBatch?
  /// Place of the first message taken in since the last `takeNews`.
  private var newsFrom = 0
  /// Offset and timestamp that the first record should have, if the log is still the one the carried set speaks of.
  private var expected: (offset: Int64, timestamp: Int64)?

  init(_ assigned: AssignedPartition, finished: FinishedSet?) {
    partition = assigned.partition
    offsetsWereLost = assigned.committed == nil
    window = OffsetWindow(committed: assigned.committed)
    carried = OffsetRanges(finished?.ranges ?? [])
    if let offset = assigned.committed, let timestamp = finished?.frontierTimestamp { expected = (offset, timestamp) }
  }

  /// True if intake has to wait until the frontier moves.
  var isOverfull: Bool { heldBack != nil }

  /// What becomes of a record at intake.
  enum Admission {
    /// It is to be taken in.
    case new
    /// The same, and the log is not the one the carried set speaks of: the set has been dropped.
    case newButDistrusted
    /// It was seen already, or lies before the committed offset.
    case duplicate
    /// An earlier owner has finished it.
    case finishedBefore
  }

  /// Looks at the next record; `batch` is the one that is open.
  mutating func admit(_ offset: Int64, timestamp: Int64, batch: Int) -> Admission {
    let isTrusted = expected == nil || recognises(offset, timestamp)
    guard !window.hasPassed(offset) else { return .duplicate }
    if window.nextOffset == nil {
      // The group has no offset here: commit where we began, so that a later loss can be told from a first start.
      changedIn = batch
    }
    guard !carried.isEmpty, carried.containsNext(offset) else { return isTrusted ? .new : .newButDistrusted }
    _ = window.append(
      WindowEntry(
        offset: offset, lane: WindowEntry.noLane, batch: WindowEntry.committedBefore, record: -1,
        phase: .skipped, interrupting: false))
    changedIn = batch
    return .finishedBefore
  }

  /// Asked once, with the first record: false if the log is not the one the carried set speaks of; the set is dropped then.
  private mutating func recognises(_ offset: Int64, _ timestamp: Int64) -> Bool {
    guard let expected else { return true }
    self.expected = nil
    guard offset == expected.offset, timestamp >= 0, timestamp != expected.timestamp else {
      return true
    }
    carried = OffsetRanges()
    return false
  }

  /// Places of the messages taken in since the last call that are still in the window.
  mutating func takeNews() -> Range<Int> {
    let news = max(newsFrom, window.first)..<window.end
    newsFrom = window.end
    return news
  }

  /// What to commit so that the batches up to `batch` are covered; nil if nothing was seen and nothing is committed, or if the
  /// finished set does not fit (`fits` is false then).
  func snapshot(through batch: Int, context: String, records: RecordSlab) -> (commit: PartitionCommit?, fits: Bool) {
    let openPlace = window.firstOpen(after: batch)
    let open = openPlace.map { place in window[place] }
    guard let frontier = open?.offset ?? window.nextOffset else { return (nil, true) }
    let timestamp = open.map { entry in records[entry.record].timestamp }
    var writer = FinishedSetWriter(context: context, frontierTimestamp: timestamp, frontier: frontier)
    if let openPlace {
      for place in openPlace..<window.end where !writer.isFull {
        let entry = window[place]
        writer.append(upTo: entry.offset + 1, finished: entry.batch <= batch)
      }
    }
    for range in carried.ranges where range.upperBound > writer.offset && !writer.isFull {
      writer.append(upTo: range.lowerBound, finished: false)
      writer.append(upTo: range.upperBound, finished: true)
    }
    guard let metadata = writer.finish() else { return (nil, false) }
    return (PartitionCommit(partition: partition, offset: frontier, metadata: metadata), true)
  }

  /// The batches up to `batch` are committed.
  mutating func dropCommitted(through batch: Int) {
    window.dropCommitted(through: batch)
    let frontier = window.count > 0 ? window[window.first].offset : window.nextOffset
    if let frontier { carried.drop(before: frontier) }
  }
}
