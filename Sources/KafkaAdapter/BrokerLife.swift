// One worker's life with Kafka: clients, and new clients when the old ones are of no more use.

import Operations
import WorkerEngine

// working    -> rebuilding (the clients broke down) | closed (close)
// rebuilding -> working (the old clients are gone, new ones are made) | failed | closed (close)
// failed, closed: the end

/// What `KafkaBroker` guards: called by the worker's loop only.
struct BrokerLife: ~Copyable {
  private enum Phase {
    case working
    case rebuilding(since: Int64, NamedThread)
    case failed
    case closed
  }

  private let settings: KafkaSettings
  private let group: KafkaGroupSettings
  private let alarm: WakeDescriptor
  private var clients: KafkaClients
  private var loop: ConsumerLoop
  private var phase = Phase.working
  private var history = RebuildHistory()

  /// How long the old clients have for leaving the group.
  private static let leaveNanoseconds: Int64 = 5_000_000_000
  /// Old clients that are not gone after so long are left alone.
  private static let rebuildNanoseconds: Int64 = 20_000_000_000

  init(settings: KafkaSettings, group: KafkaGroupSettings, alarm: WakeDescriptor) throws(KafkaError) {
    self.settings = settings
    self.group = group
    self.alarm = alarm
    clients = try KafkaClients(settings: settings, group: group, alarm: alarm)
    loop = ConsumerLoop(clients, wake: alarm, group: group, generation: 0)
  }

  /// See `Broker.subscribe`.
  mutating func subscribe() -> WorkerFailure? { loop.subscribe() }

  /// See `Broker.poll`.
  mutating func poll(maxRecords: Int, waitNanoseconds: Int64) -> [BrokerEvent] {
    switch phase {
    case .working:
      var events = loop.poll(maxRecords: maxRecords, waitNanoseconds: waitNanoseconds)
      if let breakdown = loop.breakdown { beginRebuild(breakdown, &events) }
      return events
    case .rebuilding(let since, let thread):
      if !thread.waitForEnd(limitNanoseconds: 0), monotonicNanoseconds() < since + BrokerLife.rebuildNanoseconds {
        alarm.wait(limitNanoseconds: waitNanoseconds)
        return []
      }
      return finishRebuild()
    case .failed, .closed:
      alarm.wait(limitNanoseconds: waitNanoseconds)
      return []
    }
  }

  private mutating func beginRebuild(_ breakdown: ClientBreakdown, _ events: inout [BrokerEvent]) {
    let now = monotonicNanoseconds()
    switch history.next(now: now, wasFenced: breakdown.wasFenced) {
    case .fencedTooOften(let times):
      phase = .failed
      let id = (try? group.transactionalID()) ?? group.group
      events.append(
        .fatal(
          WorkerFailure(
            .fenced,
            "two live workers under one id: transactional.id \(id) was taken over by another process \(times) times within "
              + "a minute (\(breakdown.detail)); stop one of them, or give each process of a host its own "
              + "connection.instance")))
    case .rebuild(let pauseNanoseconds):
      settings.rebuilt(breakdown.wasFenced)
      clients.consumer.log(level: 4, facility: "REBUILD", "making new clients: \(breakdown.detail)")
      startRebuild(now, pauseNanoseconds, &events)
    }
  }

  private mutating func startRebuild(_ now: Int64, _ pauseNanoseconds: Int64, _ events: inout [BrokerEvent]) {
    let old = clients
    let owesRevoke = loop.owesRevoke
    do throws(ThreadProblem) {
      let thread = try NamedThread(name: "kafka-rebuild") { [alarm] in
        // The commit thread has ended, so nothing can be inside the producer any more.
        let hasLeft = old.consumer.leave(
          owesRevoke: owesRevoke, deadline: monotonicNanoseconds() + BrokerLife.leaveNanoseconds)
        _ = old.end(hasLeft: hasLeft, deadline: monotonicNanoseconds() + BrokerLife.leaveNanoseconds)
        WakeDescriptor().wait(limitNanoseconds: pauseNanoseconds)
        alarm.ring()
      }
      phase = .rebuilding(since: now, thread)
    } catch {
      phase = .failed
      events.append(.fatal(WorkerFailure(.environment, error.description)))
    }
  }

  private mutating func finishRebuild() -> [BrokerEvent] {
    do throws(KafkaError) {
      clients = try KafkaClients(settings: settings, group: group, alarm: alarm)
      loop = ConsumerLoop(clients, wake: alarm, group: group, generation: loop.generation)
      phase = .working
      return loop.subscribe().map { [.fatal($0)] } ?? []
    } catch {
      phase = .failed
      return [.fatal(WorkerFailure(.environment, error.message))]
    }
  }

  /// See `Broker.start`.
  mutating func start(generation: Int, oneBefore slots: [Int]) { loop.start(generation: generation, oneBefore: slots) }

  /// See `Broker.startOver`.
  mutating func startOver(generation: Int, slots: [Int], at place: LogPlace) {
    loop.startOver(generation: generation, slots: slots, at: place)
  }

  /// See `Broker.release`.
  mutating func release(generation: Int) { loop.release(generation: generation) }

  /// See `Broker.pause`.
  mutating func pause(_ slots: [Int]) { loop.pause(slots) }

  /// See `Broker.resume`.
  mutating func resume(_ slots: [Int]) { loop.resume(slots) }

  /// See `Broker.send`.
  func send(_ outputs: [Output], ofBatch batch: Int, generation: Int) {
    guard case .working = phase, clients.gate.admits(generation) else { return }
    let place = clients.ahead.begin(batch: batch, generation: generation, count: outputs.count) {
      clients.producer.makeBatchNumber()
    }
    guard let (number, next) = place, next < outputs.count else { return }
    let queued = clients.producer.sendAhead(outputs, next..<outputs.count, batch: number)
    clients.ahead.sent(next + queued, batch: batch, generation: generation)
  }

  /// See `Broker.commit`.
  func commit(_ job: CommitJob) { clients.commits.commit(job) }

  /// See `Broker.close`.
  mutating func close(limitNanoseconds: Int64) {
    let deadline = monotonicNanoseconds() + limitNanoseconds
    switch phase {
    case .working, .failed:
      let hasLeft = loop.leave(deadline: deadline)
      _ = clients.end(hasLeft: hasLeft, deadline: deadline)
    case .rebuilding(_, let thread):
      // It holds the old clients itself: what it cannot end in time stays with it.
      _ = thread.waitForEnd(limitNanoseconds: limitNanoseconds)
    case .closed: break
    }
    phase = .closed
  }
}
