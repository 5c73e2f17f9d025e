// What the sandbox's ledger says about checkouts: the services' side of every promise about money and stock.

package import CheckoutCore
package import CheckoutSandbox

/// Sums of one checkout's effects.
package struct CheckoutEffects: Hashable, Sendable {
  /// Charges that took or held money, counted by charge.
  package var charges = 0
  package var capturedMinor: Int64 = 0
  package var refundedMinor: Int64 = 0
  package var voids = 0
  package var receipts = 0
  /// Holds neither given back, nor sold, nor run out.
  package var openHolds = 0
  package var confirmedHolds = 0
}

/// The ledger, by checkout.
package struct LedgerSummary: Sendable {
  private var effects: [CheckoutKey: CheckoutEffects] = [:]

  /// Reads the whole ledger. Holds that ran out before `now` count as gone.
  package init(_ ledger: any SandboxLedger, at now: Timestamp) throws(LedgerProblem) {
    var holds: [String: LedgerEntry] = [:]
    var settled: [String: LedgerEntry.Kind] = [:]
    var last: Int64 = 0
    while true {
      let entries = try ledger.entries(after: last, limit: 1000)
      for entry in entries {
        last = entry.sequence
        effects[entry.checkout, default: CheckoutEffects()].add(entry)
        switch entry.kind {
        case .reserved: holds[entry.object] = entry
        case .confirmed, .released: settled[entry.object] = entry.kind
        case .captured, .authorised, .declined, .actionRequired, .voided, .refunded, .receipted: break
        }
      }
      if entries.isEmpty { break }
    }
    for (object, hold) in holds {
      switch settled[object] {
      case .confirmed: effects[hold.checkout]?.confirmedHolds += 1
      case .released: break
      default:
        if let expiresAt = hold.expiresAt, expiresAt <= now { break }
        effects[hold.checkout]?.openHolds += 1
      }
    }
  }

  /// What happened to a checkout; nothing, if the services never heard of it.
  package func effects(of checkout: CheckoutKey) -> CheckoutEffects { effects[checkout] ?? CheckoutEffects() }

  /// Charges of all checkouts.
  package var charges: Int { effects.values.reduce(0) { $0 + $1.charges } }

  /// Checkouts that were charged more than once, in order.
  package var doubleCharged: [CheckoutKey] {
    effects.filter { $0.value.charges > 1 }.keys.sorted {
      ($0.merchantID, $0.checkoutID) < ($1.merchantID, $1.checkoutID)
    }
  }

  /// Checkouts that got more than one receipt, in order.
  package var doubleReceipted: [CheckoutKey] {
    effects.filter { $0.value.receipts > 1 }.keys
      .sorted { ($0.merchantID, $0.checkoutID) < ($1.merchantID, $1.checkoutID) }
  }
}

extension CheckoutEffects {
  fileprivate mutating func add(_ entry: LedgerEntry) {
    switch entry.kind {
    case .captured:
      charges += 1
      capturedMinor += entry.amount?.minor ?? 0
    case .authorised: charges += 1
    case .refunded: refundedMinor += entry.amount?.minor ?? 0
    case .voided: voids += 1
    case .receipted: receipts += 1
    case .reserved, .confirmed, .released, .declined, .actionRequired: break
    }
  }
}
