// Money: taken once, known to the journal, in the amount asked, receipted once, or given back.

import CheckoutCore
import CheckoutSandbox
import CheckoutWire

/// What the services' ledger says of one checkout.
struct CheckoutEffects {
  struct Money {
    var currencies: Set<String> = []
    var captures = 0
    var capturedMinor: Int64 = 0
    var refundedMinor: Int64 = 0
    var authorisedMinor: Int64?
    var isVoided = false
    var receipts = 0
    var lastAt = Timestamp(nanoseconds: 0)

    /// Money with us: captured and not refunded, or held by an authorisation.
    var netMinor: Int64 {
      if captures > 0 { return capturedMinor - refundedMinor }
      return isVoided ? 0 : authorisedMinor ?? 0
    }
  }

  struct Stock {
    var expiresAt: Timestamp?
    var isConfirmed = false
    var isReleased = false
  }

  /// By charge.
  var money: [String: Money] = [:]
  /// By hold.
  var stock: [String: Stock] = [:]
  /// Receipts of a free checkout.
  var freeReceipts = 0

  /// Everything, by checkout.
  static func gather(_ entries: [LedgerEntry]) -> [CheckoutKey: CheckoutEffects] {
    var effects: [CheckoutKey: CheckoutEffects] = [:]
    for entry in entries { effects[entry.checkout, default: CheckoutEffects()].add(entry) }
    return effects
  }

  private mutating func add(_ entry: LedgerEntry) {
    switch entry.kind {
    case .reserved: stock[entry.object, default: Stock()].expiresAt = entry.expiresAt
    case .confirmed: stock[entry.object, default: Stock()].isConfirmed = true
    case .released: stock[entry.object, default: Stock()].isReleased = true
    case .captured:
      money[entry.object, default: Money()].captures += 1
      money[entry.object, default: Money()].capturedMinor += entry.amount?.minor ?? 0
      note(entry)
    case .authorised:
      money[entry.object, default: Money()].authorisedMinor = entry.amount?.minor ?? 0
      note(entry)
    case .voided:
      // An intent that held no money may be voided too.
      if money[entry.object] != nil { money[entry.object]?.isVoided = true }
    case .refunded: money[entry.object, default: Money()].refundedMinor += entry.amount?.minor ?? 0
    case .receipted:
      if let charge = entry.parent { money[charge, default: Money()].receipts += 1 } else { freeReceipts += 1 }
    case .declined, .actionRequired: break
    }
  }

  private mutating func note(_ entry: LedgerEntry) {
    money[entry.object]?.lastAt = entry.at
    if let code = entry.amount?.currency.code { money[entry.object]?.currencies.insert(code) }
  }
}

/// A checkout is charged at most once, ever.
struct ChargedOnceCheck: ProofCheck {
  func examine(_ evidence: Evidence) -> CheckReport {
    var report = CheckReport(
      name: "charged_once", promise: "G2", claim: "no checkout was charged twice, refunded or not")
    var told: [CheckoutKey: Set<String>] = [:]
    for answer in evidence.answers where answer.type == .completed {
      guard let charge = answer.view.chargeID else { continue }
      let subject = answer.view.subject
      told[CheckoutKey(merchantID: subject.merchantID, checkoutID: subject.checkoutID), default: []].insert(charge)
    }
    for (checkout, charges) in told where charges.count > 1 {
      report.violate(checkout.checkoutID, "completed under \(charges.count) charges: \(charges.sorted())")
    }
    guard let ledger = evidence.ledger else {
      report.doubt(.noLedger)
      return report
    }
    for (checkout, effects) in CheckoutEffects.gather(ledger) {
      let charges = effects.money.filter { $0.value.captures > 0 || $0.value.authorisedMinor != nil }
      if charges.count > 1 {
        report.violate(checkout.checkoutID, "\(charges.count) charges: \(charges.keys.sorted())")
      } else if let (id, money) = charges.first, money.captures > 1 {
        report.violate(checkout.checkoutID, "charge \(id) was captured \(money.captures) times")
      } else if !charges.isEmpty {
        report.pass()
      }
    }
    return report
  }
}

/// The journal knows every charge, and its amount is the one asked.
struct ChargesKnownCheck: ProofCheck {
  func examine(_ evidence: Evidence) -> CheckReport {
    var report = CheckReport(
      name: "charges_known", promise: "G2", claim: "every charge belongs to an attempt of the journal")
    guard let ledger = evidence.ledger else {
      report.doubt(.noLedger)
      return report
    }
    guard let attempts = evidence.attempts else {
      report.doubt(.noJournal)
      return report
    }
    let byCheckout = Dictionary(grouping: attempts.values, by: \.checkout)
    for (checkout, effects) in CheckoutEffects.gather(ledger) {
      for (id, money) in effects.money where money.captures > 0 || money.authorisedMinor != nil {
        let own = byCheckout[checkout] ?? []
        if own.contains(where: { $0.chargeID == id }) {
          report.pass()
        } else if own.contains(where: { $0.ending == nil && $0.isChargeOpen || $0.isWatched }) {
          report.doubt(.open)
        } else if evidence.isYoung(money.lastAt) {
          report.doubt(.young)
        } else {
          report.violate(checkout.checkoutID, "charge \(id) is not known to the journal")
        }
      }
    }
    return report
  }
}

/// What a completed checkout says it paid is what was taken.
struct AmountCheck: ProofCheck {
  func examine(_ evidence: Evidence) -> CheckReport {
    var report = CheckReport(
      name: "amounts", promise: "G3", claim: "completed checkouts paid exactly the amount asked, in its currency")
    guard let ledger = evidence.ledger else {
      report.doubt(.noLedger)
      return report
    }
    let effects = CheckoutEffects.gather(ledger)
    for answer in evidence.answers where answer.type == .completed && !answer.view.replayed {
      judge(answer, effects, evidence, &report)
    }
    return report
  }

