// Which partitions are paused, told to the library as rarely as possible: librdkafka throws away what it has fetched when a
// partition is paused and fetches it again afterwards.

/// While *all* partitions are to be paused, the data queue is simply not read: the library's own limits stop its fetches and
/// nothing is lost. Only a pause of some partitions reaches the library.
struct IntakeHold {
  /// What the library has to be told now.
  struct Change: Hashable {
    var pause: [Int] = []
    var resume: [Int] = []
  }

  private var wanted: [Bool]
  private var told: [Bool]
  private var pausedCount = 0

  init(partitions: Int) {
    wanted = Array(repeating: false, count: partitions)
    told = wanted
  }

  /// True while nothing is to be read.
  var isHolding: Bool { pausedCount == wanted.count && pausedCount > 0 }

  /// Pauses or resumes slots; those that are so already do not count.
  mutating func set(_ slots: [Int], paused: Bool) -> Change {
    for slot in slots where wanted.indices.contains(slot) && wanted[slot] != paused {
      wanted[slot] = paused
      pausedCount += paused ? 1 : -1
    }
    var change = Change()
    guard !isHolding else { return change }
    for slot in wanted.indices where wanted[slot] != told[slot] {
      told[slot] = wanted[slot]
      if wanted[slot] { change.pause.append(slot) } else { change.resume.append(slot) }
    }
    return change
  }
}
