// A stage whose work is waiting: timers inside the worker's loop, as for calls to services.

import WorkerEngine

/// Ends each message when its time is over.
struct TimerStage: Stage {
  enum Event: Sendable {}

  private struct Running: Comparable {
    let due: Int64
    let number: Int
    let ticket: Ticket

    static func < (left: Running, right: Running) -> Bool { left.due < right.due }
    static func == (left: Running, right: Running) -> Bool { left.due == right.due }
  }

  private let log: OrderLog
  // In the order of their ends.
  private var running: [Running] = []

  init(_ log: OrderLog) {
    self.log = log
  }

  var wantsPause: Bool { false }

  func lane(of record: Record) -> LaneRule { LaneRule(key: record.key, interrupting: false) }

  mutating func receive(_ deliveries: [Delivery], _ turn: inout Turn) {
    for delivery in deliveries {
      let text = delivery.record.value.map { String(decoding: $0.slice, as: UTF8.self) } ?? ""
      guard let number = Int(text) else { preconditionFailure("a message of another run") }
      let one = Running(due: turn.now.boot + log.begin(number), number: number, ticket: delivery.ticket)
      running.insert(one, at: place(of: one.due))
    }
    wake(&turn)
  }

  mutating func tick(_ turn: inout Turn) {
    let over = running.prefix { $0.due <= turn.now.boot }
    for one in over {
      log.finish(one.number)
      turn.finish(one.ticket, [])
    }
    running.removeFirst(over.count)
    wake(&turn)
  }

  mutating func resume(_ events: [Event], _ turn: inout Turn) {}
  mutating func drain(_ turn: inout Turn) {}
  mutating func forget(_ tickets: [Ticket], _ turn: inout Turn) {}

  private func place(of due: Int64) -> Int {
    var low = 0
    var high = running.count
    while low < high {
      let middle = (low + high) / 2
      if running[middle].due <= due { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func wake(_ turn: inout Turn) {
    if let first = running.first { turn.wake(at: first.due) }
  }
}
