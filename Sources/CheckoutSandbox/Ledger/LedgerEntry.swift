// What happened at the sandbox's services: one entry for each effect, never changed.

package import CheckoutCore

/// One effect.
package struct LedgerEntry: Hashable, Sendable {
  /// What took effect. Raw values are the ledger file's.
  package enum Kind: String, Hashable, CaseIterable, Sendable {
    /// Stock is held until `expiresAt`.
    case reserved
    case confirmed
    case released
    /// Money was taken: exactly `amount`.
    case captured
    /// Money is held, none taken.
    case authorised
    /// Nothing was taken.
    case declined
    /// Nothing was taken, an intent is open.
    case actionRequired = "action_required"
    /// An authorisation or an open intent was given back.
    case voided
    /// `amount` of a capture was given back.
    case refunded
    /// The customer got a receipt at `detail`.
    case receipted
  }

  /// Place in the ledger, from 1; 0 before it is appended.
  package var sequence: Int64
  /// What took effect.
  package let kind: Kind
  /// The provider key of the call.
  package let key: String
  /// The merchant of the call.
  package let merchantID: String
  /// The order of the call, or of the hold or charge it refers to.
  package let checkoutID: String
  /// The id of the hold, charge, refund or receipt.
  package let object: String
  /// The charge a refund or receipt belongs to, the hold a charge was made for; nil: none.
  package let parent: String?
  /// Money of exactly this effect; nil where none is moved or held.
  package let amount: Amount?
  /// `reserved` only.
  package let expiresAt: Timestamp?
  /// A decline code, a receipt's address; empty otherwise.
  package let detail: String
  /// The services' clock.
  package let at: Timestamp

  package init(
    sequence: Int64 = 0, kind: Kind, key: String, merchantID: String, checkoutID: String, object: String,
    parent: String? = nil, amount: Amount? = nil, expiresAt: Timestamp? = nil, detail: String = "", at: Timestamp
  ) {
    self.sequence = sequence
    self.kind = kind
    self.key = key
    self.merchantID = merchantID
    self.checkoutID = checkoutID
    self.object = object
    self.parent = parent
    self.amount = amount
    self.expiresAt = expiresAt
    self.detail = detail
    self.at = at
  }

  /// The checkout it belongs to.
  package var checkout: CheckoutKey { CheckoutKey(merchantID: merchantID, checkoutID: checkoutID) }
}
