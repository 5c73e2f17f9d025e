// The names of states: in journals, in events, in tables for people.

package import CheckoutCore

extension AttemptState {
  /// The state's name without its reason (`releasing`, `failed`, …).
  package var name: String {
    switch self {
    case .reserving: "reserving"
    case .charging: "charging"
    case .receipting: "receipting"
    case .receiptPending: "receipt_pending"
    case .releasing: "releasing"
    case .refunding: "refunding"
    case .completed: "completed"
    case .failed: "failed"
    case .cancelled: "cancelled"
    }
  }

  /// Why it ends unpaid, in the states that know.
  package var reason: EndReason? {
    switch self {
    case .releasing(let reason), .refunding(let reason), .failed(let reason): reason
    case .reserving, .charging, .receipting, .receiptPending, .completed, .cancelled: nil
    }
  }

  /// The state of that name and reason; nil if there is none, or the reason is missing where one is needed.
  package init?(name: String, reason: EndReason?) {
    switch (name, reason) {
    case ("reserving", _): self = .reserving
    case ("charging", _): self = .charging
    case ("receipting", _): self = .receipting
    case ("receipt_pending", _): self = .receiptPending
    case ("releasing", let reason?): self = .releasing(reason)
    case ("refunding", let reason?): self = .refunding(reason)
    case ("completed", _): self = .completed
    case ("failed", let reason?): self = .failed(reason)
    case ("cancelled", _): self = .cancelled
    default: return nil
    }
  }
}
