// The whole pipeline on one thread, in virtual time: real stages and engine on a broker, a journal and services in memory.
//
// Nothing runs by itself. `step` does one thing that is due now; when nothing is, the clock jumps to what is due next. The same
// inputs in the same order give the same bytes in every topic.

package import CheckoutCore
package import CheckoutSandbox
package import CheckoutStages
package import CheckoutWire
package import WorkerEngine

/// How a world is made.
package struct PipelineSettings: Sendable {
  /// Of each topic.
  package var partitions = 3
  /// What validation checks.
  package var policy = ValidationPolicy(livemode: false)
  /// Accounts and prices.
  package var reference: ReferenceData
  /// Limits and budgets of the saga.
  package var saga = SagaSettings()
  /// How often reconciliation sweeps.
  package var sweepInterval = TimeSpan.seconds(30)
  /// Most items that reconciliation holds because they are not due.
  package var heldItemsMax = 10_000
  /// The services.
  package var sandbox = SandboxSettings()
  /// The way to the services; each worker draws from a seed of its own.
  package var network = SandboxNetwork()
  /// Whether journal requests are carried out inside the call, or when nobody has anything else to do (group commit).
  package var journalDelivery = InMemoryJournal.Delivery.atOnce
  /// Seed of all jitter and faults.
  package var seed: UInt64 = 1
  /// Most messages with one stage.
  package var inFlightMax = 1024
  /// True: commits are transactions, driven call by call; false: each is one step.
  package var isTransactional = false
  /// The longest way of a broker's call in one direction.
  package var brokerLatencyMax = TimeSpan.zero
  /// What goes wrong by itself, and how often.
  package var faultRates = FaultRates()
  /// Faults that do not happen although the seed says so.
  package var faultsTakenBack: Set<FaultDecision> = []
  /// Most records taken from the broker at once.
  package var pollRecordsMax = 1024
  /// What is the matter with the services now; asked before each batch of calls.
  package var outages: @Sendable () -> SandboxOutages = { SandboxOutages() }
  /// Most calls of reconciliation to one service at one time; nil: no limit.
  package var serviceCallsMax: Int?

  /// Defaults, with these accounts and prices.
  package init(reference: ReferenceData) {
    self.reference = reference
  }
}

/// A world. Not thread-safe: whoever made it drives it.
package final class InMemoryPipeline {
  /// Steps at one instant after which something must be going round in circles.
  private static let stepsAtOneInstantMax = 200_000

  /// The world's time.
  package let clock = VirtualClock()
  /// The cluster; topics and groups are as in a deployment.
  package let broker: InMemoryBroker
  /// The journal that all workers share.
  package let journal: InMemoryJournal
  /// The services' memory.
  package let ledger = InMemorySandboxLedger()
  /// What topics are called.
  package let topics = TopicNames()
  /// How it was made.
  package let settings: PipelineSettings
  /// Decides what goes wrong by itself.
  package let faults: FaultSource
  /// The journal's host.
  package let journalClock: HostClock
  /// What the services do beside their rules.
  package let services = ServiceTrouble()
  /// Accounts and prices as validation sees them now.
  package let reference: ReferenceShelf
  /// Running workers, in the order they started; killed ones are gone.
  package private(set) var workers: [SimulatedWorker] = []
  /// True once it went round in circles at one instant: a fault of engine or stages.
  package private(set) var isStuck = false

  /// The worker of the latest step.
  package private(set) var latest: SimulatedWorker?

  private var incarnations: UInt64 = 0
  private var cursor = 0
  private var steps = (at: Int64.min, count: 0)

  /// A world without workers.
  package init(_ settings: PipelineSettings) {
    self.settings = settings
    faults = FaultSource(seed: settings.seed, rates: settings.faultRates, takenBack: settings.faultsTakenBack)
    broker = InMemoryBroker(clock: clock)
    reference = ReferenceShelf(settings.reference)
    let journalClock = HostClock(clock)
    self.journalClock = journalClock
    journal = InMemoryJournal(id: "journal-in-memory", delivery: settings.journalDelivery) {
      Timestamp(nanoseconds: journalClock.now().wall)
    }
    for role in TopicRole.allCases { broker.createTopic(topics.name(role), partitions: settings.partitions) }
  }

  /// Journal time, which is the wall clock here.
  package var now: Timestamp { Timestamp(nanoseconds: clock.now().wall) }
}

// MARK: - Workers

extension InMemoryPipeline {
  /// The consumer group of a stage.
  package static func group(_ stage: PipelineStage) -> String { "checkout-\(stage.rawValue)" }

