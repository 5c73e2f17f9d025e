// The journal for several hosts: a queue in front, one thread that takes everything queued and commits it as one transaction.

package import CheckoutCore
package import JournalQueue
import Operations

/// The journal in a PostgreSQL database. Any number of processes on any number of hosts may use one.
///
/// Requests are answered after the commit that holds them was acknowledged. While the server is away answers wait, and
/// `trouble` says why: the connection is made anew, and what was sent is sent again.
package final class PostgresJournal: HostedJournal {
  /// Made once when the journal was.
  package let id: String
  private let worker: JournalWorker<PostgresJournalStore>
  private let thread: NamedThread

  /// Connects to the journal at `location`. `time` stands for the server's clock, for dated samples and tests; nil: the
  /// server's own. Throws what a person has to do (exit 3). A server that does not answer, or is starting, is waited for
  /// `patience`. Blocks.
  package init(
    _ location: PostgresLocation, time: JournalTimeSource? = nil, patience: TimeSpan = .seconds(10)
  ) throws(JournalOpenProblem) {
    let abandonment = Abandonment()
    let store = try Self.open(location, time: time, patience: patience, abandonment)
    id = store.id
    let worker = JournalWorker(store: store, abandonment: abandonment)
    self.worker = worker
    do throws(ThreadProblem) {
      thread = try NamedThread(name: "journal") { worker.run() }
    } catch {
      throw JournalOpenProblem(error.description)
    }
  }

  private static func open(
    _ location: PostgresLocation, time: JournalTimeSource?, patience: TimeSpan, _ abandonment: Abandonment
  ) throws(JournalOpenProblem) -> sending PostgresJournalStore {
    let end = ContinuousClock.now + .nanoseconds(patience.nanoseconds)
    let bell = Doorbell()
    while true {
      do throws(JournalOpenProblem) {
        return try PostgresJournalStore(location: location, time: time, abandonment: abandonment)
      } catch {
        guard error.mayPass, ContinuousClock.now < end else { throw error }
        bell.wait(nanoseconds: 200_000_000)
      }
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
}
