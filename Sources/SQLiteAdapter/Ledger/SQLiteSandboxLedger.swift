// The sandbox's memory in a file of its own: survives restarts, and is shared by all processes that name it.

package import CheckoutCore
package import CheckoutSandbox
import Synchronization

/// A ledger in one SQLite file (`sandbox:LEDGER`).
package final class SQLiteSandboxLedger: SandboxLedger {
  private let store: Mutex<SQLiteLedgerStore>

  /// Opens the ledger at `path`. Throws what a person has to do (exit 3).
  package init(path: String, missing: MissingFile) throws(DatabaseOpenProblem) {
    let database = try DatabaseFile(path: path, kind: ledgerKind).open(missing: missing) { (_) throws(SQLiteProblem) in
    }
    do throws(SQLiteProblem) {
      store = Mutex(try SQLiteLedgerStore(database: database))
    } catch {
      throw DatabaseOpenProblem("\(path) cannot be used: \(error)")
    }
  }

  package func transact(_ body: (any SandboxStore) throws(LedgerProblem) -> Void) throws(LedgerProblem) {
    let problem = store.withLock { store -> LedgerProblem? in
      do throws(LedgerProblem) {
        try store.patiently(store.begin)
        try body(store)
        try store.patiently(store.commit)
        return nil
      } catch {
        if !store.database.isAutocommit { try? store.rollback.run() }
        return error
      }
    }
    if let problem { throw problem }
  }

  package func entries(after sequence: Int64, limit: Int) throws(LedgerProblem) -> [LedgerEntry] {
    try read { (store) throws(LedgerProblem) in try store.entries(after: sequence, limit: limit) }
  }

  package func entries(ofCheckout checkout: CheckoutKey) throws(LedgerProblem) -> [LedgerEntry] {
    try read { (store) throws(LedgerProblem) in try store.entries(ofCheckout: checkout) }
  }

  private func read(
    _ body: (SQLiteLedgerStore) throws(LedgerProblem) -> [LedgerEntry]
  ) throws(LedgerProblem)
    -> [LedgerEntry]
  {
    let result = store.withLock { store -> Result<[LedgerEntry], LedgerProblem> in
      do throws(LedgerProblem) { return .success(try body(store)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}

extension SQLiteLedgerStore {
  /// Each try waits up to 250 ms for another process's lock, so this gives up after about half a minute.
  private static var triesMax: Int { 120 }

  fileprivate func patiently(_ statement: SQLiteStatement) throws(LedgerProblem) {
    var tries = 0
    while true {
      do throws(SQLiteProblem) {
        return try statement.run()
      } catch {
        tries += 1
        if error.kind != .busy || tries >= Self.triesMax { throw LedgerProblem(error.description) }
      }
    }
  }
}
