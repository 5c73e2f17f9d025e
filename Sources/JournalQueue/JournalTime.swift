// The journal's clock: the wall's time, but never back.

package import CheckoutCore

/// Where a journal in this process gets its time from.
package struct JournalTimeSource: Sendable {
  /// The wall clock; may be set at any moment.
  package let wall: @Sendable () -> Timestamp
  /// The clock that is never set; nil: while the wall is behind, journal time stands still instead of going on.
  package let boot: (@Sendable () -> BootTime)?

  package init(wall: @escaping @Sendable () -> Timestamp, boot: (@Sendable () -> BootTime)?) {
    self.wall = wall
    self.boot = boot
  }
}

/// Journal time. Leases and waits are measured with it, so a step back of the wall must neither move it back nor stop it:
/// it then goes on at the boot clock's pace until the wall has caught up.
package struct JournalTime {
  private let source: JournalTimeSource
  private var latest: Timestamp
  private var latestBoot: BootTime?

  /// `floor`: the latest time the journal has recorded.
  package init(source: JournalTimeSource, floor: Timestamp) {
    self.source = source
    latest = floor
    latestBoot = source.boot?()
  }

  /// The time now; never before an earlier answer.
  package mutating func now() -> Timestamp {
    let boot = source.boot?()
    var floor = latest
    if let boot, let latestBoot { floor = latest + max(.zero, boot - latestBoot) }
    latest = max(source.wall(), floor)
    latestBoot = boot
    return latest
  }

  /// Takes over a later time that another process has recorded.
  package mutating func raise(to time: Timestamp) {
    latest = max(latest, time)
  }
}