  private func judge(
    _ answer: AnswerFact, _ effects: [CheckoutKey: CheckoutEffects], _ evidence: Evidence, _ report: inout CheckReport
  ) {
    let subject = answer.view.subject
    let checkout = CheckoutKey(merchantID: subject.merchantID, checkoutID: subject.checkoutID)
    let asked = answer.view.amountMinor ?? 0
    let taken = effects[checkout]?.money.values.reduce(0) { $0 + $1.netMinor } ?? 0
    let currencies = effects[checkout]?.money.values.reduce(into: Set<String>()) { $0.formUnion($1.currencies) } ?? []
    if taken != asked {
      report.violate(subject.checkoutID, "\(asked) minor units were asked, the services hold \(taken)")
    } else if asked > 0, currencies != Set([answer.view.currency].compactMap { $0 }) {
      report.violate(subject.checkoutID, "asked in \(answer.view.currency ?? "?"), taken in \(currencies.sorted())")
    } else {
      report.pass()
    }
  }
}

/// Money taken ends in a receipt, or is given back, or somebody is still at it.
struct MoneySettledCheck: ProofCheck {
  func examine(_ evidence: Evidence) -> CheckReport {
    var report = CheckReport(
      name: "money_settled", promise: "G3",
      claim: "money taken is receipted once, given back, or held by an open or parked item")
    guard let ledger = evidence.ledger else {
      report.doubt(.noLedger)
      return report
    }
    guard let attempts = evidence.attempts else {
      report.doubt(.noJournal)
      return report
    }
    let byCheckout = Dictionary(grouping: attempts.values, by: \.checkout)
    for (checkout, effects) in CheckoutEffects.gather(ledger) {
      if effects.freeReceipts > 1 { report.violate(checkout.checkoutID, "\(effects.freeReceipts) receipts") }
      for (id, money) in effects.money {
        let attempt = byCheckout[checkout]?.first { $0.chargeID == id }
        judge(id, money, attempt, checkout, isResolved: evidence.resolved.contains(checkout), &report)
      }
    }
    return report
  }

  private func judge(
    _ id: String, _ money: CheckoutEffects.Money, _ attempt: AttemptFact?, _ checkout: CheckoutKey, isResolved: Bool,
    _ report: inout CheckReport
  ) {
    if money.receipts > 1 {
      return report.violate(checkout.checkoutID, "charge \(id) has \(money.receipts) receipts")
    }
    if money.netMinor < 0 {
      return report.violate(checkout.checkoutID, "charge \(id): more was given back than taken")
    }
    // A charge that no attempt knows is another check's matter.
    guard let attempt else { return money.netMinor == 0 ? report.pass() : report.doubt(.open) }
    switch attempt.ending {
    case nil: return attempt.isParked || money.netMinor == 0 ? report.pass() : report.doubt(.open)
    case .completed where money.netMinor > 0 && money.receipts == 1: report.pass()
    case .unpaid where money.netMinor == 0: report.pass()
    case .completed, .unpaid:
      if isResolved { return report.doubt(.outside) }
      if attempt.isWatched { return report.doubt(.open) }
      report.violate(
        checkout.checkoutID,
        attempt.ending == .unpaid
          ? "ended unpaid, but \(money.netMinor) minor units of charge \(id) are kept"
          : money.netMinor == 0
            ? "completed, but the money of charge \(id) was given back" : "completed without a receipt for charge \(id)"
      )
    }
  }
}

/// Stock: what ended unpaid holds none, what was paid has its hold confirmed.
struct StockCheck: ProofCheck {
  func examine(_ evidence: Evidence) -> CheckReport {
    var report = CheckReport(
      name: "stock", promise: "G7", claim: "unpaid checkouts hold no stock; holds of paid ones are confirmed")
    guard let ledger = evidence.ledger else {
      report.doubt(.noLedger)
      return report
    }
    guard let attempts = evidence.attempts else {
      report.doubt(.noJournal)
      return report
    }
    let byCheckout = Dictionary(grouping: attempts.values, by: \.checkout)
    for (checkout, effects) in CheckoutEffects.gather(ledger) where !effects.stock.isEmpty {
      judge(checkout, effects, byCheckout[checkout] ?? [], evidence, &report)
    }
    return report
  }

  private func judge(
    _ checkout: CheckoutKey, _ effects: CheckoutEffects, _ attempts: [AttemptFact], _ evidence: Evidence,
    _ report: inout CheckReport
  ) {
    let held = effects.stock.filter { _, hold in
      !hold.isReleased && (hold.isConfirmed || hold.expiresAt.map { $0 > evidence.now } ?? true)
    }
    if let open = attempts.first(where: { $0.ending == nil }) {
      // What a parked item holds is a person's to settle.
      return open.isParked ? report.pass() : report.doubt(.open)
    }
    if attempts.contains(where: { evidence.isYoung($0.updatedAt) }) { return report.doubt(.young) }
    if attempts.contains(where: { $0.ending == .completed }) {
      let confirmed = held.values.count(where: \.isConfirmed)
      if confirmed == 1, held.count == 1 {
        report.pass()
      } else {
        report.violate(
          checkout.checkoutID, "paid, with \(confirmed) confirmed holds and \(held.count - confirmed) open ones")
      }
    } else if held.isEmpty {
      report.pass()
    } else {
      report.violate(checkout.checkoutID, "ended unpaid and still holds stock: \(held.keys.sorted())")
    }
  }
}
