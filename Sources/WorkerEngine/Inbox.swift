// Where other threads leave events for a worker's loop.

import Synchronization

/// A mailbox: any thread puts, the loop takes everything at once.
package final class Inbox<Event: Sendable>: Sendable {
  private struct State {
    var events: [Event] = []
    var wake: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  package init() {}

  /// Called after each `put` into an empty inbox; set by the loop before it starts.
  package func onArrival(_ wake: @escaping @Sendable () -> Void) {
    state.withLock { $0.wake = wake }
  }

  /// Leaves events for the loop. Any thread; never blocks for long.
  package func put(_ events: [Event]) {
    guard !events.isEmpty else { return }
    let wake = state.withLock { state in
      let wasEmpty = state.events.isEmpty
      state.events.append(contentsOf: events)
      return wasEmpty ? state.wake : nil
    }
    wake?()
  }

  /// True if nothing has arrived. For those who drive a worker step by step.
  package var isEmpty: Bool { state.withLock { state in state.events.isEmpty } }

  /// Takes everything that has arrived, in order.
  package func take() -> [Event] {
    state.withLock { state in
      let events = state.events
      state.events = []
      return events
    }
  }
}
