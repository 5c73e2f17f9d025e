// Reference data as a value: what it knows, what it does not, and what it cannot tell.

import CheckoutCore
import Testing

@Suite("Reference data")
struct ReferenceDataTests {
  private let key = AccountKey(merchantID: "shop-eu", accountID: "a")

  @Test("of two entries with one key the later counts")
  func laterWins() {
    let data = ReferenceData(
      version: ReferenceVersion("1"),
      accounts: [AccountEntry(key: key, status: .enabled), AccountEntry(key: key, status: .disabled)], prices: [])
    #expect(data.accounts.answer(for: key) == .known(.disabled))
    #expect(data.accounts.count == 1)
  }

  @Test("a complete table says absent, a partial one that it was not loaded")
  func coverage() {
    let complete = ReferenceTable<AccountKey, AccountStatus>(coverage: .complete)
    let partial = ReferenceTable<AccountKey, AccountStatus>(coverage: .partial)
    #expect(complete.answer(for: key) == .absent)
    #expect(partial.answer(for: key) == .notLoaded)
  }

  @Test("a table whose source is down is not believed, even where it has an entry")
  func unavailable() {
    var table = ReferenceTable(coverage: .complete, entries: [(key, AccountStatus.enabled)])
    table.coverage = .unavailable
    #expect(table.answer(for: key) == .notLoaded)
    table.coverage = .complete
    #expect(table.answer(for: key) == .known(.enabled))
  }

  @Test("a tombstone removes an entry; in a partial table it is remembered as absent")
  func tombstones() {
    var complete = ReferenceTable(coverage: .complete, entries: [(key, AccountStatus.enabled)])
    complete.set(nil, for: key)
    #expect(complete.answer(for: key) == .absent)
    #expect(complete.count == 0)
    var partial = ReferenceTable(coverage: .partial, entries: [(key, AccountStatus.enabled)])
    partial.set(nil, for: key)
    #expect(partial.answer(for: key) == .absent)
    #expect(partial.count == 1)
  }
}
