// `checkout dead-letters list|show`: what could not be processed, as it is.

import CheckoutStages
import CheckoutTools
import CheckoutWire
import Operations

/// Reads dead letters for a person.
struct DeadLettersCommand {
  private static let shownMax = 100

  private let context: CommandContext

  init(_ context: CommandContext) {
    self.context = context
  }

  func list() throws(Problem) -> ExitCode {
    let limit = try context.count(ofFlag: "limit") ?? Self.shownMax
    let selection = try context.deadLetterSelection()
    let states = try context.deadLetterStates()
    let shelf = try DeadLetterShelf(context)
    let items = try shelf.letters { selection.contains($0) && states.contains($0.state) }.map(\.item)
    let shown = items.suffix(limit)
    if context.isJSON {
      for item in shown { context.output.write(item.json(isWhole: false) + "\n") }
    } else if items.isEmpty {
      context.output.write("no dead letters\(selection == DeadLetterSelection() ? "" : " that fit")\n")
    } else {
      context.output.write(DeadLetterText.table(Array(shown), at: context.now, columns: context.output.columns))
    }
    if shown.count < items.count {
      context.errors.write("the last \(shown.count) of \(items.count) shown; --limit \(items.count) shows all\n")
    }
    return .ok
  }

  func show() throws(Problem) -> ExitCode {
    let selection = try context.deadLetterSelection()
    let items = try DeadLetterShelf(context).letters { selection.contains($0) }.map(\.item)
    guard !items.isEmpty else {
      throw Problem(
        .foundWrong, "there is no dead letter \(context.command.positionals[0])",
        remedy: "see: checkout dead-letters list")
    }
    for (index, item) in items.enumerated() {
      if context.isJSON {
        context.output.write(item.json(isWhole: true) + "\n")
      } else {
        let page = DeadLetterText.page(item, showsWhole: context.command.has("whole"))
        context.output.write((index > 0 ? "\n" : "") + page)
      }
    }
    return .ok
  }
}

extension CommandContext {
  /// The letters that positionals and flags mean.
  func deadLetterSelection() throws(Problem) -> DeadLetterSelection {
    var selection = DeadLetterSelection(
      code: command.value("code"), stage: command.value("stage"), topic: command.value("topic"))
    for text in command.positionals {
      guard let place = DeadLetterSelection.place(text, deadLetters: topics.name(.deadLetters)) else {
        throw .usage(
          "\(text) names no dead letter",
          remedy: "write PARTITION-OFFSET, PARTITION-OFFSET..OFFSET, or SOURCE_TOPIC-PARTITION-OFFSET")
      }
      selection.places.append(place)
    }
    return selection
  }

  fileprivate func deadLetterStates() throws(Problem) -> Set<DeadLetterItem.State> {
    guard let text = command.value("state") else { return Set(DeadLetterItem.State.allCases) }
    let all = DeadLetterItem.State.allCases.map(\.rawValue)
    guard let state = DeadLetterItem.State(rawValue: text) else {
      throw .usage("--state \(text)\(NearestName.hint(text, among: all))", remedy: "use \(all.joined(separator: ", "))")
    }
    return [state]
  }

  /// A flag's value as a number above 0; nil: not given.
  func count(ofFlag flag: String) throws(Problem) -> Int? {
    guard let text = command.value(flag) else { return nil }
    guard let count = Int(text), count > 0 else {
      throw .usage("--\(flag) \(text) is not a number above 0", remedy: "see: checkout \(command.name) --help")
    }
    return count
  }
}
