// The open lanes of an assignment, found by the hash of partition and key: open addressing, no allocation once it has grown.
//
// A lane *is* its hash. Two keys with the same 64 bits share a lane: both keep their order, they only wait for each other
// once. So no key's bytes are kept or compared; the seed of the hash is what keeps outsiders from making it happen.

/// All lanes that are open: those with an unfinished message. One table for all partitions: it stays small and in the cache.
struct LaneTable {
  /// One lane. Its hash is never 0: that is an empty slot.
  private struct Slot {
    var hash: UInt64 = 0
    /// Ready, running or parked messages.
    var started: Int32 = 0
    /// Index in `queues` of those that wait; -1: none does.
    var queue: Int32 = -1

    var isEmpty: Bool { hash == 0 }
  }

  /// Linear probing; the size is a power of two, at most a third full, so that nearly every lane is found at once.
  private var slots = Array(repeating: Slot(), count: 64)
  /// Places of the first and the last message that waits, for the lanes that have one.
  private var queues: [(first: Int, last: Int)] = []
  private var freeQueues: [Int32] = []
  private(set) var count = 0

  /// A message arrives. True: it may start at once, and counts as started; false: it has to `wait`. Precondition: the hash is
  /// not 0.
  mutating func enter(_ hash: UInt64, interrupting: Bool) -> Bool {
    if (count + 1) * 3 > slots.count { grow() }
    let index = find(hash)
    if slots[index].isEmpty {
      slots[index] = Slot(hash: hash, started: 1)
      count += 1
      return true
    }
    guard slots[index].queue < 0, interrupting || slots[index].started == 0 else { return false }
    slots[index].started += 1
    return true
  }

  /// Puts a message at the end of its lane; returns the place of the one before it, or nil. Precondition: `enter` said false.
  mutating func wait(_ place: Int, in hash: UInt64) -> Int? {
    let index = find(hash)
    let queue = Int(slots[index].queue)
    if queue >= 0 {
      let before = queues[queue].last
      queues[queue].last = place
      return before
    }
    if let reused = freeQueues.popLast() {
      queues[Int(reused)] = (place, place)
      slots[index].queue = reused
    } else {
      queues.append((place, place))
      slots[index].queue = Int32(queues.count - 1)
    }
    return nil
  }

  /// A started message is finished. Nil: nothing waits, and the lane is closed if nothing has started either; else the place of
  /// the first one waiting, which `release` may let start.
  mutating func leave(_ hash: UInt64) -> Int? {
    let index = find(hash)
    precondition(slots[index].started > 0, "only a started message leaves its lane")
    slots[index].started -= 1
    if slots[index].queue >= 0 { return queues[Int(slots[index].queue)].first }
    if slots[index].started == 0 { close(index) }
    return nil
  }

  /// Lets the first waiting message start if its time has come. `next`: the place behind it, nil if it is the last one.
  mutating func release(_ hash: UInt64, interrupting: Bool, next: Int?) -> Bool {
    let index = find(hash)
    guard interrupting || slots[index].started == 0 else { return false }
    slots[index].started += 1
    if let next {
      queues[Int(slots[index].queue)].first = next
    } else {
      freeQueues.append(slots[index].queue)
      slots[index].queue = -1
    }
    return true
  }

  /// Index of the lane, or of the empty slot where it would be.
  private func find(_ hash: UInt64) -> Int {
    var index = home(of: hash)
    while slots[index].hash != hash, !slots[index].isEmpty {
      index = (index + 1) & (slots.count - 1)
    }
    return index
  }

  private mutating func close(_ index: Int) {
    let mask = slots.count - 1
    var hole = index
    slots[hole] = Slot()
    count -= 1
    // Move later members of the run into the hole, so that no search ends too early.
    var next = (hole + 1) & mask
    while !slots[next].isEmpty {
      let distance = (next - home(of: slots[next].hash)) & mask
      if distance >= (next - hole) & mask {
        slots[hole] = slots[next]
        slots[next] = Slot()
        hole = next
      }
      next = (next + 1) & mask
    }
  }

  private func home(of hash: UInt64) -> Int {
    // The lowest bit says only that there is a lane.
    Int(truncatingIfNeeded: hash &>> 1) & (slots.count - 1)
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: Slot(), count: old.count * 2)
    for lane in old where !lane.isEmpty { slots[find(lane.hash)] = lane }
  }
}
