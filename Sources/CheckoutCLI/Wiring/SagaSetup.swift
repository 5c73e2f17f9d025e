// The saga's numbers as settings (saga: "Defaults").

import CheckoutCore
import Operations

/// Limits and budgets of facade and reconciliation.
enum SagaSetup {
  private static let short = Duration.milliseconds(1)...(.seconds(600))
  private static let long = Duration.milliseconds(1)...(.seconds(30 * 86_400))

  static let lease = Setting<Duration>.duration(
    "saga.lease", .milliseconds(500)...(.seconds(600)), standard: "10s", help: "length of a worker's lease")
  static let notAfterMargin = Setting<Duration>.duration(
    "saga.not_after_margin", short, standard: "1s", help: "calls are not sent this close to the lease's end")
  static let callTimeout = Setting<Duration>.duration(
    "saga.call_timeout", short, standard: "9s", help: "longest time one call to a service may take")
  static let chargeDeadline = Setting<Duration>.duration(
    "saga.charge_deadline", short, standard: "10s", help: "hold and request must outlive a charge by this")
  static let reserveBudget = Setting<Duration>.duration(
    "saga.reserve_budget", short, standard: "30s", help: "how long the facade tries to reserve")
  static let unknownBudget = Setting<Duration>.duration(
    "saga.unknown_budget", short, standard: "30s", help: "how long the facade looks up an unknown charge")
  static let backoffFirst = Setting<Duration>.duration(
    "saga.backoff_first", short, standard: "200ms", help: "the facade's first wait, doubling, full jitter")
  static let backoffMax = Setting<Duration>.duration(
    "saga.backoff_max", short, standard: "5s", help: "the facade's longest wait")
  static let receiptTries = Setting<Int>.integer(
    "saga.receipt_tries", 1...20, standard: 3, help: "tries in the facade for what comes after the charge")
  static let receiptBudget = Setting<Duration>.duration(
    "saga.receipt_budget", short, standard: "2s", help: "and within this time")
  static let settleMargin = Setting<Duration>.duration(
    "saga.settle_margin", short, standard: "2s", help: "added to the time in which `not found` may be wrong")
  static let sweepAge = Setting<Duration>.duration(
    "saga.sweep_age", long, standard: "10m", help: "age from which attempts nobody works on are taken up")
  static let waitingMax = Setting<Int>.integer(
    "saga.waiting_max", 1...10_000, standard: 100, help: "copies and cancellations that may wait for one attempt")
  static let reconciliationBackoffFirst = Setting<Duration>.duration(
    "reconciliation.backoff_first", short, standard: "1s", help: "first wait, doubling, full jitter")
  static let reconciliationBackoffMax = Setting<Duration>.duration(
    "reconciliation.backoff_max", long, standard: "5m", help: "longest wait")
  static let reconciliationBudget = Setting<Duration>.duration(
    "reconciliation.budget", long, standard: "24h", help: "then a receipt or compensation is parked")
  static let holdMax = Setting<Duration>.duration(
    "reconciliation.hold_max", short, standard: "60s", help: "longest wait before an item is put back")
  static let heldItemsMax = Setting<Int>.integer(
    "reconciliation.held_items_max", 1...1_000_000, standard: 10_000, help: "most items held because they are not due")
  static let serviceCallsMax = Setting<Int>.integer(
    "reconciliation.service_calls_max", 1...100_000, standard: 256,
    help: "most calls to one service at one time; never more than a quarter of worker.in_flight_max")
  static let sweepInterval = Setting<Duration>.duration(
    "reconciliation.sweep_interval", short, standard: "30s", help: "time between two sweeps")

  static let table: [SettingDefinition] = [
    lease.definition, notAfterMargin.definition, callTimeout.definition, chargeDeadline.definition,
    reserveBudget.definition, unknownBudget.definition, backoffFirst.definition, backoffMax.definition,
    receiptTries.definition, receiptBudget.definition, settleMargin.definition, sweepAge.definition,
    waitingMax.definition,
    reconciliationBackoffFirst.definition, reconciliationBackoffMax.definition, reconciliationBudget.definition,
    holdMax.definition, heldItemsMax.definition, serviceCallsMax.definition, sweepInterval.definition,
  ]

  /// The numbers in force. Throws if two of them contradict each other.
  static func saga(_ settings: Settings) throws(Problem) -> SagaSettings {
    var saga = SagaSettings()
    saga.lease = span(settings[lease])
    saga.notAfterMargin = span(settings[notAfterMargin])
    saga.callTotalTimeout = span(settings[callTimeout])
    saga.chargeDeadline = span(settings[chargeDeadline])
    saga.reserveBudget = span(settings[reserveBudget])
    saga.unknownBudget = span(settings[unknownBudget])
    saga.backoffFirst = span(settings[backoffFirst])
    saga.backoffMax = span(settings[backoffMax])
    saga.receiptTries = settings[receiptTries]
    saga.receiptBudget = span(settings[receiptBudget])
    saga.settleMargin = span(settings[settleMargin])
    saga.sweepAge = span(settings[sweepAge])
    saga.waitingMax = settings[waitingMax]
    saga.reconciliationBackoffFirst = span(settings[reconciliationBackoffFirst])
    saga.reconciliationBackoffMax = span(settings[reconciliationBackoffMax])
    saga.reconciliationBudget = span(settings[reconciliationBudget])
    saga.holdMax = span(settings[holdMax])
    guard saga.notAfterMargin + saga.notAfterMargin < saga.lease else {
      throw .usage(
        "\(told(notAfterMargin, settings)) must be less than half of \(told(lease, settings)), "
          + "or no call could ever be sent",
        remedy: "change one of the two")
    }
    guard saga.callTotalTimeout <= saga.chargeDeadline else {
      throw .usage(
        "\(told(callTimeout, settings)) must not exceed \(told(chargeDeadline, settings)): "
          + "a hold could run out during a charge",
        remedy: "change one of the two")
    }
    return saga
  }

  /// A setting as messages name it: name, value, origin.
  private static func told(_ setting: Setting<Duration>, _ settings: Settings) -> String {
    let value = SettingParser.durationText(settings[setting].wholeNanoseconds)
    return "\(setting.definition.name) = \(value) (from \(settings.origin(of: setting)))"
  }

  /// A setting's span as Core's.
  static func span(_ duration: Duration) -> TimeSpan { TimeSpan(nanoseconds: duration.wholeNanoseconds) }
}
