// What an operator can set about validation: limits, lists, which checks run, in which order and mode.

/// Limits and lists; a refusal by one of them can change with the configuration and so is never final by itself.
package struct ValidationLimits: Hashable, Sendable {
  /// Largest quantity of a line; default 999.
  package var quantityMax: Int64
  /// Most lines in a cart; default 1000.
  package var linesMax: Int
  /// Largest total in minor units; default 10¹².
  package var amountMinorMax: Int64
  /// How far ahead of our clock `requested_at` may lie; default 5 min.
  package var clockSkewMax: TimeSpan
  /// Payment method types on offer; default card, apple_pay, google_pay, sepa_debit.
  package var paymentMethodTypes: Set<String>
  /// Countries delivered to, as ISO 3166-1 alpha-2; nil (default): all.
  package var countries: Set<String>?
  /// Currencies accepted, as ISO 4217 codes; nil (default): all active ones.
  package var currencies: Set<String>?

  /// The defaults, but for what is given.
  package init(
    quantityMax: Int64 = 999, linesMax: Int = 1000, amountMinorMax: Int64 = 1_000_000_000_000,
    clockSkewMax: TimeSpan = .seconds(300),
    paymentMethodTypes: Set<String> = ["card", "apple_pay", "google_pay", "sepa_debit"],
    countries: Set<String>? = nil, currencies: Set<String>? = nil
  ) {
    self.quantityMax = quantityMax
    self.linesMax = linesMax
    self.amountMinorMax = amountMinorMax
    self.clockSkewMax = clockSkewMax
    self.paymentMethodTypes = paymentMethodTypes
    self.countries = countries
    self.currencies = currencies
  }
}

/// What the chain does after a refusal. Raw values are the configuration's.
package enum ValidationMode: String, Hashable, CaseIterable, Sendable {
  /// Stop at the first refusal.
  case failFast = "fail_fast"
  /// Go on and collect all refusals, in order.
  case collectAll = "collect_all"
}

/// Everything an operator decides about validation.
package struct ValidationPolicy: Hashable, Sendable {
  /// Checks to run, in this order; default all, in the order of `CheckName`.
  package var checks: [CheckName]
  /// Default `fail_fast`.
  package var mode: ValidationMode
  /// Limits and lists of the checks.
  package var limits: ValidationLimits
  /// True in a live deployment; a request must say the same.
  package var livemode: Bool

  /// The defaults, but for what is given.
  package init(
    livemode: Bool, mode: ValidationMode = .failFast, limits: ValidationLimits = ValidationLimits(),
    checks: [CheckName] = CheckName.allCases
  ) {
    self.livemode = livemode
    self.mode = mode
    self.limits = limits
    self.checks = checks
  }
}

/// Why a list of checks cannot be a chain; a configuration error, found at start-up.
package enum ValidationPolicyFault: Error, Hashable, Sendable {
  /// The check is listed twice.
  case repeated(CheckName)
  /// `check` needs `prerequisite` to run, and to run before it.
  case misplaced(CheckName, needs: CheckName)

  /// One sentence for the operator that says what to do.
  package var message: String {
    switch self {
    case .repeated(let check):
      "The check '\(check.rawValue)' is listed twice; list it once."
    case .misplaced(let check, let prerequisite):
      "The check '\(check.rawValue)' needs '\(prerequisite.rawValue)': list '\(prerequisite.rawValue)' before it."
    }
  }
}