  /// The topic a stage reads.
  package func input(_ stage: PipelineStage) -> String {
    switch stage {
    case .validation: topics.name(.requests)
    case .facade: topics.name(.validated)
    case .reconciliation: topics.name(.pending)
    }
  }

  /// Starts a worker: a new incarnation under a stable name; validation with other accounts and prices if there are any.
  /// Throws if the policy cannot be a chain.
  @discardableResult
  package func start(
    _ stage: PipelineStage, instance: Int = 1, reference: ReferenceData? = nil, wallOffset: Int64 = 0,
    bootOffset: Int64 = 0
  ) throws(ValidationPolicyFault) -> SimulatedWorker {
    incarnations += 1
    let producer = ProducerIdentity(
      transactionalID: "\(Self.group(stage))-\(instance)", actor: Int(incarnations), faults: faults,
      latencyMaxNanoseconds: settings.brokerLatencyMax.nanoseconds)
    let endpoint = broker.connect(
      group: Self.group(stage), topics: [input(stage)], producer: settings.isTransactional ? producer : nil)
    let host = HostClock(clock, wallOffset: wallOffset, bootOffset: bootOffset)
    let name = "\(stage.rawValue)-\(instance)/\(incarnations)"
    let worker: SimulatedWorker
    switch stage {
    case .validation:
      let shelf = reference.map { data in ReferenceShelf(data) } ?? self.reference
      let loop = loop(try validation(shelf), Inbox<Never>(), stage, endpoint, host)
      worker = SimulatedWorker(
        stage: stage, name: name, endpoint: endpoint, journal: nil, exchange: nil, clock: host, loop: loop)
    case .facade, .reconciliation:
      worker = attemptWorker(stage, name, endpoint, host)
    }
    workers.append(worker)
    return worker
  }

  /// One worker for each stage.
  package func startAll() throws(ValidationPolicyFault) {
    for stage in PipelineStage.allCases { try start(stage) }
  }

  /// Workers of a stage.
  package func workers(of stage: PipelineStage) -> [SimulatedWorker] { workers.filter { $0.stage == stage } }

  /// The process is gone at once.
  package func kill(
    _ worker: SimulatedWorker, pendingCommit: PendingCommit = .lost, pendingRequests: PendingRequests = .lost
  ) {
    worker.kill(pendingCommit: pendingCommit, pendingRequests: pendingRequests)
    workers.removeAll { $0 === worker }
  }

  /// A worker that has ended by itself leaves the world; its place may be taken again.
  package func remove(_ worker: SimulatedWorker) { workers.removeAll { $0 === worker } }

  private func validation(_ reference: ReferenceShelf) throws(ValidationPolicyFault) -> ValidationStage {
    try ValidationStage(
      settings: ValidationStageSettings(policy: settings.policy, topics: topics),
      identifiers: Identifiers(digest: SHA256.digest), reference: { reference.data })
  }

  private func attemptWorker(
    _ stage: PipelineStage, _ name: String, _ endpoint: InMemoryBrokerEndpoint, _ host: HostClock
  ) -> SimulatedWorker {
    let actor = Int(incarnations)
    let connection = JournalConnection(journal: journal, clock: clock, faults: faults, actor: actor)
    var network = settings.network
    network.seed = settings.seed &* 0x9E37_79B9_7F4A_7C15 &+ incarnations
    let exchange = SandboxExchange(
      ledger: ledger, settings: settings.sandbox, network: network,
      clock: SandboxClock(
        now: { [clock] in Timestamp(nanoseconds: clock.now().wall) },
        boot: { BootTime(nanoseconds: host.now().boot) }),
      outages: settings.outages)
    let trouble = TroubledGateways(exchange, services: services, faults: faults, actor: actor)
    let ports = AttemptPorts(
      journal: connection, inventory: trouble.inventory, payment: trouble.payments, receipt: trouble.receipts)
    let attempts = AttemptStageSettings(
      saga: settings.saga, topics: topics, worker: WorkerID(name), seed: settings.seed &+ incarnations,
      sweepInterval: settings.sweepInterval, heldItemsMax: settings.heldItemsMax,
      serviceCallsMax: stage == .reconciliation ? settings.serviceCallsMax : nil)
    let identifiers = Identifiers(digest: SHA256.digest)
    let inbox = Inbox<AttemptEvent>()
    let loop: any WorkerLoop
    if stage == .facade {
      loop = self.loop(
        FacadeStage(settings: attempts, ports: ports, identifiers: identifiers, inbox: inbox), inbox, stage, endpoint,
        host)
    } else {
      loop = self.loop(
        ReconciliationStage(settings: attempts, ports: ports, identifiers: identifiers, inbox: inbox), inbox, stage,
        endpoint, host)
    }
    return SimulatedWorker(
      stage: stage, name: name, endpoint: endpoint, journal: connection, exchange: exchange, clock: host,
      loop: loop)
  }

