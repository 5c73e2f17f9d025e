// The numbers of the saga. Every one is configurable; the defaults are the documented ones (saga: "Defaults").

/// Time limits, budgets and counts that the saga's decisions use.
package struct SagaSettings: Hashable, Sendable {
  /// Longest time one gateway call may take, from sending to the last byte. Default 9 s.
  package var callTotalTimeout: TimeSpan = .seconds(9)
  /// A charge must be able to end within this, before hold and request run out. Default 10 s.
  package var chargeDeadline: TimeSpan = .seconds(10)
  /// How long the facade tries to reserve before it hands over. Default 30 s.
  package var reserveBudget: TimeSpan = .seconds(30)
  /// How long the facade looks up an unknown charge before it hands over. Default 30 s.
  package var unknownBudget: TimeSpan = .seconds(30)
  /// The facade's backoff: first wait and longest wait, doubling, full jitter. Default 200 ms to 5 s.
  package var backoffFirst: TimeSpan = .milliseconds(200)
  /// See `backoffFirst`.
  package var backoffMax: TimeSpan = .seconds(5)
  /// How often, and for how long, the facade tries what comes after the charge. Default 3 tries within 2 s.
  package var receiptTries: Int = 3
  /// See `receiptTries`.
  package var receiptBudget: TimeSpan = .seconds(2)
  /// Added to the longest time a `notFound` may be wrong. Default 2 s.
  package var settleMargin: TimeSpan = .seconds(2)
  /// Taken off every `notAfter`. Default 1 s.
  package var notAfterMargin: TimeSpan = .seconds(1)
  /// Reconciliation's backoff: first wait and longest wait, doubling, full jitter. Default 1 s to 5 min.
  package var reconciliationBackoffFirst: TimeSpan = .seconds(1)
  /// See `reconciliationBackoffFirst`.
  package var reconciliationBackoffMax: TimeSpan = .seconds(300)
  /// How long reconciliation tries receipts, reserves and compensations before it parks. Default 24 h.
  package var reconciliationBudget: TimeSpan = .hours(24)
  /// Longest wait that reconciliation sits out; longer ones are put back on the topic. Default 60 s.
  package var holdMax: TimeSpan = .seconds(60)
  /// Most copies and cancellations that may wait for one attempt. Default 100.
  package var waitingMax: Int = 100
  /// Age from which a sweep takes an attempt nobody works on. Default 10 min.
  package var sweepAge: TimeSpan = .seconds(600)
  /// Length of a worker's lease. Default 10 s.
  package var lease: TimeSpan = .seconds(10)

  /// The documented defaults.
  package init() {}
}

/// What the services promise; it comes from the gateways in use.
package struct ProviderTraits: Hashable, Sendable {
  /// Whether holds are confirmed once paid.
  package let inventoryConfirms: Bool
  /// Of the payment provider.
  package let payment: PaymentTraits
  /// How long the receipt service remembers a key; zero: never.
  package let receiptKeyWindow: TimeSpan

  /// Traits of three services.
  package init(inventoryConfirms: Bool, payment: PaymentTraits, receiptKeyWindow: TimeSpan) {
    self.inventoryConfirms = inventoryConfirms
    self.payment = payment
    self.receiptKeyWindow = receiptKeyWindow
  }
}

/// Everything a machine needs to know besides its row and what happens.
package struct SagaContext: Sendable {
  /// Limits and budgets.
  package let settings: SagaSettings
  /// Promises of the services.
  package let traits: ProviderTraits
  /// Derives keys and ids.
  package let identifiers: Identifiers
  /// The worker in whose name rows are written.
  package let worker: WorkerID

  /// A context of its four parts.
  package init(settings: SagaSettings, traits: ProviderTraits, identifiers: Identifiers, worker: WorkerID) {
    self.settings = settings
    self.traits = traits
    self.identifiers = identifiers
    self.worker = worker
  }

  /// How long the provider remembers a charge's key; nil: never, or not long enough for a second call to be sure of it.
  var chargeKeyWindow: TimeSpan? { usable(traits.payment.chargeKeyWindow) }
  /// The same for voids and refunds.
  var compensationKeyWindow: TimeSpan? { usable(traits.payment.compensationKeyWindow) }
  /// The same for receipts.
  var receiptKeyWindow: TimeSpan? { usable(traits.receiptKeyWindow) }

  private func usable(_ window: TimeSpan) -> TimeSpan? {
    window > settings.callTotalTimeout + settings.notAfterMargin ? window : nil
  }

  /// True if a call made now under a key first used at `sentAt` ends while the provider still remembers the key.
  func isInside(_ window: TimeSpan?, since sentAt: Timestamp?, _ now: SagaNow) -> Bool {
    guard let window, let sentAt else { return false }
    return now.time + settings.callTotalTimeout + settings.notAfterMargin < sentAt + window
  }

  /// How long after a reserve without an answer a refusal of it is no answer either: the first call may still be on its way.
  var reserveSettleAfter: TimeSpan { settings.callTotalTimeout + settings.settleMargin }

  /// How long after a send a `notFound` is no answer (saga: "Unknown").
  package var settleAfter: TimeSpan {
    max(settings.callTotalTimeout, traits.payment.lookUpLag) + settings.settleMargin
  }
}

/// The present, as told to a machine.
package struct SagaNow: Hashable, Sendable {
  /// Journal time.
  package let time: Timestamp
  /// A random number for full jitter; the machines draw none themselves.
  package let jitter: UInt32

  /// A present of its two parts.
  package init(time: Timestamp, jitter: UInt32) {
    self.time = time
    self.jitter = jitter
  }

  /// A wait between 0 and the `tries`-th step of a doubling backoff ("full jitter"), at least a millisecond.
  package func backoff(first: TimeSpan, max longest: TimeSpan, tries: Int) -> TimeSpan {
    var cap = first
    for _ in 0..<min(Swift.max(tries, 0), 40) where cap < longest { cap = cap + cap }
    let limit = Swift.min(cap, longest).milliseconds
    let drawn = (limit &* Int64(jitter)) >> 32
    return .milliseconds(Swift.max(1, drawn))
  }
}
