// A request to stop that may come before there is anything to stop.

import Synchronization

/// Remembers that a stop was asked for, and passes it on to who can act on it. Any thread.
final class StopRequest: Sendable {
  private struct State {
    var isMade = false
    var action: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// True once somebody has asked.
  var isMade: Bool { state.withLock { $0.isMade } }

  /// Asks.
  func make() {
    let action = state.withLock { state in
      state.isMade = true
      return state.action
    }
    action?()
  }

  /// From now on a request calls `action`; at once if there was one already.
  func onRequest(_ action: @escaping @Sendable () -> Void) {
    let isMade = state.withLock { state in
      state.action = action
      return state.isMade
    }
    if isMade { action() }
  }
}
