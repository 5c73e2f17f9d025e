// `checkout parked retry|resolve`: publishes what a person says; the reconciliation stage applies it.

import CheckoutCore
import CheckoutStages
import CheckoutTools
import CheckoutWire
import Glibc
import KafkaAdapter
import Operations
import WorkerEngine

/// Says a person's word about parked attempts.
struct ParkedWordCommand {
  private static let sendNanoseconds: Int64 = 30_000_000_000
  private static let pollNanoseconds: Int64 = 100_000_000

  private let context: CommandContext
  private let resolution: ResolvedAs?
  private let reader: any JournalReader

  init(_ context: CommandContext, resolves: Bool) throws(Problem) {
    self.context = context
    resolution = resolves ? try Self.resolution(context.command) : nil
    if resolves, (context.command.value("note") ?? "").isEmpty {
      throw .usage("parked resolve needs --note", remedy: "say in a few words why; it goes into the history")
    }
    if context.command.has("receipt-url"), resolution != .completed {
      throw .usage("--receipt-url goes only with --as completed", remedy: "see: checkout parked resolve --help")
    }
    reader = try Services.openReader(context)
  }

  private static func resolution(_ command: ParsedCommand) throws(Problem) -> ResolvedAs {
    let all = ResolvedAs.allCases.map(\.rawValue)
    let text = command.value("as") ?? ""
    guard let resolution = ResolvedAs(rawValue: text) else {
      let wrong = text.isEmpty ? "parked resolve needs --as" : "--as \(text)\(NearestName.hint(text, among: all))"
      throw .usage(wrong, remedy: "use --as \(all.joined(separator: ", --as "))")
    }
    return resolution
  }

  func run() throws(Problem) -> ExitCode {
    let timeout = try context.duration(ofFlag: "timeout") ?? .seconds(60)
    let rows = try targets()
    guard !rows.isEmpty else {
      context.output.write("nothing is parked that fits\n")
      return .ok
    }
    var plans: [PersonsWordPlan] = []
    for row in rows { plans.append(try plan(row)) }
    let kafka = try context.kafka(brokers: try context.brokerList(), clientID: "checkout-parked", log: nil)
    try Publishing.check(kafka)
    try publish(plans, kafka)
    guard context.command.has("wait") else { return said(plans) }
    return try wait(for: plans, until: SystemClock().bootNanoseconds() + timeout.nanoseconds)
  }

  /// The rows that are meant, as they are now.
  private func targets() throws(Problem) -> [Attempt] {
    let ids = context.command.positionals
    guard context.command.has("all") else {
      guard !ids.isEmpty else {
        throw .usage("\(context.command.name) needs CHECKOUT_ID, or --all", remedy: "see: checkout parked list")
      }
      let lookUp = ParkedLookUp(context, reader)
      var rows: [Attempt] = []
      for id in ids { rows.append(try lookUp.row(of: id)) }
      return rows
    }
    guard ids.isEmpty else {
      throw .usage("--all and CHECKOUT_ID together", remedy: "use one of them")
    }
    let filter = try context.parkedFilter()
    return filter.items(
      of: try context.read { () throws(JournalReadProblem) in try reader.parked() }, at: context.now
    ).map(\.row)
  }

  private func plan(_ row: Attempt) throws(Problem) -> PersonsWordPlan {
    let id = row.identity.checkoutID
    let word = PersonsWord(
      attempt: row.identity, rowVersion: try version(row), journalID: reader.id, resolution: resolution, who: who,
      note: context.command.value("note") ?? "", refundedOutside: context.command.value("refunded-outside"),
      receiptURL: context.command.value("receipt-url"))
    do throws(WordRefusal) {
      return try PersonsWordPlan(
        word, about: row, identifiers: Identifiers(digest: SHA256.digest), topics: context.topics, at: context.now)
    } catch {
      switch error {
      case .otherVersion(let now):
        throw .conflict(
          "\(id) has version \(now) now, not \(word.rowVersion): it has changed since you looked",
          remedy: "look again: checkout parked show \(id)")
      case .notParked(let state): throw Problem(.foundWrong, "\(id) is not parked: it is \(state)")
      case .moneyHeld(.refundedOutside):
        throw .usage(
          "\(id): the customer's money is with us, so it cannot end unpaid",
          remedy: "refund it at the provider and name the refund: --refunded-outside ID; or use --as completed")
      }
    }
  }

  private func version(_ row: Attempt) throws(Problem) -> Int64 {
    guard let text = context.command.value("version") else { return row.version }
    guard let version = Int64(text), version > 0 else {
      throw .usage("--version \(text) is not a number above 0", remedy: "checkout parked show prints it")
    }
    return version
  }

  /// Whom the history will name.
  private var who: String {
    if let who = context.command.value("who") { return who }
    let user = context.environment["USER"] ?? context.environment["LOGNAME"] ?? "uid\(getuid())"
    return "\(user)@\(ProcessEnvironment.hostName())"
  }

  private func publish(_ plans: [PersonsWordPlan], _ kafka: KafkaSettings) throws(Problem) {
    do throws(KafkaError) {
      let results = try KafkaPublisher(settings: kafka).publish(
        plans.map(\.output), limitNanoseconds: Self.sendNanoseconds)
      for (plan, error) in zip(plans, results) {
        if let error { throw error.during("\(plan.word.attempt.checkoutID) was not sent") }
      }
    } catch {
      throw Problem(error)
    }
  }

  private func said(_ plans: [PersonsWordPlan]) -> ExitCode {
    for plan in plans {
      let id = plan.word.attempt.checkoutID
      context.output.write(
        context.isJSON
          ? plan.json(fate: nil) + "\n" : "\(id)  said; reconciliation applies it (version \(plan.word.rowVersion))\n")
    }
    return .ok
  }

  private func wait(for plans: [PersonsWordPlan], until deadline: Int64) throws(Problem) -> ExitCode {
    var open = plans
    var wasOvertaken = false
    while !open.isEmpty, SystemClock().bootNanoseconds() < deadline {
      var left: [PersonsWordPlan] = []
      for plan in open {
        switch try fate(of: plan) {
        case .waiting, .applied: left.append(plan)
        case .overtaken:
          wasOvertaken = true
          show(plan, "overtaken", "somebody changed it first: the word has no effect; look again")
        case .settled(let row):
          show(plan, row.parked == nil ? row.state.name : "parked", row.whatCame)
        }
      }
      open = left
      if !open.isEmpty { Doorbell().wait(nanoseconds: Self.pollNanoseconds) }
    }
    for plan in open {
      if case .applied = try fate(of: plan) {
        show(plan, "applied", "applied, and being worked on")
      } else {
        show(plan, "waiting", "not applied yet; is the reconciliation stage running?")
      }
    }
    return wasOvertaken ? .conflict : open.isEmpty ? .ok : .foundWrong
  }

  private func fate(of plan: PersonsWordPlan) throws(Problem) -> PersonsWordPlan.Fate {
    let id = plan.word.attempt.attemptID
    // The row before its history: what the row says the history then knows.
    guard let row = try context.read({ () throws(JournalReadProblem) in try reader.attempt(id) })?.attempt else {
      return .overtaken
    }
    let history = try context.read { () throws(JournalReadProblem) in try reader.history(of: id) }
    return plan.fate(of: row, history: history)
  }

  private func show(_ plan: PersonsWordPlan, _ fate: String, _ text: String) {
    let id = plan.word.attempt.checkoutID
    context.output.write(context.isJSON ? plan.json(fate: fate) + "\n" : "\(id)  \(text)\n")
  }
}
