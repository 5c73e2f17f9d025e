// The offsets of one partition between its frontier and the newest seen: a ring of small entries, found without a search
// where offsets are contiguous.

/// One message in the window. Plain numbers only; its bytes are in the `RecordSlab`.
struct WindowEntry {
  /// Valid transitions: waiting → ready → running ⇄ parked; running or parked → finished. `skipped` is never left.
  enum Phase: UInt8 {
    /// Behind others of its lane.
    case waiting
    /// May start; waits for room in flight.
    case ready
    /// With the stage.
    case running
    /// With the stage, outside the in-flight budget.
    case parked
    /// Done; its outputs are in the commit batch `batch`.
    case finished
    /// Finished and committed by an earlier owner: the committed set says so.
    case skipped
  }

  let offset: Int64
  /// Hash of its lane's key; `noLane`: none.
  let lane: UInt64
  /// Number of the commit batch that holds its outputs; `unfinished` or `heldBack` before.
  var batch = unfinished
  /// Index in the slab; -1: none any more.
  var record: Int32
  /// How many places further on the next one waiting in its lane stands; 0: none does.
  var nextInLane: Int32 = 0
  var phase: Phase
  let interrupting: Bool

  /// A message without a lane.
  static let noLane: UInt64 = 0
  /// Later than any batch.
  static let unfinished = Int.max
  /// Finished, but kept out of commits while the partition's finished set does not fit in its metadata.
  static let heldBack = Int.max - 1
  /// Earlier than any batch.
  static let committedBefore = 0
}

/// The window of one partition. A *place* is an entry's running number; it never changes while the entry lives.
struct OffsetWindow {
  private var ring: [WindowEntry]
  /// Place of the oldest entry.
  private(set) var first = 0
  /// One beyond the place of the newest.
  private(set) var end = 0
  /// One beyond the newest offset seen; before any: the committed offset; nil if there is none.
  private(set) var nextOffset: Int64?

  /// An empty window that begins at the committed offset.
  init(committed: Int64?) {
    ring = Array(repeating: OffsetWindow.vacant, count: 64)
    nextOffset = committed
  }

  private static let vacant = WindowEntry(
    offset: -1, lane: WindowEntry.noLane, record: -1, phase: .skipped, interrupting: false)

  /// Entries between the frontier and the newest offset.
  var count: Int { end - first }

  /// True if the offset lies in or before the window: it was seen, or is a gap that nothing can fill.
  func hasPassed(_ offset: Int64) -> Bool {
    guard let nextOffset else { return false }
    return offset < nextOffset
  }

  /// Adds the newest entry and returns its place. Precondition: its offset has not been passed.
  mutating func append(_ entry: WindowEntry) -> Int {
    precondition(!hasPassed(entry.offset), "offsets are appended in order")
    if count == ring.count { grow() }
    let place = end
    ring[place & (ring.count - 1)] = entry
    nextOffset = entry.offset + 1
    end += 1
    return place
  }

  /// The entry at a place. Precondition, here and below: the place is in the window.
  subscript(place: Int) -> WindowEntry { ring[index(of: place)] }

  /// Moves a message on.
  mutating func setPhase(of place: Int, to phase: WindowEntry.Phase) { ring[index(of: place)].phase = phase }

  /// The message is finished, its outputs are in this batch.
  mutating func setFinished(_ place: Int, batch: Int) {
    let index = index(of: place)
    ring[index].phase = .finished
    ring[index].batch = batch
  }

  /// The message's outputs are in another batch now.
  mutating func setBatch(of place: Int, to batch: Int) { ring[index(of: place)].batch = batch }

  /// The message behind which another one waits in its lane.
  mutating func setNextInLane(of place: Int, to next: Int) {
    ring[index(of: place)].nextInLane = Int32(next - place)
  }

  /// Takes the number of the message's record out; -1: it was taken before.
  mutating func takeRecord(of place: Int) -> Int32 {
    let index = index(of: place)
    let record = ring[index].record
    ring[index].record = -1
    return record
  }

  private func index(of place: Int) -> Int {
    precondition(place >= first && place < end, "no entry at this place")
    return place & (ring.count - 1)
  }

  /// Where an offset stands; nil if it is not in the window.
  func place(of offset: Int64) -> Int? {
    guard count > 0 else { return nil }
    let distance = offset - self[first].offset
    guard distance >= 0 else { return nil }
    // Offsets rise by at least one for each place, so the guess can only be too far.
    var high = distance < Int64(count) ? first + Int(distance) : end - 1
    if self[high].offset == offset { return high }
    var low = first
    while low <= high {
      let middle = low + (high - low) / 2
      let found = self[middle].offset
      if found == offset { return middle }
      if found < offset { low = middle + 1 } else { high = middle - 1 }
    }
    return nil
  }

  /// Forgets the entries at the front that are committed: those of batches up to `batch`.
  mutating func dropCommitted(through batch: Int) {
    while first < end, ring[first & (ring.count - 1)].batch <= batch { first += 1 }
  }

  /// Place of the first entry that is not in a batch up to `batch`; nil if all are.
  func firstOpen(after batch: Int) -> Int? {
    var place = first
    while place < end, ring[place & (ring.count - 1)].batch <= batch { place += 1 }
    return place < end ? place : nil
  }

  private mutating func grow() {
    var larger = Array(repeating: OffsetWindow.vacant, count: ring.count * 2)
    for place in first..<end { larger[place & (larger.count - 1)] = ring[place & (ring.count - 1)] }
    ring = larger
  }
}
