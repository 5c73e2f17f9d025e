// The check `account`: does the authority know the buyer?

/// `unknown_account`, `disabled_account`; both changeable, because accounts come, go and are disabled.
package struct AccountCheck: Check {
  /// `account` in configuration, meters and logs.
  package var name: CheckName { .account }

  /// The check has no settings.
  package init() {}

  /// The first code that applies to `request`, in the order above.
  package func examine(_ request: CheckoutRequest, in context: CheckContext) -> CheckResult {
    let key = AccountKey(merchantID: request.identity.merchantID, accountID: request.accountID)
    switch context.reference.accounts.answer(for: key) {
    case .known(.enabled):
      return .passed
    case .known(.disabled):
      let message = "The account is disabled."
      return .refused(Refusal(.disabledAccount, path: "/account_id", message: message), .changeable)
    case .absent:
      let message = "The merchant has no account with this account_id."
      return .refused(Refusal(.unknownAccount, path: "/account_id", message: message), .changeable)
    case .notLoaded:
      return .needs(.account(key))
    }
  }
}
