// The saga's numbers as users see them: every one is a setting, with the documented default.

import Testing

@Suite("Defaults of the saga") struct SagaDefaultsTests {
  private static let defaults: [(name: String, value: String)] = [
    ("saga.lease", "10s"), ("saga.not_after_margin", "1s"), ("saga.charge_deadline", "10s"),
    ("saga.call_timeout", "9s"), ("saga.reserve_budget", "30s"), ("saga.unknown_budget", "30s"),
    ("saga.backoff_first", "200ms"), ("saga.backoff_max", "5s"), ("saga.receipt_tries", "3"),
    ("saga.receipt_budget", "2s"), ("saga.settle_margin", "2s"), ("saga.sweep_age", "10m"),
    ("saga.waiting_max", "100"), ("reconciliation.backoff_first", "1s"), ("reconciliation.backoff_max", "5m"),
    ("reconciliation.budget", "1d"), ("reconciliation.hold_max", "1m"),
    ("reconciliation.held_items_max", "10000"), ("worker.shutdown_grace", "25s"), ("worker.drain", "5s"),
  ]

  @Test("config shows each with its default, and --explain says what it is")
  func shown() throws {
    let shown = try Project.checkout(["config", "--json"])
    let explained = try Project.checkout(["config", "--explain"])
    #expect(shown.ending == .exit(0))
    for (name, value) in Self.defaults {
      #expect(shown.output.contains("\"\(name)\": {\"value\": \"\(value)\", \"origin\": \"default\"}"), "\(name)")
      #expect(explained.output.contains("\(name)  ("), "\(name)")
    }
  }
}
