// Which of our messages has been answered, and how: one answer for each, told by the event's origin.

package import CheckoutCore
package import CheckoutWire
import WorkerEngine

/// An answer to one of our messages.
package struct MessageAnswer: Hashable, Sendable {
  /// What kind of answer.
  package enum Content: Hashable, Sendable {
    /// `checkout.rejected`, `completed`, `failed` or `cancelled`.
    case outcome(EventType, OutcomeView)
    /// `checkout.receipt_pending` or `checkout.parked`.
    case notice(EventType, OutcomeView)
    /// A dead letter with this code.
    case deadLetter(code: String)
  }

  /// Index of the message in its submission.
  package let message: Int
  /// `ce_id`; of a dead letter its place.
  package let id: String
  /// What was answered.
  package let content: Content

  /// True if the message needs no further answer. Parked ends it too: what comes then is a person's doing.
  package var isFinal: Bool {
    switch content {
    case .outcome, .deadLetter: true
    case .notice(let type, _): type == .parked
    }
  }
}

/// Keeps the answers of one submission.
package struct AnswerBook: Sendable {
  private let submission: Submission
  private let topics: AnswerTopics
  private var placed: [String: Int] = [:]
  /// Answers that came before their message's own record was read.
  private var early: [String: [(id: String, content: MessageAnswer.Content)]] = [:]
  private var seen: Set<String> = []

  /// For each message its answers in the order they came; repeats under one id count once.
  package private(set) var answers: [[MessageAnswer]]
  /// Messages that get no answer (tombstones).
  package private(set) var silent: Set<Int> = []

  /// A book for `submission`.
  package init(submission: Submission, topics: AnswerTopics) {
    self.submission = submission
    self.topics = topics
    answers = Array(repeating: [], count: submission.messages.count)
    for (index, message) in submission.messages.enumerated() where message.value == nil { silent.insert(index) }
  }

  /// Messages that still wait for their final answer.
  package var open: [Int] {
    answers.indices.filter { index in !silent.contains(index) && !answers[index].contains { $0.isFinal } }
  }

  /// Takes a record of any of the topics; returns the new answers it brings to light.
  package mutating func take(_ record: TopicRecord) -> [MessageAnswer] {
    switch record.position.topic {
    case topics.requests: return place(record)
    case topics.outcomes, topics.rejections: return outcome(record)
    case topics.deadLetters: return deadLetter(record)
    default: return []
    }
  }

  private mutating func place(_ record: TopicRecord) -> [MessageAnswer] {
    guard let index = submission.index(record) else { return [] }
    let place = Self.place(record.position)
    placed[place] = index
    return (early.removeValue(forKey: place) ?? []).compactMap { add(index, $0.id, $0.content) }
  }

  private mutating func outcome(_ record: TopicRecord) -> [MessageAnswer] {
    guard let event = try? EventDecoder.outcome(record.message) else { return [] }
    let content: MessageAnswer.Content =
      event.type.isOutcome ? .outcome(event.type, event.content) : .notice(event.type, event.content)
    return note(Self.place(event.origin.position), event.id, content)
  }

  private mutating func deadLetter(_ record: TopicRecord) -> [MessageAnswer] {
    guard let topic = record.text("dlq-topic"), let partition = record.text("dlq-partition"),
      let offset = record.text("dlq-offset"), let code = record.text("dlq-code")
    else { return [] }
    var place = "\(topic)/\(partition)/\(offset)"
    if topic != topics.requests, let origin = record.text("ce_origin").flatMap({ Position(text: $0) }) {
      place = Self.place(origin)
    }
    return note(place, "dead letter \(topic)/\(partition)/\(offset)", .deadLetter(code: code))
  }

  private mutating func note(_ place: String, _ id: String, _ content: MessageAnswer.Content) -> [MessageAnswer] {
    guard let index = placed[place] else {
      early[place, default: []].append((id, content))
      return []
    }
    return [add(index, id, content)].compactMap { $0 }
  }

  private mutating func add(_ index: Int, _ id: String, _ content: MessageAnswer.Content) -> MessageAnswer? {
    guard seen.insert(id).inserted else { return nil }
    let answer = MessageAnswer(message: index, id: id, content: content)
    answers[index].append(answer)
    return answer
  }

  private static func place(_ position: Position) -> String {
    "\(position.topic)/\(position.partition)/\(position.offset)"
  }
}

/// The topics an answer can be told from.
package struct AnswerTopics: Hashable, Sendable {
  let requests: String
  let outcomes: String
  let rejections: String
  let deadLetters: String

  /// Full topic names.
  package init(requests: String, outcomes: String, rejections: String, deadLetters: String) {
    self.requests = requests
    self.outcomes = outcomes
    self.rejections = rejections
    self.deadLetters = deadLetters
  }

  /// All of them.
  package var all: [String] { [requests, outcomes, rejections, deadLetters] }
}
