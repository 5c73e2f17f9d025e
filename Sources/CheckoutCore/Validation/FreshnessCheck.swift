// The check `freshness`: is the request meant for now, and for this deployment?

/// `request_expired`, `clock_skew`, `livemode_mismatch`, in this order; all changeable.
///
/// Even an `expires_at` that is not after `requested_at` is changeable: the fingerprint leaves `requested_at` out, so
/// the same request may have come earlier with an earlier one, and have been paid. There is no maximum age.
package struct FreshnessCheck: Check {
  /// `freshness` in configuration, meters and logs.
  package var name: CheckName { .freshness }

  private let clockSkewMax: TimeSpan
  private let livemode: Bool

  /// Requests made at most `clockSkewMax` ahead of our clock, for a deployment whose mode is `livemode`.
  package init(clockSkewMax: TimeSpan, livemode: Bool) {
    self.clockSkewMax = clockSkewMax
    self.livemode = livemode
  }

  /// The first code that applies to `request`, in the order above.
  package func examine(_ request: CheckoutRequest, in context: CheckContext) -> CheckResult {
    if let expiresAt = request.expiresAt, expiresAt <= max(context.now, request.requestedAt) {
      let message = "The request had expired before it could be looked at."
      return .refused(Refusal(.requestExpired, path: "/expires_at", message: message), .changeable)
    }
    if request.requestedAt > context.now + clockSkewMax {
      let message = "The request says that it was made in the future."
      return .refused(Refusal(.clockSkew, path: "/requested_at", message: message), .changeable)
    }
    if request.livemode != livemode {
      let message =
        livemode
        ? "The request is a test and this is a live deployment." : "The request is live and this is a test deployment."
      return .refused(Refusal(.livemodeMismatch, path: "/livemode", message: message), .changeable)
    }
    return .passed
  }
}
