// Puts the workers together: stage, broker, clock, settings. The only place that names concrete types for them all.

import CheckoutCore
import CheckoutStages
import CheckoutWire
import KafkaAdapter
import Operations
import Synchronization
import WorkerEngine

/// The engine's clock from the process's.
final class WorkerClock: EngineClock, Sendable {
  private let clock: any ProcessClock

  init(_ clock: any ProcessClock) {
    self.clock = clock
  }

  func now() -> Moment { Moment(wall: clock.wallNanoseconds(), boot: clock.bootNanoseconds()) }
}

/// What the workers of a process are made from.
struct PipelineParts: Sendable {
  let brokers: String
  let topics: TopicNames
  let policy: ValidationPolicy
  let saga: SagaSettings
  let ports: AttemptPorts?
  let reference: ReferenceSource?
  /// This process's stable name.
  let instance: String
  let delivery: DeliveryMode
  /// Drawn anew for every start.
  let incarnation: UInt64
  /// Where the workers' numbers go.
  let metrics = MetricRegistry()
}

/// The running workers of a process.
final class Pipeline: Sendable {
  private let threads: [WorkerThread]
  private let bell: Doorbell
  /// The names under which the workers hold leases in the journal.
  let leaseholders: [WorkerID]

  /// Starts a worker for each stage. When one ends by itself all are asked to stop.
  init(_ stages: [StageName], _ parts: PipelineParts, _ context: CommandContext, log: Log) throws(Problem) {
    let bell = Doorbell()
    var threads: [WorkerThread] = []
    var leaseholders: [WorkerID] = []
    for stage in stages {
      let recipe = try WorkerRecipe(stage, parts, context, log: log)
      leaseholders.append(recipe.attempts.worker)
      let thread = try WorkerThread(stage, make: { () throws(Problem) in try recipe.make() }) { stage, ending in
        Pipeline.report(stage, ending, log)
        bell.ring()
      }
      parts.metrics.onReading { [metrics = recipe.metrics] in metrics.refresh(thread.health) }
      threads.append(thread)
    }
    self.threads = threads
    self.bell = bell
    self.leaseholders = leaseholders
  }

  private static func report(_ stage: StageName, _ ending: WorkerStatus, _ log: Log) {
    switch ending {
    case .running: break
    case .stopped(let unfinished, let uncommitted):
      log.info(
        "worker stopped",
        [.stage: .text(stage.rawValue), .count: .integer(Int64(unfinished)), .retriable: .flag(uncommitted)])
    case .failed(let failure):
      log.error("worker failed", [.stage: .text(stage.rawValue), .detail: .text(failure.message)])
    }
  }

  /// Asks all workers to drain and leave. Any thread.
  func requestStop() {
    for thread in threads { thread.requestStop() }
  }

  /// True once every worker has its partitions.
  var isAssigned: Bool {
    threads.allSatisfy { $0.health?.assigned == true }
  }

  /// The first failure, if any worker failed.
  var failure: WorkerFailure? {
    for thread in threads { if case .failed(let failure)? = thread.ending { return failure } }
    return nil
  }

  /// Waits until all have ended; one that fails takes the others with it. Returns how the process should end.
  func waitForEnd() -> ExitCode {
    while threads.contains(where: { $0.ending == nil }) {
      bell.wait()
      requestStop()
    }
    for thread in threads { thread.join() }
    switch failure?.kind {
    case .fenced: return .conflict
    case .environment: return .environment
    case nil: return .ok
    }
  }
}

/// How one worker is made; used on the worker's own thread.
struct WorkerRecipe: Sendable {
  private let stage: StageName
  private let parts: PipelineParts
  private let kafka: KafkaSettings
  private let group: KafkaGroupSettings
  private let worker: WorkerSettings
  let attempts: AttemptStageSettings
  private let payloadBytesMax: Int
  private let clock: any ProcessClock
  private let log: Log
  let metrics: WorkerMetrics

