// What a person can do about a parked attempt, by why it is parked.

import CheckoutCore

extension ParkReason {
  /// Sentences for the page of one item, most useful first.
  func advice(_ row: Attempt) -> [String] {
    [look] + options(row) + ["Each takes --note TEXT; retry goes on exactly where it stopped."]
  }

  /// What to look into.
  private var look: String {
    switch self {
    case .receiptRefused: "The receipt service refuses this order for good. The customer has paid."
    case .receiptBudgetSpent: "The receipt service did not answer well for a day. The customer has paid."
    case .receiptUnknown:
      "A receipt may have gone out, and the service may have forgotten the key: look there first, or the customer may get "
        + "two."
    case .confirmRefused: "The inventory refuses to turn the hold into a sale. The customer has paid."
    case .chargeUnknown:
      "Nobody could tell whether the customer was charged. Look the charge up at the provider by its key or the checkout."
    case .reserveUnsettled: "Nobody could tell whether stock is held. Nothing was charged."
    case .releaseRefused, .releaseBudgetSpent:
      "Stock could not be given back: release it in the inventory. The customer's money is not with us."
    case .refundRefused, .refundBudgetSpent:
      "Money is owed to the customer and the provider does not give it back: refund it in the provider's dashboard."
    case .refundUnknown:
      "A refund may have been made, and the provider may have forgotten the key: look there first, or the customer may get "
        + "the money twice."
    case .journalRefused: "The journal could not store what happened; the detail says why."
    }
  }

  private func options(_ row: Attempt) -> [String] {
    let id = row.identity.checkoutID
    let retry = "checkout parked retry \(id)"
    let paid = "checkout parked resolve \(id) --as completed --receipt-url URL"
    let back = row.holdsMoney ? " --refunded-outside ID" : ""
    let unpaid = "checkout parked resolve \(id) --as \(row.unpaidEnd)\(back)"
    switch self {
    case .receiptRefused, .receiptBudgetSpent, .receiptUnknown, .confirmRefused: return [retry, paid, unpaid]
    case .chargeUnknown, .journalRefused: return [retry, unpaid, paid]
    case .reserveUnsettled, .releaseRefused, .releaseBudgetSpent: return [retry, unpaid]
    case .refundRefused, .refundBudgetSpent, .refundUnknown:
      return ["checkout parked resolve \(id) --as \(row.unpaidEnd) --refunded-outside ID", retry]
    }
  }
}

extension Attempt {
  /// How it ends once the money is back.
  fileprivate var unpaidEnd: String { cancel != nil || state == .cancelled ? "cancelled" : "failed" }
}
