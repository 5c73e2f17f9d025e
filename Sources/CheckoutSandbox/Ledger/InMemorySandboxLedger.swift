// The sandbox's memory in this process: for the demo, tests and the simulator.

package import CheckoutCore
import Synchronization

/// A ledger that ends with its process.
package final class InMemorySandboxLedger: SandboxLedger {
  private let tables: Mutex<InMemorySandboxStore>

  /// An empty ledger.
  package init() {
    tables = Mutex(InMemorySandboxStore())
  }

  package func transact(_ body: (any SandboxStore) throws(LedgerProblem) -> Void) throws(LedgerProblem) {
    // The rules decide before they change anything and this store cannot fail, so there is nothing to undo.
    let failure = tables.withLock { tables -> LedgerProblem? in
      do throws(LedgerProblem) { try body(tables) } catch { return error }
      return nil
    }
    if let failure { throw failure }
  }

  package func entries(after sequence: Int64, limit: Int) throws(LedgerProblem) -> [LedgerEntry] {
    tables.withLock { Array($0.entries.dropFirst(Int(max(0, sequence))).prefix(limit)) }
  }

  package func entries(ofCheckout checkout: CheckoutKey) throws(LedgerProblem) -> [LedgerEntry] {
    tables.withLock { tables in (tables.byCheckout[checkout] ?? []).map { tables.entries[$0] } }
  }
}

/// The tables, guarded by the ledger's lock.
private final class InMemorySandboxStore: SandboxStore {
  private(set) var entries: [LedgerEntry] = []
  private(set) var byCheckout: [CheckoutKey: [Int]] = [:]
  private var byObject: [String: [Int]] = [:]
  private var records: [String: KeyRecord] = [:]
  private var limits: [String: Int64] = [:]
  private var takers: [String: [StockTaker]] = [:]

  func record(ofKey key: String) -> KeyRecord? { records[key] }

  func put(_ record: KeyRecord) { records[record.key] = record }

  func append(_ entry: LedgerEntry) {
    let index = entries.count
    var numbered = entry
    numbered.sequence = Int64(index + 1)
    entries.append(numbered)
    byCheckout[entry.checkout, default: []].append(index)
    byObject[entry.object, default: []].append(index)
  }

  func entries(ofObject object: String) -> [LedgerEntry] { (byObject[object] ?? []).map { entries[$0] } }

  func stockLimit(ofSKU sku: String) -> Int64? { limits[sku] }

  func setStockLimit(_ limit: Int64?, ofSKU sku: String) { limits[sku] = limit }

  func takers(ofSKU sku: String) -> [StockTaker] { takers[sku] ?? [] }

  func add(_ taker: StockTaker) { takers[taker.sku, default: []].append(taker) }

  func removeTakers(ofHold hold: String) {
    for sku in takers.keys { takers[sku]?.removeAll { $0.hold == hold } }
  }
}
