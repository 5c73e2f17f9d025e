// `checkout submit`: publishes requests and, if asked, waits for what becomes of them.

import CheckoutStages
import CheckoutTools
import CheckoutWire
import KafkaAdapter
import Operations
import WorkerEngine

/// Sends the lines of a file.
struct SubmitCommand {
  private let context: CommandContext

  init(_ context: CommandContext) {
    self.context = context
  }

  func run() throws(Problem) -> ExitCode {
    let timeout = try waitLimit()
    let path = context.command.positionals[0]
    let submission = Submission(
      run: String(SystemRandomNumberGenerator.draw(), radix: 36), ndjson: try FileContents.read(path))
    guard !submission.messages.isEmpty else {
      throw .usage("\(path) holds no lines", remedy: "give one JSON object a line")
    }
    let kafka = try context.kafka(brokers: try context.brokerList(), clientID: "checkout-submit", log: nil)
    try Publishing.check(kafka)
    let answers = AnswerTopics(context.topics)
    let tail = context.command.has("wait") ? try TopicTail(answers.all, settings: kafka) : nil
    try Publishing.send(submission, topic: context.topics.name(.requests), kafka)
    guard let tail else { return sent(submission) }
    return try wait(for: submission, answers, tail, timeout)
  }

  private func waitLimit() throws(Problem) -> Duration {
    guard let text = context.command.value("timeout") else { return .seconds(60) }
    guard let nanoseconds = SettingParser.duration(text) else {
      throw .usage("--timeout \(text) is not a duration", remedy: "write it like 30s or 2m")
    }
    return .nanoseconds(nanoseconds)
  }

  private func sent(_ submission: Submission) -> ExitCode {
    let count = submission.messages.count
    context.output.write(
      context.isJSON
        ? "{\"sent\":\(count),\"run\":\"\(submission.run)\"}\n"
        : "sent \(count) message\(count == 1 ? "" : "s") to \(context.topics.name(.requests))\n")
    return .ok
  }

  private func wait(
    for submission: Submission, _ topics: AnswerTopics, _ tail: TopicTail, _ timeout: Duration
  ) throws(Problem) -> ExitCode {
    var book = AnswerBook(submission: submission, topics: topics)
    let table = AnswerTable(context.output, clock: SystemClock())
    if !context.isJSON { table.header("RESULT") }
    let limit = timeout.wholeNanoseconds / 1_000_000
    while !book.open.isEmpty, table.elapsedMilliseconds < limit {
      for record in tail.next(limit: .milliseconds(200)) {
        for answer in book.take(record) { show(answer, submission, table) }
      }
    }
    let missing = book.open
    if context.isJSON {
      context.output.write("{\"sent\":\(submission.messages.count),\"unanswered\":\(missing.count)}\n")
    } else {
      for index in missing { context.errors.write("no answer yet: \(submission.messages[index].name)\n") }
      context.output.write(
        "\(submission.messages.count - missing.count) of \(submission.messages.count) answered\n")
    }
    return missing.isEmpty ? .ok : .foundWrong
  }

  private func show(_ answer: MessageAnswer, _ submission: Submission, _ table: AnswerTable) {
    let message = submission.messages[answer.message]
    if context.isJSON {
      context.output.write(answer.json(name: message.name) + "\n")
    } else {
      table.print(answer, checkout: message.keyText, note: message.name)
    }
  }
}

/// Sends a submission and says what did not arrive.
enum Publishing {
  private static let limitNanoseconds: Int64 = 30_000_000_000

  /// A broker that cannot be reached is found at once, before anything else waits for it, and told by its name.
  static func check(_ kafka: KafkaSettings) throws(Problem) {
    do throws(KafkaError) {
      _ = try KafkaAdmin(settings: kafka).clusterID()
    } catch {
      throw Problem(error)
    }
  }

  static func send(_ submission: Submission, topic: String, _ kafka: KafkaSettings) throws(Problem) {
    do throws(KafkaError) {
      let publisher = try KafkaPublisher(settings: kafka)
      let outputs = submission.messages.indices.map { submission.output($0, topic: topic) }
      let results = publisher.publish(outputs, limitNanoseconds: limitNanoseconds)
      let failed = results.enumerated().filter { $0.element != nil }
      if let (index, error) = failed.first, let error {
        let others = failed.count > 1 ? " (and \(failed.count - 1) more)" : ""
        throw error.during("\(submission.messages[index].name) was not sent\(others)")
      }
    } catch {
      throw Problem(error)
    }
  }
}

extension AnswerTopics {
  /// The deployment's topics.
  init(_ topics: TopicNames) {
    self.init(
      requests: topics.name(.requests), outcomes: topics.name(.outcomes), rejections: topics.name(.rejections),
      deadLetters: topics.name(.deadLetters))
  }
}
