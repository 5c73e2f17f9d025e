// What the ledger says about money and stock, for `verify`, `demo` and tests.

package import CheckoutCore

/// Everything that happened at the services, by checkout.
package struct LedgerReport: Sendable {
  /// One checkout's money and stock.
  package struct Checkout: Hashable, Sendable {
    /// Number of captures, refunded or not; more than one is a double charge.
    package internal(set) var captures = 0
    /// Ids of all charges that were captured or authorised, in order.
    package internal(set) var charges: [String] = []
    /// Authorisations not voided and not captured.
    package internal(set) var openAuthorisations = 0
    /// Sum of all captures, refunded or not, in minor units.
    package internal(set) var capturedMinor: Int64 = 0
    /// Sum of all refunds, in minor units.
    package internal(set) var refundedMinor: Int64 = 0
    /// Authorisations and open intents given back.
    package internal(set) var voids = 0
    /// Currency codes of all captures and authorisations.
    package internal(set) var currencies: Set<String> = []
    /// Receipts sent; more than one for a charge is a fault.
    package internal(set) var receipts = 0
    /// Holds neither released nor run out nor confirmed.
    package internal(set) var openHolds = 0
    /// Holds that became a sale.
    package internal(set) var confirmedHolds = 0
  }

  /// By checkout; only those that have entries.
  package private(set) var checkouts: [CheckoutKey: Checkout] = [:]
  /// Number of receipts for each charge; free checkouts are not in it.
  package private(set) var receiptsOfCharge: [String: Int] = [:]

  /// Of a ledger with nothing in it.
  package init() {}

  /// Reads the whole ledger, page by page; holds are judged at `now`.
  package init(of ledger: any SandboxLedger, at now: Timestamp) throws(LedgerProblem) {
    var objects: [String: [LedgerEntry]] = [:]
    var order: [String] = []
    var last: Int64 = 0
    while true {
      let page = try ledger.entries(after: last, limit: 1000)
      guard let end = page.last else { break }
      last = end.sequence
      for entry in page {
        if objects[entry.object] == nil { order.append(entry.object) }
        objects[entry.object, default: []].append(entry)
      }
    }
    for object in order { add(objects[object] ?? [], at: now) }
  }

  /// What happened to a checkout; nothing, if the services never heard of it.
  package func effects(of checkout: CheckoutKey) -> Checkout { checkouts[checkout] ?? Checkout() }

  /// Charges of all checkouts that took or held money.
  package var charges: Int { checkouts.values.reduce(0) { sum, checkout in sum + checkout.charges.count } }

  /// Checkouts for which money was taken or held more than once, given back or not; in a fixed order.
  package var doubleCharged: [CheckoutKey] { sorted { $0.captures > 1 || $0.charges.count > 1 } }

  /// Checkouts that got more than one receipt; in a fixed order.
  package var doubleReceipted: [CheckoutKey] { sorted { $0.receipts > 1 } }

  private func sorted(where isWanted: (Checkout) -> Bool) -> [CheckoutKey] {
    checkouts.filter { isWanted($0.value) }.keys
      .sorted { ($0.merchantID, $0.checkoutID) < ($1.merchantID, $1.checkoutID) }
  }

  private mutating func add(_ entries: [LedgerEntry], at now: Timestamp) {
    guard let first = entries.first else { return }
    var checkout = checkouts[first.checkout] ?? Checkout()
    switch first.kind {
    case .reserved:
      switch HoldStatus(of: entries, at: now) {
      case .held: checkout.openHolds += 1
      case .confirmed: checkout.confirmedHolds += 1
      case .gone: break
      }
    case .captured, .authorised, .actionRequired, .declined: checkout.addCharge(entries, id: first.object)
    case .refunded:
      for entry in entries { checkout.refundedMinor += entry.amount?.minor ?? 0 }
    case .receipted:
      checkout.receipts += 1
      if let charge = first.parent { receiptsOfCharge[charge, default: 0] += 1 }
    case .confirmed, .released, .voided: break
    }
    checkouts[first.checkout] = checkout
  }
}

extension LedgerReport.Checkout {
  fileprivate mutating func addCharge(_ entries: [LedgerEntry], id: String) {
    captures += entries.count { $0.kind == .captured }
    voids += entries.count { $0.kind == .voided }
    switch ChargeStatus(of: entries) {
    case .captured(let amount, let refunded):
      charges.append(id)
      currencies.insert(amount.currency.code)
      capturedMinor += amount.minor
      refundedMinor += refunded
    case .authorised(let amount):
      charges.append(id)
      currencies.insert(amount.currency.code)
      openAuthorisations += 1
    case .voided:
      // A voided intent held no money, a voided authorisation did.
      if entries.contains(where: { $0.kind == .authorised }) { charges.append(id) }
    case .none, .actionRequired: break
    }
  }
}
