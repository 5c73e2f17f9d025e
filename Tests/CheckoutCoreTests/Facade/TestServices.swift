// The three services as they behave in the world: idempotent by key while they remember it, slow, lossy, sometimes late.

import CheckoutCore

/// What becomes of one call on its way.
enum Fate: Hashable {
  /// Carried out and answered.
  case good
  /// Carried out, the answer is lost.
  case lostReply
  /// Never arrived; nobody can tell.
  case lostRequest
  /// Carried out this long after it was sent; the caller has given up waiting by then.
  case slow(TimeSpan)
  /// Answered with this trouble, not carried out.
  case trouble(CallTrouble)
}

/// What the provider decides about a charge.
enum ChargeRule: Hashable {
  case capture
  case captureOnly(Int64)
  case authorise
  case decline
  case actionRequired
  /// As `actionRequired`, and the customer completes it before anybody can cancel.
  case actionCompleted
}

/// A payment provider with an idempotency store and a ledger.
struct TestPayments {
  struct Entry: Hashable {
    let id: String
    let amount: Amount
    var status: Status
    var refunds: [Int64] = []
    let appliesAt: Timestamp

    enum Status: Hashable { case captured, authorised, declined, intent, voided }
  }

  private struct Record {
    let at: Timestamp
    let appliesAt: Timestamp
    let reply: PaymentReply?
  }

  var rule = ChargeRule.capture
  var refusesRefunds = false
  var entries: [Entry] = []
  private var keys: [ProviderKey: Record] = [:]
  private(set) var violations: [String] = []

  /// Charges that took money, refunded or not.
  func captures(at now: Timestamp) -> [Entry] {
    entries.filter { $0.status == .captured && $0.appliesAt <= now }
  }

  /// Money still with us.
  func held(at now: Timestamp) -> Int64 {
    entries.filter { $0.appliesAt <= now }.reduce(0) { sum, entry in
      switch entry.status {
      case .captured: sum + entry.amount.minor - entry.refunds.reduce(0, +)
      case .authorised: sum + entry.amount.minor
      case .declined, .intent, .voided: sum
      }
    }
  }

  /// A person gives back by hand whatever is held.
  mutating func refundOutside() {
    for index in entries.indices {
      switch entries[index].status {
      case .captured:
        entries[index].refunds.append(entries[index].amount.minor - entries[index].refunds.reduce(0, +))
      case .authorised: entries[index].status = .voided
      case .declined, .intent, .voided: break
      }
    }
  }

  mutating func answer(
    _ command: PaymentCommand, key: ProviderKey, at now: Timestamp, delay: TimeSpan, traits: PaymentTraits
  ) -> PaymentReply {
    if case .lookUp(let operation, _) = command {
      let window = operation == .charge ? traits.chargeKeyWindow : traits.compensationKeyWindow
      return lookUp(key, at: now, lag: traits.lookUpLag, window: window)
    }
    let isCharge = if case .charge = command { true } else { false }
    let window = isCharge ? traits.chargeKeyWindow : traits.compensationKeyWindow
    if let known = keys[key], now < known.at + window {
      if now < known.appliesAt { return .trouble(.unknown(detail: "409 in flight")) }
      if let reply = known.reply { return current(reply) }
    }
    let reply = carryOut(command, at: now, delay: delay)
    if case .trouble = reply { return reply }
    keys[key] = Record(at: now, appliesAt: now + delay, reply: reply)
    return reply
  }

  private func lookUp(_ key: ProviderKey, at now: Timestamp, lag: TimeSpan, window: TimeSpan) -> PaymentReply {
    guard let known = keys[key], now < known.at + max(window, .hours(48)) else { return .notFound }
    // A very slow provider knows nothing yet; a slow one says that it is at it.
    if now < known.appliesAt { return known.appliesAt - known.at < .seconds(11) ? .inProgress : .notFound }
    if now < known.appliesAt + lag { return .notFound }
    return known.reply.map(current) ?? .notFound
  }

  /// What the provider says of a charge now.
  private func current(_ reply: PaymentReply) -> PaymentReply {
    let id: String
    switch reply {
    case .actionRequired(let known), .authorised(let known, _): id = known
    case .captured, .declined, .inProgress, .notFound, .voided, .voidRefused, .refunded, .trouble: return reply
    }
    guard let entry = entries.first(where: { $0.id == id }) else { return reply }
    switch entry.status {
    case .captured: return .captured(chargeID: id, amount: entry.amount)
    case .voided: return .declined(code: "cancelled")
    case .authorised, .declined, .intent: return reply
    }
  }

  private mutating func carryOut(_ command: PaymentCommand, at now: Timestamp, delay: TimeSpan) -> PaymentReply {
    switch command {
    case .charge(let amount, _, _, _, let capture): return charge(amount, capture, at: now + delay)
    case .lookUp: return .notFound
    case .void(let id): return void(id)
    case .refund(let id, let amount): return refund(id, amount)
    }
  }

