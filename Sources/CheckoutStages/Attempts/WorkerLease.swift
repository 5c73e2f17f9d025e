// The worker's lease, and the journal's clock as seen from here.

import CheckoutCore

/// The lease belongs to the worker: one row in the journal, renewed every third of it. The worker counts its end from
/// before it asked, on a clock that runs through suspend, so that it never believes longer than the journal does.
struct WorkerLease: Sendable {
  private let duration: TimeSpan
  /// Until when it holds (boot clock); nil: never had it.
  private var heldUntil: BootTime?
  /// When the renewal that is under way was asked for.
  private var askedAt: BootTime?
  private var renewAt = BootTime(nanoseconds: .min)

  init(duration: TimeSpan) {
    self.duration = duration
  }

  /// True while effects may be started.
  func isHeld(at now: BootTime) -> Bool {
    guard let heldUntil else { return false }
    return now < heldUntil
  }

  /// Its end; the beginning of time if it was never had.
  var end: BootTime { heldUntil ?? BootTime(nanoseconds: .min) }

  /// When it has to be renewed; never while a renewal is under way.
  var nextRenewal: BootTime { askedAt == nil ? renewAt : .never }

  /// True if a renewal is due; it counts as asked for from now on.
  mutating func ask(at now: BootTime) -> Bool {
    guard askedAt == nil, now >= renewAt else { return false }
    askedAt = now
    return true
  }

  /// The journal has granted it.
  mutating func granted() {
    guard let asked = askedAt else { return }
    heldUntil = asked + duration
    renewAt = asked + TimeSpan(nanoseconds: duration.nanoseconds / 3)
    askedAt = nil
  }
}

/// The journal's time, estimated between its answers. Each answer was given at some moment between question and arrival, so the
/// difference to the boot clock lies between two bounds; an answer that took long tells little, and must not set the clock back.
struct JournalClock: Sendable {
  private var difference: Int64?

  /// The journal says `journal`, at some moment between `asked` and `arrived`.
  mutating func learn(_ journal: Timestamp, askedAt asked: BootTime, at arrived: BootTime) {
    let (least, overflow) = journal.nanoseconds.subtractingReportingOverflow(arrived.nanoseconds)
    let (most, overflowToo) = journal.nanoseconds.subtractingReportingOverflow(asked.nanoseconds)
    guard !overflow, !overflowToo else { return }
    // Below: an earlier answer was slower. Above: the journal's clock was set back, and is followed.
    difference = min(max(difference ?? least, least), most)
  }

  /// Journal time at `boot`; `wall` until the journal has first answered.
  func now(boot: BootTime, wall: Timestamp) -> Timestamp {
    guard let difference else { return wall }
    return Timestamp(nanoseconds: boot.nanoseconds) + TimeSpan(nanoseconds: difference)
  }
}
