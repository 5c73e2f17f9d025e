// Accounts and prices from compacted topics: read to their ends before anything is decided, and kept current.

import CheckoutCore
import CheckoutWire
import KafkaAdapter
import Operations
import Synchronization
import WorkerEngine

/// Follows both topics on a thread of its own. Any thread may ask for the data.
///
/// Until both have been read to the ends they had at the start the data is unavailable, so requests that need it wait. When
/// the brokers are away later the last data stays in force: requests come from the same brokers. A topic made anew, or given
/// more partitions, is read again from the beginning, and what was known stays in force until that is done.
final class ReferenceTopics: Sendable {
  private struct State {
    var data = ReferenceData.unavailable(version: ReferenceVersion("topics:"))
    var isStopped = false
  }

  private final class Shared: Sendable {
    let state = Mutex(State())
    let bell = Doorbell()
    var isStopped: Bool { state.withLock { $0.isStopped } }
  }

  private static let pauseNanoseconds: Int64 = 1_000_000_000
  private static let waitNanoseconds: Int64 = 250_000_000
  private static let lookNanoseconds: Int64 = 60_000_000_000

  private let shared: Shared
  private let thread: NamedThread

  /// Starts reading. The topics' names are given for each; brokers that are away are waited for, a topic that is missing is
  /// told again and again: it may be made later.
  init(_ names: [ReferenceTopic: String], settings: KafkaSettings, clock: any ProcessClock, log: Log) throws(Problem) {
    let shared = Shared()
    self.shared = shared
    let follower = Follower(names: names, settings: settings, clock: clock, log: log, shared: shared)
    do throws(ThreadProblem) {
      thread = try NamedThread(name: "reference") { follower.run() }
    } catch {
      throw .environment(error.description)
    }
  }

  /// What is known now.
  var data: ReferenceData { shared.state.withLock { $0.data } }

  /// Ends the reading; returns once the thread is over.
  func stop() {
    shared.state.withLock { $0.isStopped = true }
    shared.bell.ring()
    thread.join()
  }

  /// The thread's work.
  private struct Follower: Sendable {
    let names: [ReferenceTopic: String]
    let settings: KafkaSettings
    let clock: any ProcessClock
    let log: Log
    let shared: Shared

    func run() {
      while !shared.isStopped {
        do throws(KafkaError) {
          try follow()
        } catch {
          log.writeLimited(.warning, "reference topics cannot be read, trying again", [.detail: .text(error.message)])
          shared.bell.wait(nanoseconds: ReferenceTopics.pauseNanoseconds)
        }
      }
    }

    /// Reads from the beginning until told to stop, or until it has to begin again.
    private func follow() throws(KafkaError) {
      let topics = ReferenceTopic.allCases.map { names[$0] ?? $0.rawValue }
      let reader = try KafkaReader(settings: settings, topics: topics, from: .earliest)
      defer { reader.close() }
      var feed = ReferenceFeed()
      var open = Set(reader.partitions.indices)
      var lookAt = clock.bootNanoseconds() + ReferenceTopics.lookNanoseconds
      while !shared.isStopped {
        let batch = reader.read(waitNanoseconds: ReferenceTopics.waitNanoseconds)
        for record in batch.records { apply(record, reader, &feed) }
        if let error = batch.errors.first(where: \.isOutOfRange) { throw error }
        if !batch.ends.isEmpty {
          open.subtract(batch.ends)
          for topic in ReferenceTopic.allCases where !open.contains(where: { self.topic(reader, $0) == topic }) {
            feed.complete(topic)
          }
        }
        if feed.isComplete, !batch.records.isEmpty || !batch.ends.isEmpty { publish(feed) }
        guard clock.bootNanoseconds() >= lookAt else { continue }
        lookAt = clock.bootNanoseconds() + ReferenceTopics.lookNanoseconds
        if reader.hasMorePartitions() { return }
      }
    }

    private func topic(_ reader: KafkaReader, _ slot: Int) -> ReferenceTopic? {
      ReferenceTopic.allCases.first { (names[$0] ?? $0.rawValue) == reader.partitions[slot].topic }
    }

    private func apply(_ record: Record, _ reader: KafkaReader, _ feed: inout ReferenceFeed) {
      guard let topic = topic(reader, record.slot) else { return }
      let partition = reader.partitions[record.slot]
      let fault = feed.apply(
        key: record.key?.array, value: record.value?.array,
        at: ReferenceFeed.Place(topic: topic, partition: partition.partition, offset: record.offset))
      guard let fault else { return }
      log.writeLimited(
        .error, "reference record refused: its entry does not exist now",
        [
          .topic: .text(partition.topic), .partition: .integer(Int64(partition.partition)),
          .offset: .integer(record.offset), .detail: .text(fault),
        ])
    }

    private func publish(_ feed: ReferenceFeed) {
      let data = feed.snapshot()
      let isFirst = shared.state.withLock { state in
        let isFirst = state.data.accounts.coverage != .complete
        state.data = data
        return isFirst
      }
      guard isFirst else { return }
      log.info(
        "reference topics read to their ends",
        [.count: .integer(Int64(data.accounts.count + data.prices.count)), .version: .text(data.version.text)])
    }
  }
}
