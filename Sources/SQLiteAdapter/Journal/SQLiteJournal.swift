// The embedded journal: a queue in front, one thread that takes everything queued and commits it as one transaction.

package import CheckoutCore
import Operations
import Synchronization

/// The journal in one SQLite file on this host. Several processes may use one file.
///
/// Requests are answered after the commit that holds them is synced to the disk. While the file cannot be written
/// (locked, disk full) answers wait, and `trouble` says why.
package final class SQLiteJournal: Journal {
  package let id: String
  private let worker: JournalWorker
  private let thread: NamedThread

  /// Opens the journal at `path`.
  ///
  /// `newID` names a journal that is made; it must be drawn anew for each. Throws what a person has to do (exit 3).
  /// Opening may block for the time another process holds the file.
  package init(
    path: String, missing: MissingFile, time: JournalTimeSource, newID: String = SQLiteJournal.drawnID()
  ) throws(DatabaseOpenProblem) {
    let store = try JournalStore(path: path, missing: missing, time: time, newID: newID)
    id = store.id
    let worker = JournalWorker(store: store)
    self.worker = worker
    do throws(ThreadProblem) {
      thread = try NamedThread(name: "journal") { worker.run() }
    } catch {
      throw DatabaseOpenProblem(error.description)
    }
  }

  package func submit(_ requests: [JournalRequest], sink: @escaping JournalSink) {
    worker.submit(requests, sink: sink)
  }

  /// Why the journal cannot write at present; nil: all is well. For readiness.
  package var trouble: String? { worker.trouble }

  /// What was done so far; for metrics.
  package var statistics: JournalStatistics { worker.statistics }

  /// Commits and answers everything submitted so far, then closes the file. If that takes longer than `patience`, the
  /// rest is dropped unanswered and false is returned. What is submitted afterwards is never answered. Blocks the caller.
  @discardableResult
  package func close(patience: TimeSpan = .seconds(5)) -> Bool {
    let finished = worker.close(patience: patience)
    thread.join()
    return finished
  }

  /// 128 bits from the system's generator, as hex.
  package static func drawnID() -> String {
    var generator = SystemRandomNumberGenerator()
    let digits = Array("0123456789abcdef")
    return String((0..<32).map { _ in digits[Int(truncatingIfNeeded: generator.next() & 15)] })
  }
}

/// Counts since the journal was opened.
package struct JournalStatistics: Hashable, Sendable {
  /// Transactions committed.
  package var commits = 0
  /// Requests answered.
  package var answered = 0
  /// The largest batch so far.
  package var largestBatch = 0
}
