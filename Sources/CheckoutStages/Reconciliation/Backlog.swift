// What reconciliation has in hand, for metrics: how much of each kind, and since when.

package import CheckoutCore

/// Pending work in the hands of one worker.
package struct Backlog: Hashable, Sendable {
  /// The kinds of pending work, all of them, so that what is over shows as 0.
  package static let types: [EventType] = [.receiptPending, .chargeUnknown, .reservePending, .compensationPending]

  /// How many items of each kind.
  package private(set) var counts: [EventType: Int] = [:]
  /// Age of the oldest of each kind, from the attempt's beginning where its row is known, else from its message.
  package private(set) var oldest: [EventType: TimeSpan] = [:]

  init(_ jobs: some Collection<AttemptJob>, at now: Timestamp) {
    for job in jobs where job.ticket != nil && Self.types.contains(job.type) {
      counts[job.type, default: 0] += 1
      let age = now - (job.saga?.row.createdAt ?? job.toldAt)
      oldest[job.type] = max(oldest[job.type] ?? .zero, age)
    }
  }
}
