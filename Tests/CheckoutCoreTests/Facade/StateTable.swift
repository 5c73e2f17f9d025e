// The saga's table, read off the machine itself: every shape of row meets every event, and what comes of it is noted. Nothing in
// it is typed by hand; docs/states.md is written from it.

import CheckoutCore

/// What comes of each event in each state.
struct StateTable {
  /// Stands for a state with its mark.
  struct Place: Hashable, Comparable {
    let kind: StateKind
    let isParked: Bool

    init(_ row: Attempt) {
      kind = StateKind(row.state)
      isParked = row.parked != nil
    }

    var name: String { isParked ? "parked" : kind.rawValue }

    static func < (left: Place, right: Place) -> Bool {
      let order = StateKind.allCases
      let (first, second) = (order.firstIndex(of: left.kind) ?? 0, order.firstIndex(of: right.kind) ?? 0)
      return (left.isParked ? 1 : 0, first) < (right.isParked ? 1 : 0, second)
    }
  }

  private(set) var results: [StateKind: [String: Set<String>]] = [:]
  private(set) var edges: [Place: [Place: Set<String>]] = [:]
  private(set) var messages: [String: [MessageKind: Set<String>]] = [:]
  /// How many pairs of a row and an event were tried.
  private(set) var tried = 0

  /// Drives every row through every reply to the call that follows from it.
  init() throws {
    for row in try SagaRows.all() where row.parked == nil {
      for role in SagaRows.roles(of: row) {
        for start in [SagaEvent.created, .tookOver] { try explore(row, role, start) }
      }
    }
    for row in try SagaRows.all() {
      for kind in MessageKind.allCases { try meet(kind.prepared(row), kind) }
    }
  }

  private mutating func meet(_ row: Attempt, _ kind: MessageKind) throws {
    let parked = row.holdsMoney ? "parked, money held" : "parked, no money held"
    let place = row.parked == nil ? StateKind(row.state).rawValue : parked
    messages[place, default: [:]][kind, default: []].insert(try kind.meet(row).words(from: row))
  }

  private mutating func explore(_ row: Attempt, _ role: SagaRole, _ start: SagaEvent) throws {
    var saga = Saga(row: row, role: role, message: SagaRows.message, context: SagaRows.context)
    var action = saga.handle(start, SagaRows.now)
    var before = row
    for _ in 0..<8 {
      switch action {
      case .write(let write):
        // Before anything is sent: the row alone decides.
        note(before, "(none: the row decides)", outcome(of: action, from: before), to: write.row)
        before = write.row
        action = saga.handle(.written, SagaRows.now)
      case .wait: action = saga.handle(.due, SagaRows.now)
      case .call(let call):
        for reply in try SagaEventKind.replies(row) where call.takes(reply) { meet(saga, call, reply) }
        return
      case .nothing, .finish: return
      }
    }
  }

  private mutating func meet(_ calling: Saga, _ call: SagaCall, _ reply: SagaEvent) {
    var saga = calling
    let action = saga.handle(reply, SagaRows.now)
    let event = "\(call.operation.rawValue)\(call.hasEffect ? "" : " look-up"): \(reply.words)"
    tried += 1
    var next = calling.row
    if case .write(let write) = action { next = write.row }
    note(calling.row, event, outcome(of: action, from: calling.row), to: next)
  }

  private mutating func note(_ row: Attempt, _ event: String, _ result: String, to next: Attempt) {
    results[StateKind(row.state), default: [:]][event, default: []].insert(result)
    let (from, to) = (Place(row), Place(next))
    if from != to { edges[from, default: [:]][to, default: []].insert(event) }
  }

  private func outcome(of action: SagaAction, from row: Attempt) -> String {
    switch action {
    case .nothing: return "nothing"
    case .wait: return "waits, then goes on"
    case .finish(.gaveUp), .finish(.lost): return "asks again who owns it"
    case .finish(let end): return "\(end)"
    case .call(let call): return "\(call.operation.rawValue)\(call.hasEffect ? "" : " look-up")"
    case .write(let write):
      if let parked = write.row.parked { return "**parked** `\(parked.reason.rawValue)`" }
      let name = write.steps.first?.name ?? ""
      if write.row.state == row.state { return name }
      return "**\(StateKind(write.row.state).rawValue)**\(write.row.state.reasonText)"
    }
  }
}

extension SagaCall {
  /// True if the reply is of the called service's kind.
  func takes(_ reply: SagaEvent) -> Bool {
    switch (command, reply) {
    case (.inventory, .inventory), (.payment, .payment), (.receipt, .receipt): true
    case (.inventory, _), (.payment, _), (.receipt, _): false
    }
  }
}

extension SagaEvent {
  /// An answer, in a table for people.
  var words: String {
    switch self {
    case .inventory(.trouble(let trouble)), .payment(.trouble(let trouble)), .receipt(.trouble(let trouble)):
      TroubleKind(trouble).words
    case .inventory(let reply): InventoryKind(reply).rawValue.spaced
    case .payment(let reply): PaymentKind(reply).rawValue.spaced
    case .receipt(let reply): ReceiptKind(reply).rawValue.spaced
    case .created, .tookOver, .written, .conflicted, .journalRefused, .due, .serviceIsBack, .putBack, .changed, .giveUp:
      SagaEventKind(self).rawValue.spaced
    }
  }
}

extension AttemptState {
  /// ` (reason)`, in the states that have one.
  fileprivate var reasonText: String {
    switch self {
    case .releasing(let reason), .refunding(let reason), .failed(let reason): " (`\(reason.rawValue)`)"
    case .reserving, .charging, .receipting, .receiptPending, .completed, .cancelled: ""
    }
  }
}

extension String {
  /// `notFound` → `not found`.
  var spaced: String {
    reduce(into: "") { text, letter in
      if letter.isUppercase { text += " " }
      text += letter.lowercased()
    }
  }
}
