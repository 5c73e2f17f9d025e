// `checkout verify`: do the topics, the journal and the services' ledger keep what was promised?

import CheckoutCore
import CheckoutSandbox
import CheckoutStages
import CheckoutTools
import CheckoutWire
import KafkaAdapter
import Operations
import SQLiteAdapter
import WorkerEngine

/// Reads everything that was written down, and judges it.
struct VerifyCommand {
  private let context: CommandContext
  private let grace: TimeSpan

  private static let graceStandard = "10s"
  private static let ledgerPage = 1_000
  private static let violationsShown = 50

  init(_ context: CommandContext) throws(Problem) {
    self.context = context
    let text = context.command.value("grace") ?? Self.graceStandard
    guard let nanoseconds = SettingParser.duration(text) else {
      throw .usage("--grace \(text) is not a duration", remedy: "write it like 500ms, 10s, 5m")
    }
    grace = TimeSpan(nanoseconds: nanoseconds)
  }

  func run() throws(Problem) -> ExitCode {
    let topics = context.topics
    var evidence = Evidence(
      topics: TopicRoles { topics.name($0) }, now: Timestamp(nanoseconds: context.clock.wallNanoseconds()),
      grace: grace)
    // The ledger first, the topics last: what a checkout did at the services is followed by what is said about it.
    try addLedger(&evidence)
    try addJournal(&evidence)
    try addTopics(&evidence)
    let proof = Proof(evidence)
    if context.isJSON { context.output.write(proof.json + "\n") } else { show(proof) }
    if !proof.violations.isEmpty { return .foundWrong }
    return proof.isClean ? .ok : .environment
  }

  private func addLedger(_ evidence: inout Evidence) throws(Problem) {
    guard let ledger = try Services.readLedger(context) else { return }
    evidence.add([])
    var last: Int64 = 0
    while true {
      let page: [LedgerEntry]
      do throws(LedgerProblem) {
        page = try ledger.entries(after: last, limit: Self.ledgerPage)
      } catch {
        throw .environment("the sandbox's ledger cannot be read: \(error.description)", remedy: "check --gateways")
      }
      guard let end = page.last else { return }
      evidence.add(page)
      last = end.sequence
    }
  }

  private func addJournal(_ evidence: inout Evidence) throws(Problem) {
    let journal = try JournalLocation(context.settings).openForReading(context)
    evidence.beginJournal()
    do throws(JournalReadProblem) {
      try journal.forEachAttempt { evidence.add($0.attempt) }
    } catch {
      throw .environment("the journal cannot be read: \(error.description)", remedy: "check --journal")
    }
  }

  private func addTopics(_ evidence: inout Evidence) throws(Problem) {
    let kafka = try context.kafka(brokers: try context.brokerList(), clientID: "checkout-verify", log: nil)
    do throws(KafkaError) {
      let reader = try KafkaReader(
        settings: kafka, topics: TopicRole.allCases.map { context.topics.name($0) }, from: .earliest)
      defer { reader.close() }
      let ranges = try reader.ranges()
      for (partition, range) in zip(reader.partitions, ranges) {
        evidence.note(partition, PartitionSpan(start: range.lowerBound, end: range.upperBound))
      }
      var open = Set(ranges.indices.filter { !ranges[$0].isEmpty })
      while !open.isEmpty {
        let batch = reader.read(maxRecords: 10_000, waitNanoseconds: 500_000_000)
        for record in batch.records {
          evidence.add(TopicRecord(record, of: reader))
          if record.offset >= ranges[record.slot].upperBound - 1 { open.remove(record.slot) }
        }
        open.subtract(batch.ends)
        if let error = batch.errors.first(where: { $0.reaction != .retry }) { throw error }
      }
    } catch {
      throw Problem(error)
    }
  }

  private func show(_ proof: Proof) {
    var table = TextTable([("PROMISE", .left), ("CHECK", .left), ("VERDICT", .left), ("CHECKED", .right), ("", .left)])
    for report in proof.reports {
      let verdict =
        switch report.verdict {
        case .clean: "clean"
        case .violated: "\(report.violations.count) violated"
        case .cannotTell: "cannot tell"
        }
      table.add([report.promise, report.name, verdict, "\(report.checked)", report.doubtText])
    }
    context.output.write(table.text(columns: context.output.columns))
    let violations = proof.violations
    guard !violations.isEmpty else { return }
    context.output.write("\n")
    for violation in violations.prefix(Self.violationsShown) {
      let subject = violation.checkoutID.map { "\($0): " } ?? ""
      context.output.write("\(violation.promise) \(violation.check): \(subject)\(violation.detail)\n")
    }
    if violations.count > Self.violationsShown {
      context.output.write("… and \(violations.count - Self.violationsShown) more; all of them: --json\n")
    }
  }
}

extension TopicRecord {
  /// A record as a reader gave it.
  init(_ record: Record, of reader: KafkaReader) {
    let partition = reader.partitions[record.slot]
    self.init(
      position: Position(
        topic: partition.topic, partition: partition.partition, offset: record.offset,
        timestampMilliseconds: record.timestamp),
      key: record.key, value: record.value, headers: record.headers)
  }
}

extension Services {
  /// The sandbox's ledger for reading; nil: the gateways keep none that can be read from here.
  static func readLedger(_ context: CommandContext) throws(Problem) -> (any SandboxLedger)? {
    let location = context.settings[Setup.gateways]
    guard location.hasPrefix("sandbox:"), location.count > "sandbox:".count else { return nil }
    let path = String(location.dropFirst("sandbox:".count))
    do throws(DatabaseOpenProblem) {
      return try SQLiteSandboxLedger(path: path, missing: .refuse)
    } catch {
      throw .environment("sandbox ledger \(path): \(error.description)", remedy: "check --gateways")
    }
  }
}
