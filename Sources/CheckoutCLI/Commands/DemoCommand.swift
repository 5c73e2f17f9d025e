// `checkout demo`: everything in one process, on the samples, checked.

import CheckoutCore
import CheckoutSandbox
import CheckoutStages
import CheckoutTools
import CheckoutWire
import Glibc
import KafkaAdapter
import Operations
import SQLiteAdapter

/// Runs the samples through the whole pipeline.
struct DemoCommand {
  /// The whole demo is over by then, or something is badly wrong.
  private static let limitMilliseconds: Int64 = 120_000
  private static let partitions = 3
  /// The samples' date, and times short enough to watch: a lost reply is given up after 2.5 s instead of 9.
  private static let baseline = """
    [worker]
    clock_start = "2026-11-30T12:00:00Z"
    [log]
    level = "warning"
    [saga]
    call_timeout = "2500ms"
    charge_deadline = "3s"
    settle_margin = "200ms"
    """

  private let context: CommandContext

  private let folder: JournalFolder

  init(_ context: CommandContext) throws(Problem) {
    folder = try JournalFolder(keep: context.command.has("journal"))
    let overrides = folder.path.map { path in
      [SettingFlag(name: Setup.journal.definition.name, value: "sqlite:\(path)/journal.db", flag: "demo")]
    }
    self.context = try context.with(
      baseline: try SettingsFile(path: "demo", text: Self.baseline), overrides: overrides ?? [])
  }

  func run() throws(Problem) -> ExitCode {
    defer { folder.remove() }
    let files = try SampleFiles(named: context.command.value("samples"))
    let samples = try files.load()
    let reference = ReferenceSource.file(try ReferenceSource.read("\(files.folder)/reference.json"))
    let sink = try StreamLogSink()
    defer { sink.close() }
    let log = context.log(sink)
    let saga = try SagaSetup.saga(context.settings)
    let services = try Services.open(context, saga: saga, log: log)
    let cluster = try startCluster()
    let parts = PipelineParts(
      brokers: cluster.brokers, topics: context.topics, policy: context.policy, saga: saga, ports: services.ports,
      reference: reference, instance: "demo", delivery: .atLeastOnce,
      incarnation: SystemRandomNumberGenerator.draw())
    let pipeline = try Pipeline(StageName.allCases, parts, context, log: log)
    defer { services.close(pipeline.leaseholders) }
    try StopSignals.install { _ in pipeline.requestStop() }
    let result = try follow(samples, pipeline, services, cluster)
    pipeline.requestStop()
    let ending = pipeline.waitForEnd()
    withExtendedLifetime(cluster) {}
    return ending == .ok ? result : ending
  }

  private func startCluster() throws(Problem) -> MockCluster {
    do throws(KafkaError) {
      let cluster = try MockCluster()
      for role in TopicRole.allCases {
        try cluster.createTopic(context.topics.name(role), partitions: Self.partitions)
      }
      return cluster
    } catch {
      throw Problem(error)
    }
  }

  private func follow(
    _ samples: SampleSet, _ pipeline: Pipeline, _ services: Services, _ cluster: MockCluster
  ) throws(Problem) -> ExitCode {
    let submission = Submission(
      run: String(SystemRandomNumberGenerator.draw(), radix: 36), messages: samples.samples.map(\.message))
    let topics = AnswerTopics(context.topics)
    let kafka = try context.kafka(brokers: cluster.brokers, clientID: "checkout-demo", log: nil)
    let tail = try TopicTail(topics.all, settings: kafka)
    let table = AnswerTable(context.output, clock: SystemClock())
    if !context.isJSON { introduce(submission, table) }
    try Publishing.send(submission, topic: context.topics.name(.requests), kafka)
    var book = AnswerBook(submission: submission, topics: topics)
    while !book.open.isEmpty, pipeline.failure == nil, table.elapsedMilliseconds < Self.limitMilliseconds {
      for record in tail.next(limit: .milliseconds(100)) {
        for answer in book.take(record) { show(answer, samples, submission, table) }
      }
    }
    return try conclude(samples, book, services, table)
  }

  private func introduce(_ submission: Submission, _ table: AnswerTable) {
    let count = submission.messages.count
    context.output.write(
      context.output.styled("checkout demo", .strong)
        + ": \(count) messages through validation, facade and reconciliation\n\n")
    table.header("RESULT  · WHAT IT SHOWS")
  }

  private func show(_ answer: MessageAnswer, _ samples: SampleSet, _ submission: Submission, _ table: AnswerTable) {
    let message = submission.messages[answer.message]
    if context.isJSON {
      context.output.write(answer.json(name: message.name) + "\n")
    } else {
      table.print(answer, checkout: message.keyText, note: samples.samples[answer.message].title, brief: true)
    }
  }

  private func conclude(
    _ samples: SampleSet, _ book: AnswerBook, _ services: Services, _ table: AnswerTable
  ) throws(Problem) -> ExitCode {
    let ledger: LedgerReport
    do throws(LedgerProblem) {
      ledger = try LedgerReport(of: services.ledger, at: Timestamp(nanoseconds: context.clock.wallNanoseconds()))
    } catch {
      throw .environment("sandbox ledger: \(error.description)")
    }
    let report = DemoReport(
      samples: samples.samples, book: book, ledger: ledger,
      collectAll: context.policy.mode == .collectAll)
    if context.isJSON {
      context.output.write(report.json(elapsedMilliseconds: table.elapsedMilliseconds) + "\n")
    } else {
      summarise(report, table)
    }
    return report.violations.isEmpty ? .ok : .foundWrong
  }

  private func summarise(_ report: DemoReport, _ table: AnswerTable) {
    let output = context.output
    var text = "\n"
    for (type, count) in report.outcomes.sorted(by: { $0.key < $1.key }) {
      text += "\(padded(count)) \(type)\n"
    }
    text += "\(padded(report.deadLetters)) dead letters\n"
    for (type, count) in report.notices.sorted(by: { $0.key < $1.key }) {
      text += "\(padded(count)) \(type) (notice)\n"
    }
    text += "\(padded(report.charges)) charges at the provider, \(report.doubleCharges) of them double\n\n"
    for violation in report.violations { text += output.styled("not as it must be: \(violation)", .bad) + "\n" }
    let seconds = "\(table.elapsedMilliseconds / 1000).\(table.elapsedMilliseconds % 1000 / 100) s"
    text +=
      report.violations.isEmpty
      ? output.styled("all \(report.requests) requests ended as they must", .good) + " in \(seconds)\n"
      : "\(report.violations.count) of the samples' expectations are not met (\(seconds))\n"
    output.write(text)
  }

  private func padded(_ count: Int) -> String {
    let digits = "\(count)"
    return String(repeating: " ", count: max(0, 5 - digits.count)) + digits
  }
}

/// Where the demo's journal is: a folder of its own that goes with it, unless a journal was named.
struct JournalFolder {
  /// Nil: the journal that was named.
  let path: String?

  init(keep: Bool) throws(Problem) {
    guard !keep else {
      path = nil
      return
    }
    path = try TemporaryFolder.make(named: "checkout-demo")
  }

  func remove() {
    if let path { TemporaryFolder.remove(path) }
  }
}
