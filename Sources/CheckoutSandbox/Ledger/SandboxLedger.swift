// Where the sandbox keeps its memory: in this process, or in a file that several processes share.

package import CheckoutCore

/// The ledger could not be read or written; nothing of the failed transaction has happened.
package struct LedgerProblem: Error, Hashable, CustomStringConvertible {
  /// One line for a person.
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// Who holds how much of a sku whose stock is limited.
package struct StockTaker: Hashable, Sendable {
  /// The sku with a limit.
  package let sku: String
  /// The hold's id.
  package let hold: String
  /// Pieces it takes, at least 1.
  package let quantity: Int64

  package init(sku: String, hold: String, quantity: Int64) {
    self.sku = sku
    self.hold = hold
    self.quantity = quantity
  }
}

/// The tables inside one transaction. Valid only while the transaction runs, on its thread.
package protocol SandboxStore: AnyObject {
  /// What is remembered of an idempotency key; nil: nothing.
  func record(ofKey key: String) throws(LedgerProblem) -> KeyRecord?
  /// Replaces what is remembered of a key.
  func put(_ record: KeyRecord) throws(LedgerProblem)
  /// Appends one effect; its sequence is given by the store.
  func append(_ entry: LedgerEntry) throws(LedgerProblem)
  /// All effects on one hold, charge, refund or receipt, oldest first.
  func entries(ofObject object: String) throws(LedgerProblem) -> [LedgerEntry]
  /// How much of a sku there is in all; nil: no limit.
  func stockLimit(ofSKU sku: String) throws(LedgerProblem) -> Int64?
  /// Sets or removes a limit.
  func setStockLimit(_ limit: Int64?, ofSKU sku: String) throws(LedgerProblem)
  /// Holds and sales of a limited sku.
  func takers(ofSKU sku: String) throws(LedgerProblem) -> [StockTaker]
  /// Notes that a hold takes from a limited sku.
  func add(_ taker: StockTaker) throws(LedgerProblem)
  /// Forgets what a hold took.
  func removeTakers(ofHold hold: String) throws(LedgerProblem)
}

/// The memory of the three services: effects and idempotency keys.
package protocol SandboxLedger: AnyObject, Sendable {
  /// Runs `body` with the tables to itself; what it changed is durable when this returns, or has not happened when it
  /// throws. Blocks the calling thread, so never call it on Swift's task pool.
  func transact(_ body: (any SandboxStore) throws(LedgerProblem) -> Void) throws(LedgerProblem)
  /// At most `limit` effects after `sequence`, oldest first.
  func entries(after sequence: Int64, limit: Int) throws(LedgerProblem) -> [LedgerEntry]
  /// All effects of one checkout, oldest first.
  func entries(ofCheckout checkout: CheckoutKey) throws(LedgerProblem) -> [LedgerEntry]
}