  private mutating func charge(_ amount: Amount, _ capture: CheckoutRequest.Capture, at time: Timestamp) -> PaymentReply
  {
    let id = "ch_\(entries.count + 1)"
    func note(_ status: Entry.Status, _ amount: Amount) {
      entries.append(Entry(id: id, amount: amount, status: status, appliesAt: time))
    }
    switch rule {
    case .capture where capture == .manual, .authorise:
      note(.authorised, amount)
      return .authorised(chargeID: id, amount: amount)
    case .capture:
      note(.captured, amount)
      return .captured(chargeID: id, amount: amount)
    case .captureOnly(let minor):
      let part = Amount(minor: minor, currency: amount.currency)
      note(.captured, part)
      return .captured(chargeID: id, amount: part)
    case .decline:
      note(.declined, amount)
      return .declined(code: "insufficient_funds")
    case .actionRequired:
      note(.intent, amount)
      return .actionRequired(chargeID: id)
    case .actionCompleted:
      note(.captured, amount)
      return .actionRequired(chargeID: id)
    }
  }

  private mutating func void(_ id: String) -> PaymentReply {
    guard let index = entries.firstIndex(where: { $0.id == id }) else {
      return .trouble(.notApplied(.permanent, detail: "no such charge"))
    }
    switch entries[index].status {
    case .captured: return .voidRefused(detail: "captured already")
    case .authorised, .intent, .voided:
      entries[index].status = .voided
      return .voided
    case .declined: return .voided
    }
  }

  private mutating func refund(_ id: String, _ amount: Amount) -> PaymentReply {
    guard let index = entries.firstIndex(where: { $0.id == id }), entries[index].status == .captured,
      !refusesRefunds
    else { return .trouble(.notApplied(.permanent, detail: "refund refused")) }
    entries[index].refunds.append(amount.minor)
    if entries[index].refunds.reduce(0, +) > entries[index].amount.minor {
      violations.append("more was refunded than captured")
    }
    return .refunded(refundID: "re_\(id)_\(entries[index].refunds.count)", amount: amount)
  }
}

/// Stock, held for a time.
struct TestStock {
  struct Held: Hashable {
    let id: String
    let expiresAt: Timestamp
    var status = Status.held

    enum Status: Hashable { case held, confirmed, released, gone }
  }

  var holdTime: TimeSpan = .seconds(600)
  var available = 1000
  var refusesReleases = false
  private(set) var holds: [Held] = []
  private var keys: [ProviderKey: InventoryReply] = [:]

  mutating func answer(_ command: InventoryCommand, key: ProviderKey, at now: Timestamp) -> InventoryReply {
    expire(now)
    switch command {
    case .reserve(_, let lines):
      if let known = keys[key] { return known }
      let reply: InventoryReply
      if holds.count(where: { $0.status == .held || $0.status == .confirmed }) < available {
        let hold = Held(id: "hold_\(holds.count + 1)", expiresAt: now + holdTime)
        holds.append(hold)
        reply = .reserved(id: hold.id, expiresAt: hold.expiresAt)
      } else {
        reply = .outOfStock(lines: lines.map(\.lineID))
      }
      // Only a hold is remembered under its key: the least that a service may do.
      if case .reserved = reply { keys[key] = reply }
      return reply
    case .confirm(let id):
      guard let index = holds.firstIndex(where: { $0.id == id }) else { return .gone }
      switch holds[index].status {
      case .held, .confirmed:
        holds[index].status = .confirmed
        return .confirmed
      case .gone, .released: return .gone
      }
    case .release(let id):
      if refusesReleases { return .trouble(.notApplied(.permanent, detail: "release refused")) }
      guard let index = holds.firstIndex(where: { $0.id == id }) else { return .gone }
      if holds[index].status != .gone { holds[index].status = .released }
      return .released
    }
  }

  private mutating func expire(_ now: Timestamp) {
    for index in holds.indices where holds[index].status == .held && holds[index].expiresAt <= now {
      holds[index].status = .gone
    }
  }

  /// Holds in use although they have not run out by `time`.
  func kept(at time: Timestamp) -> [Held] {
    holds.filter { $0.status == .confirmed || ($0.status == .held && $0.expiresAt > time) }
  }
}

/// Receipts, one for each key while it is remembered.
struct TestReceipts {
  private(set) var sent: [String] = []
  private var keys: [ProviderKey: Timestamp] = [:]
  var refuses = false

  mutating func answer(key: ProviderKey, at now: Timestamp, window: TimeSpan) -> ReceiptReply {
    if refuses { return .trouble(.notApplied(.permanent, detail: "422")) }
    if let at = keys[key], now < at + window { return .created(url: "https://r.example/1") }
    keys[key] = now
    sent.append(key.text)
    return .created(url: "https://r.example/\(sent.count)")
  }
}
