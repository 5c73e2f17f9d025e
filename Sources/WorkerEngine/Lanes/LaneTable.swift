// The open lanes of one partition, found by the hash of their key: open addressing, no allocation once it has grown.

/// One key's messages that are not finished.
struct Lane {
  fileprivate(set) var hash: UInt64
  fileprivate(set) var key: Bytes?
  /// Ready, running or parked messages.
  var started = 0
  /// Places of the first and last message that waits; -1: none.
  var firstWaiting = -1
  var lastWaiting = -1
  /// True once the key's bytes are its own and no batch's.
  fileprivate(set) var ownsKey = false
}

/// All lanes of a partition that are open: those with an unfinished message.
struct LaneTable {
  private var lanes: [Lane] = []
  private var free: [Int32] = []
  /// Index of a lane for each slot; -1: empty. Linear probing; the size is a power of two, at most half full.
  private var slots: [Int32] = Array(repeating: -1, count: 64)
  private(set) var count = 0

  /// The lane with this key, opened if it is not.
  mutating func open(_ key: Bytes, hash: UInt64) -> Int32 {
    if (count + 1) * 2 > slots.count { grow() }
    var slot = home(of: hash)
    while slots[slot] >= 0 {
      let index = slots[slot]
      if lanes[Int(index)].hash == hash, lanes[Int(index)].key == key { return index }
      slot = (slot + 1) & (slots.count - 1)
    }
    let index: Int32
    if let reused = free.popLast() {
      index = reused
      lanes[Int(index)] = Lane(hash: hash, key: key)
    } else {
      index = Int32(lanes.count)
      lanes.append(Lane(hash: hash, key: key))
    }
    slots[slot] = index
    count += 1
    return index
  }

  subscript(index: Int32) -> Lane {
    get { lanes[Int(index)] }
    set { lanes[Int(index)] = newValue }
  }

  /// Gives the lane's key storage of its own, so that it does not keep a batch in memory.
  mutating func detachKey(of index: Int32) {
    guard !lanes[Int(index)].ownsKey, let key = lanes[Int(index)].key else { return }
    lanes[Int(index)].key = Bytes(key.array)
    lanes[Int(index)].ownsKey = true
  }

  /// Closes a lane that has no unfinished message.
  mutating func close(_ index: Int32) {
    let mask = slots.count - 1
    var hole = home(of: lanes[Int(index)].hash)
    while slots[hole] != index { hole = (hole + 1) & mask }
    // Move later members of the run into the hole, so that no search ends too early.
    var slot = (hole + 1) & mask
    while slots[slot] >= 0 {
      let distance = (slot - home(of: lanes[Int(slots[slot])].hash)) & mask
      if distance >= (slot - hole) & mask {
        slots[hole] = slots[slot]
        hole = slot
      }
      slot = (slot + 1) & mask
    }
    slots[hole] = -1
    lanes[Int(index)].key = nil
    free.append(index)
    count -= 1
  }

  private func home(of hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash & UInt64(slots.count - 1))
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: -1, count: old.count * 2)
    for index in old where index >= 0 {
      var slot = home(of: lanes[Int(index)].hash)
      while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = index
    }
  }
}
