// The embedded journal: a queue in front, one thread that takes everything queued and commits it as one transaction.

package import CheckoutCore
package import JournalQueue
import Operations

/// The journal in one SQLite file on this host. Several processes may use one file.
///
/// Requests are answered after the commit that holds them is synced to the disk. While the file cannot be written
/// (locked, disk full) answers wait, and `trouble` says why.
package final class SQLiteJournal: HostedJournal {
  /// Made once when the journal was.
  package let id: String
  private let worker: JournalWorker<SQLiteJournalStore>
  private let thread: NamedThread

  /// Opens the journal at `path`.
  ///
  /// `newID` names a journal that is made; it must be drawn anew for each. Throws what a person has to do (exit 3).
  /// Opening may block for the time another process holds the file.
  package init(
    path: String, missing: MissingFile, time: JournalTimeSource, newID: String = SQLiteJournal.drawnID()
  ) throws(DatabaseOpenProblem) {
    let store = try SQLiteJournalStore(path: path, missing: missing, time: time, newID: newID)
    id = store.id
    let worker = JournalWorker(store: store)
    self.worker = worker
    do throws(ThreadProblem) {
      thread = try NamedThread(name: "journal") { worker.run() }
    } catch {
      throw DatabaseOpenProblem(error.description)
    }
  }

  /// Queues requests; never blocks. Any thread.
  package func submit(_ requests: [JournalRequest], sink: @escaping JournalSink) {
    worker.submit(requests, sink: sink)
  }

  package var trouble: String? { worker.trouble }

  package var statistics: JournalStatistics { worker.statistics }

  @discardableResult
  package func close(patience: TimeSpan) -> Bool {
    let finished = worker.close(patience: patience)
    thread.join()
    return finished
  }

  /// 128 bits from the system's generator, as hex.
  package static func drawnID() -> String { JournalID.drawn() }
}
