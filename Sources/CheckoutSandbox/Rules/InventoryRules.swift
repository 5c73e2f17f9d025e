// The inventory service: holds with an end, sales, and giving back.

package import CheckoutCore

extension SandboxRules {
  /// Carries out one call to the inventory service.
  package func perform(
    _ call: GatewayCall<InventoryCommand>, in store: any SandboxStore, at now: Timestamp
  )
    throws(LedgerProblem) -> SandboxAnswer<InventoryReply>
  {
    // An inventory service has no look-up and declares no window: it must know a key as long as anybody may repeat it.
    let window = max(settings.keyWindow, .hours(48))
    switch try check(call.key, content: InventoryContent.text(call.command), window: window, in: store, at: now) {
    case .otherContent: return SandboxAnswer(.trouble(Self.keyReused))
    case .inProgress: return SandboxAnswer(.trouble(Self.inFlight))
    case .known(let record): return SandboxAnswer(reply(of: record))
    case .proceed(var record):
      switch call.command {
      case .reserve(let checkoutID, let lines):
        let checkout = CheckoutKey(merchantID: call.merchantID, checkoutID: checkoutID)
        try reserve(lines, for: checkout, record: &record, in: store, at: now)
      case .confirm(let id): try confirm(id, record: &record, in: store, at: now)
      case .release(let id): try release(id, record: &record, in: store, at: now)
      }
      try store.put(record)
      return SandboxAnswer(reply(of: record))
    }
  }

  private func reply(of record: KeyRecord) -> InventoryReply {
    switch record.outcome {
    case .reserved: .reserved(id: record.object, expiresAt: record.expiresAt ?? record.firstAt)
    case .outOfStock: .outOfStock(lines: record.detail.split(separator: "\n").map(String.init))
    case .confirmed: .confirmed
    case .gone: .gone
    case .released: .released
    case .none, .charged, .declined, .voided, .voidRefused, .refunded, .receipted, .refused:
      .trouble(.notApplied(.permanent, detail: record.detail))
    }
  }

  private func reserve(
    _ lines: [CheckoutRequest.Line], for checkout: CheckoutKey, record: inout KeyRecord, in store: any SandboxStore,
    at now: Timestamp
  ) throws(LedgerProblem) {
    let lacking = try linesWithoutStock(lines, in: store, at: now)
    guard lacking.isEmpty else {
      record.outcome = .outOfStock
      record.detail = lacking.joined(separator: "\n")
      return
    }
    let short = lines.contains { $0.sku == MagicSKU.shortHold.rawValue }
    record.outcome = .reserved
    record.object = try objectID("res", record, in: store)
    record.expiresAt = now + (short ? .seconds(1) : settings.holdDuration)
    for line in lines {
      guard let _ = try store.stockLimit(ofSKU: line.sku) else { continue }
      try store.add(StockTaker(sku: line.sku, hold: record.object, quantity: line.quantity))
    }
    let sticky = lines.contains { $0.sku == MagicSKU.releaseRefused.rawValue }
    try store.append(
      LedgerEntry(
        kind: .reserved, key: record.key, merchantID: checkout.merchantID, checkoutID: checkout.checkoutID,
        object: record.object, expiresAt: record.expiresAt, detail: sticky ? MagicSKU.releaseRefused.rawValue : "",
        at: now))
  }

  private func linesWithoutStock(
    _ lines: [CheckoutRequest.Line], in store: any SandboxStore, at now: Timestamp
  ) throws(LedgerProblem) -> [String] {
    var lacking: [String] = []
    var wanted: [String: Int64] = [:]
    for line in lines {
      if line.sku == MagicSKU.outOfStock.rawValue {
        lacking.append(line.lineID)
        continue
      }
      guard let limit = try store.stockLimit(ofSKU: line.sku) else { continue }
      let before = if let sum = wanted[line.sku] { sum } else { try taken(ofSKU: line.sku, in: store, at: now) }
      let (sum, overflow) = before.addingReportingOverflow(line.quantity)
      if overflow || sum > limit { lacking.append(line.lineID) } else { wanted[line.sku] = sum }
    }
    return lacking
  }

  /// What live holds and sales take of a limited sku; holds that ran out are forgotten on the way.
  private func taken(ofSKU sku: String, in store: any SandboxStore, at now: Timestamp) throws(LedgerProblem) -> Int64 {
    var sum: Int64 = 0
    for taker in try store.takers(ofSKU: sku) {
      switch try holdStatus(taker.hold, in: store, at: now).status {
      case .held, .confirmed: sum += taker.quantity
      case .gone: try store.removeTakers(ofHold: taker.hold)
      }
    }
    return sum
  }

  private func confirm(
    _ id: String, record: inout KeyRecord, in store: any SandboxStore, at now: Timestamp
  )
    throws(LedgerProblem)
  {
    let hold = try holdStatus(id, in: store, at: now)
    switch hold.status {
    case .gone: record.outcome = .gone
    case .confirmed: record.outcome = .confirmed
    case .held:
      record.outcome = .confirmed
      if let first = hold.first { try store.append(first.followed(by: .confirmed, key: record.key, at: now)) }
    }
  }

  private func release(
    _ id: String, record: inout KeyRecord, in store: any SandboxStore, at now: Timestamp
  )
    throws(LedgerProblem)
  {
    let hold = try holdStatus(id, in: store, at: now)
    if hold.first?.detail == MagicSKU.releaseRefused.rawValue {
      record.outcome = .refused
      record.detail = "this hold cannot be released"
      return
    }
    record.outcome = .released
    switch hold.status {
    case .gone: break
    case .held, .confirmed:
      try store.removeTakers(ofHold: id)
      if let first = hold.first { try store.append(first.followed(by: .released, key: record.key, at: now)) }
    }
  }

  private func holdStatus(
    _ id: String, in store: any SandboxStore, at now: Timestamp
  )
    throws(LedgerProblem) -> (status: HoldStatus, first: LedgerEntry?)
  {
    let entries = try store.entries(ofObject: id)
    return (HoldStatus(of: entries, at: now), entries.first)
  }
}

/// What a hold is at one moment.
package enum HoldStatus: Hashable, Sendable {
  case held
  case confirmed
  /// Released, run out, or never there.
  case gone

  /// Follows from the hold's entries, oldest first.
  package init(of entries: [LedgerEntry], at now: Timestamp) {
    guard let first = entries.first, first.kind == .reserved else {
      self = .gone
      return
    }
    self = (first.expiresAt ?? now) > now ? .held : .gone
    for entry in entries {
      if entry.kind == .confirmed { self = .confirmed }
      if entry.kind == .released { self = .gone }
    }
  }
}

/// What makes two inventory calls the same.
private enum InventoryContent {
  static func text(_ command: InventoryCommand) -> String {
    switch command {
    case .reserve(let checkoutID, let lines):
      lines.reduce(into: "reserve \(checkoutID)") { $0 += "\n\($1.lineID)\t\($1.sku)\t\($1.quantity)" }
    case .confirm(let id): "confirm \(id)"
    case .release(let id): "release \(id)"
    }
  }
}

extension LedgerEntry {
  /// A later effect on the same object.
  func followed(by kind: Kind, key: String, amount: Amount? = nil, at: Timestamp) -> LedgerEntry {
    LedgerEntry(
      kind: kind, key: key, merchantID: merchantID, checkoutID: checkoutID, object: object, parent: parent,
      amount: amount, at: at)
  }
}
