// `checkout dead-letters redrive`: sends dead letters again to where they came from; a dry run unless told otherwise.

import CheckoutStages
import CheckoutTools
import CheckoutWire
import KafkaAdapter
import Operations
import WorkerEngine

/// Sends chosen letters again.
struct RedriveCommand {
  private static let batchMax = 500
  private static let batchesPerSecond = 5

  /// One chosen letter and what is decided about it.
  private struct Choice {
    let letter: ShelvedLetter
    var decision: Redrive.Decision
  }

  private let context: CommandContext
  private let selection: DeadLetterSelection
  private let rate: Int?
  private let redrive: Redrive

  init(_ context: CommandContext) throws(Problem) {
    self.context = context
    selection = try context.deadLetterSelection()
    let isAll = context.command.has("all")
    guard isAll || selection != DeadLetterSelection() else {
      throw .usage(
        "dead-letters redrive needs ids, --code, --stage, --topic or --all", remedy: "see: checkout dead-letters list")
    }
    guard !isAll || selection.places.isEmpty else {
      throw .usage("--all and ids together", remedy: "use one of them")
    }
    rate = try context.count(ofFlag: "rate")
    redrive = Redrive(
      force: context.command.has("force"), again: context.command.has("again"),
      nowMilliseconds: context.clock.wallNanoseconds() / 1_000_000, topic: context.topics.name(.deadLetters)
    ) { SHA256.hex($0.array) }
  }

  func run() throws(Problem) -> ExitCode {
    let isDry = !context.command.has("apply")
    let shelf = try DeadLetterShelf(context)
    if !isDry {
      // From here on what the offsets say stays true until we change it: a second run at the same time is fenced.
      do throws(KafkaError) { try shelf.relay.takeOver() } catch { throw Problem(error) }
    }
    var choices = try shelf.letters { selection.contains($0) }.map {
      Choice(letter: $0, decision: redrive.decide($0.item))
    }
    try readSources(&choices, shelf)
    guard !choices.isEmpty else {
      context.output.write(context.isJSON ? "" : "no dead letters that fit\n")
      return selection.places.isEmpty ? .ok : .foundWrong
    }
    var refused: [(DeadLetterItem, String)] = []
    if !isDry { refused = try send(choices, shelf) }
    return report(choices, refused, isDry: isDry)
  }

  /// Letters that are cut or masked: the message itself from where it stood.
  private func readSources(_ choices: inout [Choice], _ shelf: DeadLetterShelf) throws(Problem) {
    var places: [String: [DeadLetterID]] = [:]
    for choice in choices {
      if case .readSource(let topic, let place) = choice.decision { places[topic, default: []].append(place) }
    }
    var found: [String: [DeadLetterID: TopicRecord]] = [:]
    for (topic, wanted) in places.sorted(by: { $0.key < $1.key }) {
      found[topic] = try shelf.sources(wanted, of: topic)
    }
    for index in choices.indices {
      guard case .readSource(let topic, let place) = choices[index].decision else { continue }
      choices[index].decision = redrive.decide(choices[index].letter.item, source: found[topic]?[place])
    }
  }

  /// Sends in batches at the rate asked for; returns what the broker refused.
  private func send(_ choices: [Choice], _ shelf: DeadLetterShelf) throws(Problem) -> [(DeadLetterItem, String)] {
    var waiting: [(letter: ShelvedLetter, output: Output)] = choices.compactMap { choice in
      if case .send(let output) = choice.decision { (choice.letter, output) } else { nil }
    }
    let total = waiting.count
    let batchSize = rate.map { max(1, min(Self.batchMax, $0 / Self.batchesPerSecond)) } ?? Self.batchMax
    let clock = SystemClock()
    let start = clock.bootNanoseconds()
    let progress = ProgressLine(context.errors, clock: clock)
    defer { progress.clear() }
    var refused: [(DeadLetterItem, String)] = []
    while !waiting.isEmpty {
      let batch = Array(waiting.prefix(batchSize))
      switch try shelf.send(batch) {
      case .done:
        waiting.removeFirst(batch.count)
        progress.show("\(total - waiting.count) of \(total) sent again")
      case .refused(output: let index, let detail):
        refused.append((batch[index].letter.item, detail))
        waiting.remove(at: index)
      case .publishedExcept(let refusals):
        refused += refusals.map { (batch[$0.output].letter.item, $0.detail) }
        waiting.removeFirst(batch.count)
      }
      guard let rate, !waiting.isEmpty else { continue }
      let due = start + Int64(total - waiting.count) * 1_000_000_000 / Int64(rate)
      Doorbell().wait(nanoseconds: max(0, due - clock.bootNanoseconds()))
    }
    return refused
  }

  private func report(_ choices: [Choice], _ refused: [(DeadLetterItem, String)], isDry: Bool) -> ExitCode {
    let refusals = Dictionary(refused.map { ($0.0.id, $0.1) }) { first, _ in first }
    var sent = 0
    var left = 0
    for choice in choices {
      let item = choice.letter.item
      let (word, text) = told(choice, refusal: refusals[item.id], isDry: isDry)
      if case .send = choice.decision, refusals[item.id] == nil { sent += 1 } else { left += 1 }
      context.output.write(
        context.isJSON ? item.redriveJSON(word, text) + "\n" : "\(item.id.text)  \(item.code)  \(text)\n")
    }
    if !context.isJSON {
      let tail = isDry && sent > 0 ? "; --apply does it" : ""
      context.output.write("\(sent) \(isDry ? "would be sent" : "sent") again, \(left) left\(tail)\n")
    }
    return refused.isEmpty && (left == 0 || selection.places.isEmpty) ? .ok : .foundWrong
  }

  private func told(_ choice: Choice, refusal: String?, isDry: Bool) -> (word: String, text: String) {
    if let refusal { return ("refused", "refused by the broker: \(refusal)") }
    switch choice.decision {
    case .send(let output):
      let source = choice.letter.item.isChanged ? ", read at its source" : ""
      let failures = choice.letter.item.generation
      return (
        isDry ? "would_send" : "sent",
        "\(isDry ? "would go" : "sent") to \(output.topic)\(source) (failed \(failures == 1 ? "once" : "\(failures) times"))"
      )
    case .leave(let reason): return (reason.rawValue, reason.text)
    case .readSource: return (Redrive.Reason.sourceGone.rawValue, Redrive.Reason.sourceGone.text)
    }
  }
}
