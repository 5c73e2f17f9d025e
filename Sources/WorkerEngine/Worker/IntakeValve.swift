// Which partitions are paused: every buffer is bounded by two watermarks, and a partition whose commits cannot be written, or
// all while the stage wants a pause, take nothing in.

/// Decides on pauses and remembers what the broker was told.
struct IntakeValve {
  private let ready: Watermarks
  private let window: Watermarks
  private let bytes: Watermarks
  private var allClosed = false
  private var windowClosed: [Bool]
  /// What the broker was told.
  private(set) var paused: [Bool]

  init(partitions: Int, settings: WorkerSettings) {
    ready = settings.readyWatermarks
    window = settings.windowWatermarks
    bytes = settings.bytesWatermarks
    windowClosed = Array(repeating: false, count: partitions)
    paused = Array(repeating: false, count: partitions)
  }

  /// What has to change at the broker now.
  mutating func steer(_ assignment: borrowing Assignment, closeAll: Bool) -> (pause: [Int], resume: [Int]) {
    let held = assignment.heldBytes
    if assignment.ready >= ready.high || held >= bytes.high {
      allClosed = true
    } else if assignment.ready <= ready.low && held <= bytes.low {
      allClosed = false
    }
    var pause: [Int] = []
    var resume: [Int] = []
    for slot in paused.indices {
      let depth = assignment.partitions[slot].window.count
      if depth >= window.high { windowClosed[slot] = true }
      if depth <= window.low { windowClosed[slot] = false }
      let closed = closeAll || allClosed || windowClosed[slot] || assignment.partitions[slot].isOverfull
      guard closed != paused[slot] else { continue }
      paused[slot] = closed
      if closed { pause.append(slot) } else { resume.append(slot) }
    }
    return (pause, resume)
  }
}
