// What has to be done, in which order, and how long it must take at least.

import CheckoutCore

/// Messages with random keys, each with a random time of 0 to 5 ms that it waits.
struct OrderedWork {
  private static let nanosecondsMax = 5_000_000

  /// Key of each message, by its number.
  let keys: [Int]
  /// How long each one waits.
  let nanoseconds: [Int64]

  var count: Int { keys.count }

  init(messages: Int, keys: Int, seed: UInt64) {
    var random = SplitMix64(seed: seed)
    self.keys = (0..<messages).map { _ in random.below(keys) }
    nanoseconds = (0..<messages).map { _ in Int64(random.below(Self.nanosecondsMax + 1)) }
  }

  /// The longest key's sum, or all work by the messages that may wait at one time, whichever is longer.
  func idealSeconds(inFlightMax: Int) -> Double {
    var sums: [Int: Int64] = [:]
    for index in keys.indices { sums[keys[index], default: 0] += nanoseconds[index] }
    let path = sums.values.max() ?? 0
    let share = nanoseconds.reduce(0, +) / Int64(inFlightMax)
    return Double(max(path, share)) / 1e9
  }
}

/// Who started and ended when, judged as it happens.
final class OrderLog {
  private let work: OrderedWork
  private let clock = ContinuousClock()
  private var start: ContinuousClock.Instant?
  private var end: ContinuousClock.Instant?
  // The message of each key that has started and not ended, and the last that ended.
  private var open: [Int: Int] = [:]
  private var last: [Int: Int] = [:]
  private var ended: [Bool]
  private(set) var finished = 0
  /// Messages that started too early, or ended out of turn.
  private(set) var faults = 0

  init(_ work: OrderedWork) {
    self.work = work
    ended = Array(repeating: false, count: work.count)
  }

  var finishedOnce: Bool { finished == work.count && ended.allSatisfy { $0 } }

  var seconds: Double {
    guard let start, let end else { return 0 }
    return (end - start) / .seconds(1)
  }

  /// Says how long message `number` waits.
  func begin(_ number: Int) -> Int64 {
    if start == nil { start = clock.now }
    let key = work.keys[number]
    if open[key] != nil || last[key, default: -1] >= number { faults += 1 }
    open[key] = number
    return work.nanoseconds[number]
  }

  func finish(_ number: Int) {
    let key = work.keys[number]
    if open[key] != number || ended[number] { faults += 1 }
    open[key] = nil
    last[key] = number
    ended[number] = true
    finished += 1
    if finished == work.count { end = clock.now }
  }
}
