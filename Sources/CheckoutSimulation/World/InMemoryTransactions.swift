// The transaction coordinator of the broker in memory: one writer for each transactional id, fencing by epoch, offsets that wait
// for the end of their transaction.

import WorkerEngine

/// Who may write under which transactional id, and what is open.
///
/// of one id: none ──initialise──► idle ──first write──► open ──commit, abort, time-out──► idle
final class InMemoryTransactions {
  /// A producer as the coordinator knows it: a call with another epoch than the latest is refused for good.
  struct Producer: Hashable {
    let id: String
    let epoch: Int
  }

  private struct Open {
    let number: Int
    /// The producer's own count, so that a repeated commit is known again.
    let serial: Int
    let since: Int64
    var records: [TopicPartition: Set<Int64>] = [:]
    var commits: [(group: InMemoryGroup, commit: PartitionCommit)] = []
  }

  private struct Owner {
    var epoch = 0
    var open: Open?
    /// The latest transaction that was committed.
    var committed = 0
  }

  private unowned let broker: InMemoryBroker
  private var owners: [String: Owner] = [:]
  private var numbers = 0

  static let fenced = TransactionError(
    code: "_FENCED", message: "a newer producer has this id (_FENCED)", isFatal: true)
  private static let invalidState = TransactionError(
    code: "INVALID_TXN_STATE", message: "no such transaction (INVALID_TXN_STATE)", isFatal: true)

  init(broker: InMemoryBroker) {
    self.broker = broker
  }

  var hasOpen: Bool { owners.values.contains { $0.open != nil } }

  /// When the first open transaction times out (boot clock).
  var nextDue: Int64? {
    var due: Int64?
    for owner in owners.values {
      guard let open = owner.open else { continue }
      let end = open.since + broker.settings.transactionTimeoutNanoseconds
      due = min(due ?? end, end)
    }
    return due
  }

  /// Takes an id over: ends what is open, fences who wrote before.
  func initialise(_ id: String) -> Producer {
    abort(id)
    owners[id, default: Owner()].epoch += 1
    // A new producer counts its transactions from the beginning.
    owners[id]?.committed = 0
    return Producer(id: id, epoch: owners[id]?.epoch ?? 0)
  }

  /// Writes outputs into the producer's transaction `serial`, which begins if it is not open.
  func write(_ outputs: [Output], by producer: Producer, serial: Int) -> TransactionError? {
    guard owners[producer.id]?.epoch == producer.epoch else { return Self.fenced }
    for output in outputs {
      let number = open(producer, serial)
      let place = broker.append(output, transaction: number)
      owners[producer.id]?.open?.records[place.partition, default: []].insert(place.offset)
    }
    return nil
  }

  /// Adds offsets to the transaction if the member is one of the group in this generation.
  func addOffsets(
    _ commits: [PartitionCommit], of member: InMemoryBrokerEndpoint, in group: InMemoryGroup, generation: Int,
    by producer: Producer, serial: Int
  ) -> TransactionError? {
    guard owners[producer.id]?.epoch == producer.epoch else { return Self.fenced }
    guard group.contains(member) else { return Self.groupMoved("UNKNOWN_MEMBER_ID") }
    guard group.accepts(member, generation: generation) else { return Self.groupMoved("ILLEGAL_GENERATION") }
    if let long = commits.first(where: { $0.metadata.utf8.count > broker.settings.metadataCharactersMax }) {
      return TransactionError(
        code: "OFFSET_METADATA_TOO_LARGE", message: "metadata of \(long.partition) is too large", requiresAbort: true)
    }
    _ = open(producer, serial)
    for commit in commits { owners[producer.id]?.open?.commits.append((group, commit)) }
    return nil
  }

  /// Makes everything visible. Again after it was done: nothing more.
  func commit(by producer: Producer, serial: Int) -> TransactionError? {
    guard let owner = owners[producer.id], owner.epoch == producer.epoch else { return Self.fenced }
    if owner.committed == serial { return nil }
    guard let open = owner.open, open.serial == serial else {
      // Nothing was written: an empty transaction.
      return owner.open == nil ? nil : Self.invalidState
    }
    owners[producer.id]?.open = nil
    owners[producer.id]?.committed = serial
    end(open, isCommitted: true)
    return nil
  }

  func abort(by producer: Producer) -> TransactionError? {
    guard owners[producer.id]?.epoch == producer.epoch else { return Self.fenced }
    abort(producer.id)
    return nil
  }

  /// Aborts what is open for too long; its producer is fenced.
  func expire() {
    for id in owners.keys.sorted() {
      guard let open = owners[id]?.open,
        open.since + broker.settings.transactionTimeoutNanoseconds <= broker.now.boot
      else { continue }
      abort(id)
      owners[id]?.epoch += 1
    }
  }

  /// True while an open transaction holds offsets of these partitions back: nobody can tell what is committed.
  func holdsOffsets(of group: InMemoryGroup, _ partitions: [TopicPartition]) -> Bool {
    owners.values.contains { owner in
      owner.open?.commits.contains { $0.group === group && partitions.contains($0.commit.partition) } ?? false
    }
  }

  private func open(_ producer: Producer, _ serial: Int) -> Int {
    if let open = owners[producer.id]?.open { return open.number }
    numbers += 1
    owners[producer.id]?.open = Open(number: numbers, serial: serial, since: broker.now.boot)
    return numbers
  }

  private func abort(_ id: String) {
    guard let open = owners[id]?.open else { return }
    owners[id]?.open = nil
    end(open, isCommitted: false)
  }

  private func end(_ open: Open, isCommitted: Bool) {
    let partitions = open.records.keys.sorted { ($0.topic, $0.partition) < ($1.topic, $1.partition) }
    for partition in partitions {
      broker.close(open.number, in: partition, aborted: isCommitted ? [] : open.records[partition] ?? [])
    }
    guard isCommitted else { return }
    for (group, commit) in open.commits {
      group.offsets[commit.partition] = CommittedOffset(offset: commit.offset, metadata: commit.metadata)
    }
  }

  private static func groupMoved(_ code: String) -> TransactionError {
    TransactionError(code: code, message: "the group has moved on (\(code))", requiresAbort: true)
  }
}
