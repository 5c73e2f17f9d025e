// When clients break down: whether new ones make sense, and after which pause.

/// Decides whether new clients make sense. Fenced again and again means that another live worker does the same.
package struct RebuildHistory: Sendable {
  /// What to do after a breakdown.
  package enum Step: Hashable, Sendable {
    /// Make new clients, after a pause.
    case rebuild(pauseNanoseconds: Int64)
    /// Another live worker has our id: stop.
    case fencedTooOften(times: Int)
  }

  private var rebuilds: [Int64] = []
  private var fencings: [Int64] = []

  private static let spanNanoseconds: Int64 = 60_000_000_000
  private static let fencingsMax = 3
  private static let pauseNanoseconds: Int64 = 1_000_000_000

  /// No breakdown yet.
  package init() {}

  /// To be asked each time clients have broken down; `now` is the monotonic clock.
  package mutating func next(now: Int64, wasFenced: Bool) -> Step {
    rebuilds.removeAll { $0 <= now - RebuildHistory.spanNanoseconds }
    fencings.removeAll { $0 <= now - RebuildHistory.spanNanoseconds }
    if wasFenced { fencings.append(now) }
    if fencings.count >= RebuildHistory.fencingsMax { return .fencedTooOften(times: fencings.count) }
    defer { rebuilds.append(now) }
    return .rebuild(pauseNanoseconds: rebuilds.isEmpty ? 0 : RebuildHistory.pauseNanoseconds)
  }
}
