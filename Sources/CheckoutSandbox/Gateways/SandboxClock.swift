// The two clocks the sandbox is driven by.

package import CheckoutCore

/// The services' wall clock and the worker's boot clock; a test or the simulator gives its own.
package struct SandboxClock: Sendable {
  /// What the services write into their ledger and hold times.
  package let now: @Sendable () -> Timestamp
  /// What `notAfter` and all delays are measured with.
  package let boot: @Sendable () -> BootTime

  package init(now: @escaping @Sendable () -> Timestamp, boot: @escaping @Sendable () -> BootTime) {
    self.now = now
    self.boot = boot
  }
}
