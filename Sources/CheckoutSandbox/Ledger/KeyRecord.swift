// What a service remembers of one idempotency key.

package import CheckoutCore

/// One key of the idempotency store: the call's content, how often it came, and its first result.
package struct KeyRecord: Hashable, Sendable {
  /// How the call ended. Raw values are the ledger file's.
  package enum Outcome: String, Hashable, CaseIterable, Sendable {
    /// Nothing has come of it yet: the next send decides.
    case none
    case reserved
    case outOfStock = "out_of_stock"
    case confirmed
    case gone
    case released
    /// A charge was made; what it is now follows from the ledger's entries.
    case charged
    case declined
    case voided
    case voidRefused = "void_refused"
    case refunded
    case receipted
    /// Refused for good.
    case refused
  }

  /// The provider key as it came with the call.
  package let key: String
  /// Names the command and its arguments; another content under the same key is refused.
  package let content: String
  /// The services' clock at the first send; the key window counts from here.
  package let firstAt: Timestamp
  /// How often the call has come, this time included.
  package var sends: Int
  /// What every repeat of the call is answered.
  package var outcome: Outcome
  /// Until then the service is still working on it.
  package var readyAt: Timestamp
  /// Id of the hold, charge, refund; empty: none.
  package var object: String
  /// What was refunded; nil for every other call (a charge's amount is in the ledger).
  package var amount: Amount?
  /// `reserved` only: when the hold ends.
  package var expiresAt: Timestamp?
  /// Decline code, refusal, address, or the lines without stock (separated by line feeds).
  package var detail: String

  package init(
    key: String, content: String, firstAt: Timestamp, sends: Int, outcome: Outcome = .none, readyAt: Timestamp,
    object: String = "", amount: Amount? = nil, expiresAt: Timestamp? = nil, detail: String = ""
  ) {
    self.key = key
    self.content = content
    self.firstAt = firstAt
    self.sends = sends
    self.outcome = outcome
    self.readyAt = readyAt
    self.object = object
    self.amount = amount
    self.expiresAt = expiresAt
    self.detail = detail
  }
}
