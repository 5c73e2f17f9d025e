// What a stage asks of the engine during one call, kept flat so that a finished message costs no allocation.

/// What a stage asks of the engine during one call.
package struct Turn {
  /// One request to the engine.
  package enum Request: Sendable {
    /// The message is done; its outputs and its offset are committed together.
    case finish(Ticket, [Output])
    /// The message cannot be processed: it goes to the dead letters and is done.
    case deadLetter(Ticket, DeadLetter)
    /// The message waits for something that takes long: it no longer counts as in flight, its lane stays closed.
    case park(Ticket)
    /// The message goes on: it counts as in flight again.
    case unpark(Ticket)
    /// Outputs that belong to no message (a sweep): committed with the next job.
    case emit([Output])
  }

  /// A request without what it carries.
  struct Entry {
    enum Kind {
      /// With the next `count` outputs.
      case finish
      /// With letter number `count`.
      case deadLetter
      case park
      case unpark
      /// The next `count` outputs; its ticket means nothing.
      case emit
    }

    let kind: Kind
    let ticket: Ticket
    let count: Int
  }

  private static let noTicket = Ticket(slot: -1, offset: -1, generation: -1)

  /// The turn's time.
  package private(set) var now: Moment
  /// When the stage wants `tick` called again at the latest (boot clock); nil: no need.
  package private(set) var wakeAt: Int64?
  private(set) var entries: [Entry] = []
  private(set) var outputs: [Output] = []
  /// Index of the first output that was asked for in this turn.
  private var firstOutput = 0
  private(set) var letters: [DeadLetter] = []

  package init(now: Moment) {
    self.now = now
  }

  /// Begins again, empty, with the memory it has. What the stage asks to be produced goes behind `outputs`.
  mutating func restart(now: Moment, outputs: consuming [Output] = []) {
    self.now = now
    wakeAt = nil
    entries.removeAll(keepingCapacity: true)
    letters.removeAll(keepingCapacity: true)
    firstOutput = outputs.count
    self.outputs = outputs
  }

  /// Takes the outputs out, those given to `restart` in front.
  mutating func takeOutputs() -> [Output] {
    var taken: [Output] = []
    swap(&taken, &outputs)
    return taken
  }

  /// The message is done with these outputs.
  package mutating func finish(_ ticket: Ticket, _ outputs: [Output]) {
    entries.append(Entry(kind: .finish, ticket: ticket, count: outputs.count))
    self.outputs.append(contentsOf: outputs)
  }

  /// The message is done with this one output; cheaper than an array of one.
  package mutating func finish(_ ticket: Ticket, _ output: consuming Output) {
    entries.append(Entry(kind: .finish, ticket: ticket, count: 1))
    outputs.append(output)
  }

  /// The message goes to the dead letters.
  package mutating func deadLetter(_ ticket: Ticket, _ letter: DeadLetter) {
    entries.append(Entry(kind: .deadLetter, ticket: ticket, count: letters.count))
    letters.append(letter)
  }

  /// The message leaves the in-flight budget for a while.
  package mutating func park(_ ticket: Ticket) {
    entries.append(Entry(kind: .park, ticket: ticket, count: 0))
  }

  /// The message is back in the in-flight budget.
  package mutating func unpark(_ ticket: Ticket) {
    entries.append(Entry(kind: .unpark, ticket: ticket, count: 0))
  }

  /// Outputs without a message.
  package mutating func emit(_ outputs: [Output]) {
    guard !outputs.isEmpty else { return }
    entries.append(Entry(kind: .emit, ticket: Turn.noTicket, count: outputs.count))
    self.outputs.append(contentsOf: outputs)
  }

  /// Asks for a `tick` no later than `boot`.
  package mutating func wake(at boot: Int64) {
    wakeAt = min(wakeAt ?? boot, boot)
  }
}

extension Turn {
  /// What was asked, in order. For tests of stages; the engine reads the flat form.
  package var requests: [Request] {
    var next = firstOutput
    return entries.map { entry in
      switch entry.kind {
      case .finish:
        defer { next += entry.count }
        return .finish(entry.ticket, Array(outputs[next..<next + entry.count]))
      case .emit:
        defer { next += entry.count }
        return .emit(Array(outputs[next..<next + entry.count]))
      case .deadLetter: return .deadLetter(entry.ticket, letters[entry.count])
      case .park: return .park(entry.ticket)
      case .unpark: return .unpark(entry.ticket)
      }
    }
  }
}
