// Which outputs have left before their commit job, and when that has to stop. A key's outputs stay in order: nothing of a batch
// leaves before all of the one before has, and what had to be repeated is repeated before anything new leaves.

import Synchronization

/// The books of what was sent ahead. The loop sends, the commit thread settles: the two meet here only.
final class SentAhead: Sendable {
  /// One batch of the engine's.
  struct Entry: Hashable, Sendable {
    let generation: Int
    let batch: Int
    /// Names its outputs in delivery reports; nil until the first one leaves.
    var number: UInt?
    /// How many outputs it has, as far as we were told.
    var known = 0
    /// How many of them, from the first on, were handed to the client library.
    var sent = 0
  }

  private struct State {
    /// Oldest first.
    var entries: [Entry] = []
    /// Nothing of this assignment leaves before the job of this batch has ended.
    var closed: (generation: Int, through: Int)?
  }

  private let state = Mutex(State())

  /// The loop: a batch has `count` outputs by now. Returns the number to send them under and the first one to send; nil: they
  /// have to wait for their job.
  func begin(batch: Int, generation: Int, count: Int, makeNumber: () -> UInt) -> (number: UInt, next: Int)? {
    state.withLock { state in
      let index: Int
      if let last = state.entries.indices.last, state.entries[last].isOf(batch, generation) {
        index = last
      } else {
        state.entries.append(Entry(generation: generation, batch: batch))
        index = state.entries.count - 1
      }
      state.entries[index].known = count
      guard state.closed?.generation != generation else { return nil }
      let older = state.entries[..<index]
      guard !older.contains(where: { $0.generation == generation && $0.sent < $0.known }) else { return nil }
      let number = state.entries[index].number ?? makeNumber()
      state.entries[index].number = number
      return (number, state.entries[index].sent)
    }
  }

  /// The loop: so many outputs of the batch have left.
  func sent(_ count: Int, batch: Int, generation: Int) {
    state.withLock { state in
      guard let last = state.entries.indices.last, state.entries[last].isOf(batch, generation) else { return }
      state.entries[last].sent = count
    }
  }

  /// The commit thread: what has left of a job's batch (nil: nothing), and what has left of batches that no job will ever be made
  /// of, because their assignment is over.
  func take(batch: Int, generation: Int) -> (entry: Entry?, orphans: [Entry]) {
    state.withLock { state in
      let orphans = state.entries.filter { $0.generation < generation }
      state.entries.removeAll { $0.generation < generation }
      return (state.entries.first { $0.isOf(batch, generation) }, orphans)
    }
  }

  /// The commit thread: an output has to be sent again. Nothing more leaves ahead until the batches known by now have had their
  /// jobs; returns the last of them.
  func close(batch: Int, generation: Int) -> Int {
    state.withLock { state in
      let newest = state.entries.last { $0.generation == generation }?.batch ?? batch
      let through = max(batch, newest)
      state.closed = (generation, through)
      return through
    }
  }

  /// The commit thread: everything that the job of a batch has to send is sent.
  func settle(batch: Int, generation: Int) {
    state.withLock { state in
      state.entries.removeAll { $0.generation == generation && $0.batch <= batch }
      if let closed = state.closed, closed.generation < generation || closed.through <= batch { state.closed = nil }
    }
  }
}

extension SentAhead.Entry {
  fileprivate func isOf(_ batch: Int, _ generation: Int) -> Bool {
    self.batch == batch && self.generation == generation
  }
}
