// `checkout parked list|show`: people's work list.

import CheckoutCore
import CheckoutTools
import CheckoutWire
import Operations

/// Reads the journal for a person.
struct ParkedCommand {
  private static let shownMax = 100

  private let context: CommandContext

  init(_ context: CommandContext) {
    self.context = context
  }

  func list() throws(Problem) -> ExitCode {
    let limit = try shownLimit()
    let filter = try context.parkedFilter()
    let reader = try Services.openReader(context)
    let items = filter.items(
      of: try context.read { () throws(JournalReadProblem) in try reader.parked() }, at: context.now)
    let shown = items.prefix(limit)
    if context.isJSON {
      for item in shown { context.output.write(item.json(at: context.now) + "\n") }
    } else if items.isEmpty {
      context.output.write("nothing is parked\(filter == ParkedFilter() ? "" : " that fits")\n")
    } else {
      context.output.write(ParkedText.table(Array(shown), at: context.now, columns: context.output.columns))
    }
    if shown.count < items.count {
      context.errors.write("\(shown.count) of \(items.count) shown; --limit \(items.count) shows all\n")
    }
    return .ok
  }

  private func shownLimit() throws(Problem) -> Int {
    guard let text = context.command.value("limit") else { return Self.shownMax }
    guard let limit = Int(text), limit > 0 else {
      throw .usage("--limit \(text) is not a number above 0", remedy: "see: checkout parked list --help")
    }
    return limit
  }

  func show() throws(Problem) -> ExitCode {
    let reader = try Services.openReader(context)
    let found = try ParkedLookUp(context, reader).row(of: context.command.positionals[0])
    let history = try context.read { () throws(JournalReadProblem) in try reader.history(of: found.identity.attemptID) }
    guard let item = ParkedItem(found, history: history) else { return .foundWrong }
    context.output.write(
      context.isJSON
        ? item.json(at: context.now) + "\n"
        : ParkedText.page(item, at: context.now, columns: context.output.columns))
    return .ok
  }
}

/// Finds the parked attempt a person means.
struct ParkedLookUp {
  private let context: CommandContext
  private let reader: any JournalReader

  init(_ context: CommandContext, _ reader: any JournalReader) {
    self.context = context
    self.reader = reader
  }

  /// The one parked attempt of a checkout; a problem that says what there is instead.
  func row(of checkoutID: String) throws(Problem) -> Attempt {
    let all = try context.read { () throws(JournalReadProblem) in
      try reader.attempts(ofCheckoutID: checkoutID)
    }.map(\.attempt)
    let merchant = context.command.value("merchant")
    let key = context.command.value("key")
    let fitting = all.filter { row in
      merchant.map { $0 == row.identity.merchantID } ?? true && key.map { $0 == row.identity.idempotencyKey } ?? true
    }
    let parked = fitting.filter { $0.parked != nil }
    guard let first = parked.first else { throw notParked(checkoutID, fitting) }
    guard parked.count == 1 else {
      let merchants = Set(parked.map(\.identity.merchantID)).sorted()
      throw .usage(
        merchants.count > 1
          ? "\(checkoutID) is parked at several merchants: \(merchants.joined(separator: ", "))"
          : "\(checkoutID) has several parked attempts: "
            + parked.map(\.identity.idempotencyKey).joined(separator: ", "),
        remedy: merchants.count > 1 ? "name one with --merchant" : "name one with --key")
    }
    return first
  }

  private func notParked(_ checkoutID: String, _ rows: [Attempt]) -> Problem {
    guard let last = rows.last else {
      return Problem(
        .foundWrong, "the journal knows no such checkout: \(checkoutID)", remedy: "see: checkout parked list")
    }
    return Problem(
      .foundWrong, "\(checkoutID) is not parked: it is \(last.state.name)", remedy: "see: checkout parked list")
  }
}

extension CommandContext {
  /// The filter that the flags ask for.
  func parkedFilter() throws(Problem) -> ParkedFilter {
    var filter = ParkedFilter(merchantID: command.value("merchant"), olderThan: try duration(ofFlag: "older-than"))
    guard let text = command.value("reason") else { return filter }
    let reasons = ParkReason.allCases.map(\.rawValue)
    guard let reason = ParkReason(rawValue: text) else {
      throw .usage(
        "--reason \(text): there is no such reason\(NearestName.hint(text, among: reasons))",
        remedy: "use one of \(reasons.joined(separator: ", "))")
    }
    filter.reason = reason
    return filter
  }

  /// Reads the journal; a failed read is a problem of the surroundings.
  func read<Value>(_ body: () throws(JournalReadProblem) -> Value) throws(Problem) -> Value {
    do throws(JournalReadProblem) { return try body() } catch { throw Problem(error) }
  }
}
