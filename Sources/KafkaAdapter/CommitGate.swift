// Which assignment may commit. The loop closes it before it gives partitions back.

import Synchronization

/// Shared by the loop and the commit thread.
final class CommitGate: Sendable {
  private struct State {
    /// The assignment that owns its partitions; nil: none does.
    var generation: Int?
    /// The owner's membership in the group; nil with deliveries that do not need it.
    var membership: GroupMembershipHandle?
    var isClosing = false
  }

  private let state = Mutex(State())

  /// This assignment may commit from now on; no other.
  func open(generation: Int, membership: GroupMembershipHandle?) {
    state.withLock { state in
      state.generation = generation
      state.membership = membership
    }
  }

  /// The membership that goes with an assignment; nil if the assignment is over.
  func membership(of generation: Int) -> GroupMembershipHandle? {
    state.withLock { $0.generation == generation ? $0.membership : nil }
  }

  /// Nobody may commit until the next `open`.
  func shut() {
    state.withLock { state in
      state.generation = nil
      state.membership = nil
    }
  }

  /// The broker is being closed: jobs end as soon as they look.
  func close() { state.withLock { $0.isClosing = true } }

  /// True once the broker is being closed.
  var isClosing: Bool { state.withLock { $0.isClosing } }

  /// True while the assignment owns its partitions.
  func admits(_ generation: Int) -> Bool { state.withLock { $0.generation == generation } }

  /// Runs `body` while the assignment is sure to own its partitions: they are not given back before it has returned.
  /// Nil if they are gone. `body` must not block.
  func whileOwned<Result: Sendable>(by generation: Int, _ body: () -> Result) -> Result? {
    state.withLock { $0.generation == generation ? body() : nil }
  }
}
