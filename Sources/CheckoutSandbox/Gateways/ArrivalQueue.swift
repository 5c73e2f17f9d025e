// Replies on their way, by the time they arrive.

import CheckoutCore

/// One reply on its way.
struct Arrival: Sendable {
  let reply: GatewayReply
  let sink: GatewaySink
  let due: BootTime
  /// Equal times keep the order of the calls.
  fileprivate let number: UInt64

  fileprivate func isBefore(_ other: Arrival) -> Bool { (due, number) < (other.due, other.number) }
}

/// A binary heap: the next reply is always at hand.
struct ArrivalQueue: Sendable {
  private var heap: [Arrival] = []
  private var count: UInt64 = 0

  /// When the next reply is due; nil: nothing is on its way.
  var nextDue: BootTime? { heap.first?.due }

  /// Puts a reply on its way.
  mutating func insert(_ reply: GatewayReply, to sink: @escaping GatewaySink, due: BootTime) {
    count += 1
    heap.append(Arrival(reply: reply, sink: sink, due: due, number: count))
    var index = heap.count - 1
    while index > 0, heap[index].isBefore(heap[(index - 1) / 2]) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Takes everything due by `now`, in order of time.
  mutating func take(until now: BootTime) -> [Arrival] {
    var due: [Arrival] = []
    while let first = heap.first, first.due <= now {
      due.append(first)
      removeFirst()
    }
    return due
  }

  private mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].isBefore(heap[least]) {
        least = child
      }
      if least == index { return }
      heap.swapAt(index, least)
      index = least
    }
  }
}
