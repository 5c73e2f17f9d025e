// Journal time on PostgreSQL: the server's clock, but never back.

import CheckoutCore
import JournalQueue
import Operations

/// What statements are told of the time, and what is learnt from their answers.
///
/// The server's clock counts. If it is set back, journal time must neither go back nor stand still until the clock has caught
/// up (no lease would end): it goes on at the pace of this process's boot clock meanwhile.
struct DatabaseTime {
  private var given: JournalTime?
  private let boot = SystemClock()
  private var latest = Timestamp(nanoseconds: .min)
  private var latestBoot: Int64 = 0
  private var isBehind = false

  /// `source` stands for the server's clock: for dated samples and tests.
  init(source: JournalTimeSource?) {
    given = source.map { JournalTime(source: $0, floor: Timestamp(nanoseconds: 0)) }
  }

  /// Parameters 1 and 2 of statements that need the time.
  mutating func add(to parameters: inout QueryParameters) {
    parameters.add(given?.now().nanoseconds)
    let pace = TimeSpan(nanoseconds: boot.bootNanoseconds() - latestBoot)
    parameters.add(isBehind && given == nil ? (latest + pace).nanoseconds : Int64?.none)
  }

  /// The journal's time, from the answer of the statement `now`.
  mutating func learn(_ result: PostgresResult) -> Timestamp {
    let clock = Timestamp(nanoseconds: result.integer(0, 0) ?? .min)
    let now = Timestamp(nanoseconds: result.integer(0, 1) ?? .min)
    latest = max(latest, now)
    latestBoot = boot.bootNanoseconds()
    isBehind = clock < latest
    return latest
  }
}
