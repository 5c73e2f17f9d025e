// What can be set about the sandbox's services.

package import CheckoutCore

/// How the services behave, apart from magic values.
package struct SandboxSettings: Hashable, Sendable {
  /// How long stock is held.
  package var holdDuration: TimeSpan
  /// How long an idempotency key is remembered, by all three services.
  package var keyWindow: TimeSpan
  /// How long after a charge, void or refund a look-up still answers "not found".
  package var lookUpLag: TimeSpan
  /// How long a call takes whose reply is lost: the caller's total time-out.
  package var lostReplyAfter: TimeSpan
  /// How long `pm_tok_slow` takes.
  package var slowChargeAfter: TimeSpan

  /// Defaults: 15 minutes, 24 hours, no lag, 9 s (the client's total time-out), 2 s.
  package init(
    holdDuration: TimeSpan = .seconds(900), keyWindow: TimeSpan = .hours(24), lookUpLag: TimeSpan = .zero,
    lostReplyAfter: TimeSpan = .seconds(9), slowChargeAfter: TimeSpan = .seconds(2)
  ) {
    self.holdDuration = holdDuration
    self.keyWindow = keyWindow
    self.lookUpLag = lookUpLag
    self.lostReplyAfter = lostReplyAfter
    self.slowChargeAfter = slowChargeAfter
  }

  /// What the payment service declares.
  package var paymentTraits: PaymentTraits {
    PaymentTraits(
      chargeKeyWindow: keyWindow, compensationKeyWindow: keyWindow, cachesServerErrors: false, lookUpLag: lookUpLag)
  }
}

/// What a call leads to: the answer, and how long it takes to arrive.
package struct SandboxAnswer<Reply: Hashable & Sendable>: Hashable, Sendable {
  /// What the caller is told.
  package let reply: Reply
  /// Beside the driver's own latency.
  package let delay: TimeSpan

  package init(_ reply: Reply, after delay: TimeSpan = .zero) {
    self.reply = reply
    self.delay = delay
  }
}