  init(_ stage: StageName, _ parts: PipelineParts, _ context: CommandContext, log: Log) throws(Problem) {
    let settings = context.settings
    self.stage = stage
    self.parts = parts
    self.log = log
    clock = context.clock
    payloadBytesMax = settings[Setup.payloadBytesMax]
    let groupName = settings[Setup.groupPrefix] + stage.rawValue
    metrics = WorkerMetrics(
      stage: stage.rawValue, input: parts.topics.name(stage.input), topics: parts.topics, registry: parts.metrics)
    kafka = try context.kafka(brokers: parts.brokers, clientID: groupName, log: log, metrics: metrics)
    group = KafkaGroupSettings(
      group: groupName, topics: [parts.topics.name(stage.input)],
      instanceID: settings[Setup.staticMembership] ? "\(parts.instance)-\(stage.rawValue)" : nil,
      delivery: parts.delivery, workerName: "\(parts.instance)-0")
    var worker = WorkerSettings(
      group: groupName, stage: stage.rawValue,
      deadLetters: DeadLetterSettings(topic: parts.topics.name(.deadLetters)) { SHA256.hex($0.array) })
    worker.context = stage == .validation ? "" : parts.ports?.journal.id ?? ""
    worker.adoptsOtherContext = context.command.has("adopt-journal")
    worker.laneHashSeed = SystemRandomNumberGenerator.draw()
    worker.outOfRange = OutOfRangePolicy(rawValue: settings[Setup.outOfRange]) ?? .fail
    worker.inFlightMax = settings[Setup.inFlightMax]
    worker.bytesWatermarks = Watermarks(
      high: settings[Setup.heldBytesMax], low: settings[Setup.heldBytesMax] / 2)
    worker.commitIntervalNanoseconds = settings[Setup.commitInterval].wholeNanoseconds
    worker.drainNanoseconds = settings[Setup.drain].wholeNanoseconds
    worker.shutdownGraceNanoseconds = settings[Setup.shutdownGrace].wholeNanoseconds
    worker.closeNanoseconds = min(worker.closeNanoseconds, worker.shutdownGraceNanoseconds / 3)
    self.worker = worker
    var attempts = AttemptStageSettings(
      saga: parts.saga, topics: parts.topics,
      worker: WorkerID("\(stage.rawValue)-\(parts.instance)/\(String(parts.incarnation, radix: 16))"),
      seed: parts.incarnation, sweepInterval: SagaSetup.span(settings[SagaSetup.sweepInterval]),
      heldItemsMax: settings[SagaSetup.heldItemsMax],
      serviceCallsMax: stage == .reconciliation
        ? min(settings[SagaSetup.serviceCallsMax], max(1, settings[Setup.inFlightMax] / 4)) : nil)
    attempts.published = { [metrics] event in metrics.count(event) }
    if stage == .reconciliation { attempts.backlog = { [metrics] backlog in metrics.show(backlog) } }
    self.attempts = attempts
  }

  /// Makes the worker and its clients.
  func make() throws(Problem) -> any RunnableWorker {
    let broker: KafkaBroker
    do throws(KafkaError) {
      broker = try KafkaBroker(settings: kafka, group: group)
    } catch {
      throw Problem(error)
    }
    let identifiers = Identifiers(digest: SHA256.digest)
    switch stage {
    case .validation: return worker(try validation(identifiers), Inbox<Never>(), broker)
    case .facade:
      let inbox = Inbox<AttemptEvent>()
      return worker(
        FacadeStage(settings: attempts, ports: try ports(), identifiers: identifiers, inbox: inbox), inbox, broker)
    case .reconciliation:
      let inbox = Inbox<AttemptEvent>()
      return worker(
        ReconciliationStage(settings: attempts, ports: try ports(), identifiers: identifiers, inbox: inbox), inbox,
        broker)
    }
  }

  private func validation(_ identifiers: Identifiers) throws(Problem) -> ValidationStage {
    guard let reference = parts.reference else { throw .usage("validation needs accounts and prices") }
    do throws(ValidationPolicyFault) {
      var settings = ValidationStageSettings(
        policy: parts.policy, topics: parts.topics, payloadBytesMax: payloadBytesMax)
      settings.published = { [metrics] event in metrics.count(event) }
      return try ValidationStage(settings: settings, identifiers: identifiers, reference: { reference.data })
    } catch {
      throw .usage(error.message, remedy: "see: checkout config")
    }
  }

  private func ports() throws(Problem) -> AttemptPorts {
    guard let ports = parts.ports else { throw .usage("\(stage.rawValue) needs a journal and services") }
    return ports
  }

  private func worker<S: Stage>(_ stage: S, _ inbox: Inbox<S.Event>, _ broker: KafkaBroker) -> any RunnableWorker {
    let log = log
    let name = self.stage.rawValue
    return Worker(
      stage: stage, inbox: inbox, broker: broker, clock: WorkerClock(clock), settings: worker,
      notice: { [metrics] notice in
        metrics.count(notice)
        log.write(notice, stage: name)
      })
  }
}
