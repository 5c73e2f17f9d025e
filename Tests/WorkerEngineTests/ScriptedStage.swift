// A stage that does what a test tells it to, and writes down what happens to it.

import WorkerEngine

/// What a test makes the stage do; goes through the inbox like any answer from outside.
enum Command: Sendable {
  case finish(Ticket, [Output])
  case deadLetter(Ticket, DeadLetter)
  case park(Ticket)
  case unpark(Ticket)
  case emit([Output])
}

/// What happened to the stage, in order. Shared with the test, on its one thread.
final class StageLog {
  private(set) var deliveries: [Delivery] = []
  private var latest: [String: Delivery] = [:]
  private var byTicket: [Ticket: Delivery] = [:]
  /// Started and neither finished nor taken away.
  var open: [Ticket] {
    openTickets.keys.sorted { left, right in (left.slot, left.offset) < (right.slot, right.offset) }
  }
  private var openTickets: [Ticket: Bool] = [:]
  var drains = 0
  var forgotten: [Ticket] = []
  var ticks: [Int64] = []
  var wantsPause = false
  /// What to do with a message when it starts; nil: keep it open.
  var onStart: (Delivery, inout Turn) -> Bool = { _, _ in false }
  var onDrain: (inout Turn) -> Void = { _ in }
  var onForget: ([Ticket], inout Turn) -> Void = { _, _ in }

  /// Values of all messages started, in order.
  var values: [String] { deliveries.map { delivery in text(delivery.record.value) } }

  func note(_ delivery: Delivery) {
    deliveries.append(delivery)
    latest[text(delivery.record.value)] = delivery
    byTicket[delivery.ticket] = delivery
  }

  func opened(_ ticket: Ticket) { openTickets[ticket] = true }

  func closed(_ ticket: Ticket) { openTickets[ticket] = nil }

  func delivery(_ ticket: Ticket) -> Delivery? { byTicket[ticket] }

  /// The ticket of the latest start of the message with this value. A test that names a message never started is wrong.
  func ticket(_ value: String) -> Ticket {
    guard let delivery = latest[value] else { preconditionFailure("\(value) was not started") }
    return delivery.ticket
  }
}

struct ScriptedStage: Stage {
  let log: StageLog

  var wantsPause: Bool { log.wantsPause }

  func lane(of record: Record) -> LaneRule {
    LaneRule(key: record.key, interrupting: record.headers.contains { header in header.name == Bytes("interrupt") })
  }

  mutating func receive(_ deliveries: [Delivery], _ turn: inout Turn) {
    for delivery in deliveries {
      log.note(delivery)
      if !log.onStart(delivery, &turn) { log.opened(delivery.ticket) }
    }
  }

  mutating func resume(_ events: [Command], _ turn: inout Turn) {
    for event in events {
      switch event {
      case .finish(let ticket, let outputs):
        log.closed(ticket)
        turn.finish(ticket, outputs)
      case .deadLetter(let ticket, let letter):
        log.closed(ticket)
        turn.deadLetter(ticket, letter)
      case .park(let ticket): turn.park(ticket)
      case .unpark(let ticket): turn.unpark(ticket)
      case .emit(let outputs): turn.emit(outputs)
      }
    }
  }

  mutating func tick(_ turn: inout Turn) { log.ticks.append(turn.now.boot) }

  mutating func drain(_ turn: inout Turn) {
    log.drains += 1
    log.onDrain(&turn)
  }

  mutating func forget(_ tickets: [Ticket], _ turn: inout Turn) {
    log.forgotten.append(contentsOf: tickets)
    for ticket in tickets { log.closed(ticket) }
    log.onForget(tickets, &turn)
  }
}

func text(_ bytes: Bytes?) -> String { String(decoding: bytes?.array ?? [], as: UTF8.self) }
