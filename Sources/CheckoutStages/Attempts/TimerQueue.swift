// Timers of a stage: which job is to be looked at when.

/// A heap of times, each for one job. A job's later timer makes its earlier ones void.
struct TimerQueue: Sendable {
  private struct Entry: Sendable {
    let at: Int64
    let number: UInt64
    let job: Int
  }

  private var heap: [Entry] = []
  private var latest: [Int: UInt64] = [:]
  private var lastNumber: UInt64 = 0

  /// The earliest time, void timers included; nil if there is none.
  var first: Int64? { heap.first?.at }

  /// Sets the job's timer (boot clock, nanoseconds).
  mutating func set(_ job: Int, at: Int64) {
    lastNumber += 1
    latest[job] = lastNumber
    heap.append(Entry(at: at, number: lastNumber, job: job))
    var index = heap.count - 1
    while index > 0, precedes(index, (index - 1) / 2) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Takes the job's timer away.
  mutating func clear(_ job: Int) {
    latest[job] = nil
  }

  /// The next job whose time has come, earliest first; nil if there is none.
  mutating func popDue(at now: Int64) -> Int? {
    while let top = heap.first, top.at <= now {
      removeFirst()
      if latest[top.job] == top.number {
        latest[top.job] = nil
        return top.job
      }
    }
    return nil
  }

  private func precedes(_ left: Int, _ right: Int) -> Bool {
    (heap[left].at, heap[left].number) < (heap[right].at, heap[right].number)
  }

  private mutating func removeFirst() {
    let last = heap.removeLast()
    guard !heap.isEmpty else { return }
    heap[0] = last
    var index = 0
    while true {
      var smallest = index
      for child in [2 * index + 1, 2 * index + 2] where child < heap.count && precedes(child, smallest) {
        smallest = child
      }
      if smallest == index { return }
      heap.swapAt(index, smallest)
      index = smallest
    }
  }
}
