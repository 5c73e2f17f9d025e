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
  /// Offset and timestamp that the first record should have, if the log is still the one that was read before.
  private var expected: (offset: Int64, timestamp: Int64)?
  /// The time of the record just before the window's next offset; nil: unknown.
  private var newestTimestamp: Int64?
  /// The log is another one than that of the committed offset: none of its records is taken.
  private(set) var isOtherLog = false

  init(_ assigned: AssignedPartition, finished: FinishedSet?) {
    partition = assigned.partition
    offsetsWereLost = assigned.committed == nil
    window = OffsetWindow(committed: assigned.committed)
    carried = OffsetRanges(finished?.ranges ?? [])
    guard let offset = assigned.committed else { return }
    newestTimestamp = finished?.previousTimestamp
    if let timestamp = finished?.frontierTimestamp {
      expected = (offset, timestamp)
    } else if let timestamp = finished?.previousTimestamp {
      expected = (offset - 1, timestamp)
    }
  }

  /// True if the record before the committed offset is to be looked at first: it tells whether this is the log that was read.
  var startsOneBefore: Bool {
    expected.map { expected in expected.offset == window.nextOffset.map { $0 - 1 } } ?? false
  }

  /// True if intake has to wait until the frontier moves.
  var isOverfull: Bool { heldBack != nil }

  /// Everything before it is done and committed; nil: nothing was seen and nothing is committed.
  var frontier: Int64? { window.count > 0 ? window[window.first].offset : window.nextOffset }

  /// What becomes of a record at intake.
  enum Admission {
    /// It is to be taken in.
    case new
    /// The log is not the one that was committed for: nothing of it is taken.
    case otherLog
    /// It was seen already, or lies before the committed offset.
    case duplicate
    /// An earlier owner has finished it.
    case finishedBefore
  }

  /// Looks at the next record; `batch` is the one that is open.
  mutating func admit(_ offset: Int64, timestamp: Int64, batch: Int) -> Admission {
    if expected != nil { isOtherLog = !recognises(offset, timestamp) }
    guard !isOtherLog else { return .otherLog }
    guard !window.hasPassed(offset) else { return .duplicate }
    if window.nextOffset == nil {
      // The group has no offset here: commit where we began, so that a later loss can be told from a first start.
      changedIn = batch
    }
    newestTimestamp = timestamp
    guard !carried.isEmpty, carried.containsNext(offset) else { return .new }
    _ = window.append(
      WindowEntry(
        offset: offset, lane: WindowEntry.noLane, batch: WindowEntry.committedBefore, record: -1,
        phase: .skipped, interrupting: false))
    changedIn = batch
    return .finishedBefore
  }

  /// Asked once, with the first record: false if the log is not the one that was read before.
  private mutating func recognises(_ offset: Int64, _ timestamp: Int64) -> Bool {
    guard let expected else { return true }
    self.expected = nil
    return offset != expected.offset || timestamp < 0 || timestamp == expected.timestamp
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
    var writer = FinishedSetWriter(
      context: context, frontierTimestamp: timestamp, previousTimestamp: open == nil ? newestTimestamp : nil,
      frontier: frontier)
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
    if let frontier { carried.drop(before: frontier) }
  }
}
