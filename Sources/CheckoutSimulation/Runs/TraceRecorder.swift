// Writes a run's timeline down: what was done to the world, and what came of it in topics, journal and services.

import CheckoutCore
import CheckoutSandbox
import CheckoutStages
import CheckoutWire
import WorkerEngine

/// One line an event: seconds since the beginning, who, what; at most 80 columns.
final class TraceRecorder {
  private static let columns = 80
  private static let whoColumns = 18

  private(set) var lines: [String] = []
  private let world: InMemoryPipeline
  private let begin: Int64
  private var ends: [TopicPartition: Int64] = [:]
  private var ledgerEnd: Int64 = 0
  private var faultCount = 0
  private var versions: [AttemptID: Int64] = [:]
  private var names: Set<String> = []

  init(_ world: InMemoryPipeline) {
    self.world = world
    begin = world.clock.now().boot
  }

  /// One line; continued on further lines if it is long.
  func note(_ who: String, _ what: String) {
    let milliseconds = (world.clock.now().boot - begin) / 1_000_000
    let fraction = String(1000 + milliseconds % 1000).dropFirst()
    let seconds = "\(milliseconds / 1000).\(fraction)"
    let time = String(repeating: " ", count: max(0, 9 - seconds.count)) + seconds
    let name = who + String(repeating: " ", count: max(0, Self.whoColumns - who.count))
    var rest = what[...]
    var head = "\(time)  \(name) "
    repeat {
      let room = max(20, Self.columns - head.count)
      lines.append(head + rest.prefix(room))
      rest = rest.dropFirst(room)
      head = String(repeating: " ", count: head.count)
    } while !rest.isEmpty
  }

  func act(_ scheduled: ScheduledAct) {
    note("act \(scheduled.number)", TraceWords.text(of: scheduled.act))
  }

  /// Looks what the latest step has changed.
  func look() {
    for worker in world.workers where names.insert(worker.name).inserted { note(worker.name, "starts") }
    let faults = world.faults.happened
    for fault in faults[faultCount...] {
      note("fault", "\(fault.kind.rawValue) strikes start \(fault.actor), no. \(fault.number)")
    }
    faultCount = faults.count
    lookAtLedger()
    lookAtJournal()
    lookAtTopics()
  }

  /// How the workers stand at the end.
  func close() {
    for worker in world.workers {
      let health = worker.health
      let commit = health.uncommitted ? (health.commitRunningSince == nil ? ", uncommitted" : ", a commit runs") : ""
      note(
        worker.name,
        "at the end: \(health.partitions) partitions, \(health.inFlight) in flight, \(health.parked) parked, "
          + "\(health.ready) ready, \(health.waiting) waiting\(health.draining ? ", draining" : "")\(commit)")
    }
  }

  private func lookAtLedger() {
    guard let entries = try? world.ledger.entries(after: ledgerEnd, limit: 1000) else { return }
    for entry in entries {
      let amount = entry.amount.map { " \($0.minor)" } ?? ""
      note("services", "\(entry.checkoutID): \(entry.kind.rawValue)\(amount)")
      ledgerEnd = entry.sequence
    }
  }

  private func lookAtJournal() {
    for row in world.journal.attempts() {
      let id = row.identity.attemptID
      guard versions[id] != row.version else { continue }
      versions[id] = row.version
      let parked = row.parked == nil ? "" : ", parked"
      let steps = world.journal.history(of: id).last?.steps.map(\.name).joined(separator: ", ") ?? ""
      note("journal", "\(row.identity.checkoutID) v\(row.version) \(row.state)\(parked): \(steps)")
    }
  }

  private func lookAtTopics() {
    for partition in world.broker.partitions(of: world.broker.topicNames) {
      for record in world.broker.read(partition, from: ends[partition] ?? 0, count: .max / 2) {
        ends[partition] = record.offset + 1
        if partition.topic == world.topics.name(.requests) { continue }
        let type = record.header("ce_type") ?? record.header("dlq-code") ?? ""
        let origin = record.origin.map { " of \($0.partition)/\($0.offset)" } ?? ""
        note(
          "\(partition.topic.dropFirst(9))/\(partition.partition)@\(record.offset)",
          "\(record.keyText) \(type)\(origin)")
      }
    }
  }
}

/// Acts in words.
enum TraceWords {
  static func text(of act: Act) -> String {
    switch act {
    case .send(.request(let order), _, let partition):
      "request \(order.checkout) \(order.key) \(order.token) to \(partition)"
    case .send(.cancellation(let checkout), _, let partition): "cancellation of \(checkout) to \(partition)"
    case .send(.poison, let key, let partition): "poison under \(key) to \(partition)"
    case .send(.tombstone, let key, let partition): "tombstone under \(key) to \(partition)"
    case .kill(let place, let commit, let requests):
      "kill \(name(place)); its call to the broker: \(commit), to the journal: \(requests)"
    case .start(let place): "start \(name(place)) if it does not run"
    case .stop(let place): "stop \(name(place))"
    case .suspend(let place): "suspend \(name(place))"
    case .resume(let place): "resume \(name(place))"
    case .slowJournal(let place, let request, let reply):
      "journal of \(name(place)) takes \(request.milliseconds) ms, replies \(reply.milliseconds) ms"
    case .brokerDown(let span): "brokers do not answer for \(span.milliseconds) ms"
    case .services(let mode): "services: \(mode)"
    case .prices(let raised): raised ? "prices go up" : "prices are as before"
    case .setClock(let place, let offset): "wall clock of \(name(place)) set \(offset.milliseconds) ms off"
    case .setJournalClock(let offset): "journal's clock set \(offset.milliseconds) ms off"
    case .gap(let role, let partition, let count): "\(count) offsets left out of \(role) \(partition)"
    case .retention: "retention deletes what is done"
    }
  }

  private static func name(_ place: WorkerPlace) -> String { "\(place.stage.rawValue)-\(place.instance)" }
}