  private func loop<S: Stage>(
    _ stage: S, _ inbox: Inbox<S.Event>, _ name: PipelineStage, _ endpoint: InMemoryBrokerEndpoint, _ host: HostClock
  ) -> any WorkerLoop {
    var worker = WorkerSettings(
      group: Self.group(name), stage: name.rawValue,
      deadLetters: DeadLetterSettings(topic: topics.name(.deadLetters)) { SHA256.hex($0.array) })
    worker.context = name == .validation ? "" : journal.id
    worker.inFlightMax = settings.inFlightMax
    worker.pollRecordsMax = settings.pollRecordsMax
    return StageLoop(
      worker: Worker(stage: stage, inbox: inbox, broker: endpoint, clock: host, settings: worker), inbox: inbox)
  }
}

// MARK: - Time

extension InMemoryPipeline {
  /// Does one thing that is due now; false: nothing is.
  package func step() -> Bool {
    let now = clock.now().boot
    let isRebalanceDue = broker.advance()
    for offset in workers.indices {
      let index = (cursor + offset) % workers.count
      guard workers[index].step(at: now, isRebalanceDue: isRebalanceDue) else { continue }
      latest = workers[index]
      cursor = (index + 1) % workers.count
      return count(now)
    }
    if isRebalanceDue { return count(now) }
    guard journal.queued > 0 else { return false }
    journal.flush()
    return count(now)
  }

  /// False once it goes round in circles.
  private func count(_ now: Int64) -> Bool {
    steps = steps.at == now ? (now, steps.count + 1) : (now, 1)
    if steps.count > Self.stepsAtOneInstantMax { isStuck = true }
    return !isStuck
  }

  /// When something is due that is not due yet; nil: nothing is known to come.
  package var nextDue: Int64? {
    let now = clock.now().boot
    var due = broker.nextDue
    for worker in workers {
      guard let next = worker.nextDue(at: now) else { continue }
      due = min(due ?? next, next)
    }
    return due
  }

  /// Lets time pass.
  package func run(for span: TimeSpan) {
    _ = run(atMost: span) { false }
  }

  /// Lets time pass until the condition holds, which is looked at after every single step; false: it did not within `span`.
  @discardableResult
  package func run(atMost span: TimeSpan, until condition: () -> Bool) -> Bool {
    let end = (BootTime(nanoseconds: clock.now().boot) + span).nanoseconds
    while !condition() {
      if step() { continue }
      guard !isStuck else { return false }
      guard let due = nextDue, due <= end else {
        clock.advance(toBoot: end)
        return condition()
      }
      // A due time that has passed although nothing moved belongs to somebody who stands still.
      clock.advance(toBoot: max(due, clock.now().boot + 1))
    }
    return true
  }

  /// True if every message of every stage's topic is finished and committed.
  package var isQuiet: Bool {
    for stage in PipelineStage.allCases where broker.lag(Self.group(stage), topics: [input(stage)]) > 0 { return false }
    return !broker.hasOpenTransactions && !workers.contains { worker in worker.health.uncommitted }
  }

  /// Lets time pass until everything is finished and committed; false: it was not within `span`.
  @discardableResult
  package func settle(atMost span: TimeSpan) -> Bool {
    let end = BootTime(nanoseconds: clock.now().boot) + span
    while true {
      while step() {}
      if isStuck { return false }
      if isQuiet { return true }
      let left = end - BootTime(nanoseconds: clock.now().boot)
      guard left > .zero, let due = nextDue, due <= end.nanoseconds else { return false }
      clock.advance(toBoot: max(due, clock.now().boot + 1))
    }
  }
}

// MARK: - Messages

extension InMemoryPipeline {
  /// Everything in a topic, by partition and offset.
  package func log(_ role: TopicRole) -> [StoredRecord] { broker.log(of: topics.name(role)) }

  /// Appends a message to a topic: to this partition, or where its key belongs.
  package func send(
    _ role: TopicRole, key: Bytes?, value: Bytes?, headers: [Header] = [], partition: Int32? = nil
  ) {
    let topic = topics.name(role)
    guard let partition else {
      broker.append(Output(topic: topic, key: key, value: value, headers: headers))
      return
    }
    broker.append(
      TopicPartition(topic: topic, partition: partition), key: key, value: value, headers: headers)
  }
}
