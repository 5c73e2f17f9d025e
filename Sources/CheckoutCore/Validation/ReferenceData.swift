// Accounts and prices, the authority that a request is never believed on, as one value.

/// Whether an account may buy. Raw values are the reference sources'.
package enum AccountStatus: String, Hashable, CaseIterable, Sendable {
  case enabled
  case disabled
}

/// An account of a merchant.
package struct AccountKey: Hashable, Sendable {
  /// Scope of the account.
  package let merchantID: String
  /// Unique within the merchant.
  package let accountID: String

  /// The key of one account.
  package init(merchantID: String, accountID: String) {
    self.merchantID = merchantID
    self.accountID = accountID
  }
}

/// What a price is for: an item of a merchant, in one currency.
package struct PriceKey: Hashable, Sendable {
  /// Scope of the item.
  package let merchantID: String
  /// Unique within the merchant.
  package let sku: String
  /// ISO 4217 code as in the source.
  package let currency: String

  /// The key of one price.
  package init(merchantID: String, sku: String, currency: String) {
    self.merchantID = merchantID
    self.sku = sku
    self.currency = currency
  }

  /// Without the currency: an item has few, and each text costs as much as the comparison it might save.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(merchantID)
    hasher.combine(sku)
  }
}

/// One account of a reference source.
package struct AccountEntry: Hashable, Sendable {
  /// Which account.
  package let key: AccountKey
  /// What the source says of it.
  package let status: AccountStatus

  /// An entry of its two parts.
  package init(key: AccountKey, status: AccountStatus) {
    self.key = key
    self.status = status
  }
}

/// One price of a reference source.
package struct PriceEntry: Hashable, Sendable {
  /// What it is the price of.
  package let key: PriceKey
  /// Minor units of the key's currency, ≥ 0.
  package let unitPriceMinor: Int64

  /// An entry of its two parts.
  package init(key: PriceKey, unitPriceMinor: Int64) {
    self.key = key
    self.unitPriceMinor = unitPriceMinor
  }
}

/// How much of its source a table holds.
package enum ReferenceCoverage: Hashable, Sendable {
  /// Everything: what is not in the table does not exist.
  case complete
  /// Some of it: what is not in the table has to be asked for.
  case partial
  /// The source is down or not loaded yet: nothing in the table is to be believed.
  case unavailable
}

/// What a table says about one key.
package enum ReferenceAnswer<Value: Hashable & Sendable>: Hashable, Sendable {
  case known(Value)
  /// The source certainly has no such entry.
  case absent
  /// Nobody can tell from here; ask the source.
  case notLoaded
}

/// Data a check needs and does not have.
package enum ReferenceNeed: Hashable, Sendable {
  case account(AccountKey)
  case prices([PriceKey])
}

/// One kind of reference data, by key. Changed in place by its one owner, handed to checks as a value.
package struct ReferenceTable<Key: Hashable & Sendable, Value: Hashable & Sendable>: Sendable {
  /// How much of the source is in here; set by whoever loads it.
  package var coverage: ReferenceCoverage
  // A nil value: the source was asked and has no such entry.
  private var entries: [Key: Value?]

  /// A table of `entries`; of two entries with one key the later counts, as in a compacted topic.
  package init(coverage: ReferenceCoverage, entries: [(Key, Value)] = []) {
    self.coverage = coverage
    self.entries = [:]
    self.entries.reserveCapacity(entries.count)
    for (key, value) in entries {
      self.entries.updateValue(value, forKey: key)
    }
  }

  /// Number of keys, those known to be absent included.
  package var count: Int { entries.count }

  /// What is known about `key`.
  package func answer(for key: Key) -> ReferenceAnswer<Value> {
    guard coverage != .unavailable else { return .notLoaded }
    guard let entry = entries[key] else { return coverage == .complete ? .absent : .notLoaded }
    return entry.map { .known($0) } ?? .absent
  }

  /// Records the source's word on `key`; nil: it has no such entry (a tombstone, or an empty reply).
  package mutating func set(_ value: Value?, for key: Key) {
    if value == nil, coverage == .complete {
      entries.removeValue(forKey: key)
    } else {
      entries.updateValue(value, forKey: key)
    }
  }
}

/// Accounts, prices, and the version that decisions made with them carry.
package struct ReferenceData: Sendable {
  /// Carried by every decision made with this data; set by whoever changes the tables.
  package var version: ReferenceVersion
  /// Accounts and whether they may buy.
  package var accounts: ReferenceTable<AccountKey, AccountStatus>
  /// Unit prices in minor units of the key's currency.
  package var prices: ReferenceTable<PriceKey, Int64>

  /// Data made of its two tables.
  package init(
    version: ReferenceVersion, accounts: ReferenceTable<AccountKey, AccountStatus>,
    prices: ReferenceTable<PriceKey, Int64>
  ) {
    self.version = version
    self.accounts = accounts
    self.prices = prices
  }

  /// Complete data from the entries of a source, in the source's order: later entries replace earlier ones.
  package init(version: ReferenceVersion, accounts: [AccountEntry], prices: [PriceEntry]) {
    self.init(
      version: version,
      accounts: ReferenceTable(coverage: .complete, entries: accounts.map { ($0.key, $0.status) }),
      prices: ReferenceTable(coverage: .complete, entries: prices.map { ($0.key, $0.unitPriceMinor) }))
  }

  /// No data: the source is down or not loaded yet, so requests that need it wait.
  package static func unavailable(version: ReferenceVersion) -> ReferenceData {
    ReferenceData(
      version: version, accounts: ReferenceTable(coverage: .unavailable), prices: ReferenceTable(coverage: .unavailable)
    )
  }
}
