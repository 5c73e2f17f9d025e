// The producer of one simulated worker: drives the engine's own transaction machine in virtual time. Each call takes a way to
// the broker and a way back; both can be lost, and the worker can die, stand still or lose its partitions in between.

import WorkerEngine

/// What a transactional connection is made of.
package struct ProducerIdentity {
  /// Stable over restarts.
  package let transactionalID: String
  /// The number of the worker's start: who the faults strike.
  package let actor: Int
  /// Decides what goes wrong.
  package let faults: FaultSource
  /// The longest way of a call in one direction.
  package let latencyMaxNanoseconds: Int64

  package init(transactionalID: String, actor: Int, faults: FaultSource, latencyMaxNanoseconds: Int64) {
    self.transactionalID = transactionalID
    self.actor = actor
    self.faults = faults
    self.latencyMaxNanoseconds = latencyMaxNanoseconds
  }
}

/// One machine at a time. All times are the world's boot clock.
///
/// idle ──begin──► calling ⇄ pausing ──► idle (the endpoint is told)
final class TransactionLink {
  /// A call on its way.
  private struct Call {
    let call: TransactionCall
    let arrivesAt: Int64
    let isRequestLost: Bool
    let isReplyLost: Bool
    let scripted: TransactionError?
    /// True: the scripted error is told although the call took effect.
    let takesEffect: Bool
    /// Nil until it has arrived.
    var reply: (error: TransactionError?, at: Int64)?
  }

  private enum State {
    case idle
    case calling(Call)
    case pausing(until: Int64)
  }

  let identity: ProducerIdentity
  private unowned let broker: InMemoryBroker
  private unowned let endpoint: InMemoryBrokerEndpoint
  private var producer: InMemoryTransactions.Producer?
  private var state = State.idle
  private var machine: TransactionMachine?
  private(set) var job: CommitJob?
  /// Outputs that the library has and the broker has not.
  private var unsent: [Output] = []
  private var undelivered: [(index: Int, error: TransactionError)] = []
  private var serial = 0
  /// The transaction whose commit took effect: repeated for a lost reply it meets no error of its messages any more.
  private var committed = 0

  private static let callNanoseconds: Int64 = 2_000_000_000
  private static let timedOut = TransactionError(
    code: "_TIMED_OUT", message: "no answer in time (_TIMED_OUT)", isRetriable: true)

  init(_ identity: ProducerIdentity, broker: InMemoryBroker, endpoint: InMemoryBrokerEndpoint) {
    self.identity = identity
    self.broker = broker
    self.endpoint = endpoint
  }

  var isIdle: Bool { machine == nil }

  /// Takes the transactional id over; the endpoint is told by `producerReady`.
  func initialise() {
    machine = TransactionMachine()
    job = nil
    go(.done)
  }

  /// Starts a job; the endpoint is told by `jobEnded`.
  func begin(_ job: CommitJob) {
    machine = TransactionMachine(job)
    self.job = job
    go(.done)
  }

  /// When something happens (boot clock): at the broker, or also here.
  func nextDue(isSuspended: Bool) -> Int64? {
    switch state {
    case .idle: nil
    case .calling(let call):
      if let reply = call.reply { isSuspended ? nil : reply.at } else { call.arrivesAt }
    case .pausing(let until): isSuspended ? nil : until
    }
  }

  /// Does what is due; true if something was.
  func advance(isSuspended: Bool) -> Bool {
    let now = broker.now.boot
    guard let due = nextDue(isSuspended: isSuspended), due <= now else { return false }
    switch state {
    case .idle: return false
    case .calling(var call):
      if let reply = call.reply {
        state = .idle
        go(reply.error.map { .failed($0) } ?? .done)
      } else {
        arrive(&call)
        state = .calling(call)
      }
    case .pausing:
      state = .idle
      go(.done)
    }
    return true
  }

  /// The process dies. A call on its way may still arrive.
  func kill(_ pending: PendingCommit) {
    if case .calling(var call) = state, call.reply == nil, pending == .applied { arrive(&call) }
    drop()
  }

  /// The clients are given up; what is on its way arrives or not, nobody hears of it.
  func drop() {
    state = .idle
    machine = nil
    job = nil
    unsent = []
    undelivered = []
  }
}

// MARK: - The machine's steps

extension TransactionLink {
  private func go(_ first: TransactionMachine.Answer) {
    var answer = first
    while var machine {
      let gate = TransactionMachine.Gate(
        isClosing: endpoint.isClosed, admits: job.map { endpoint.admits($0.generation) } ?? true)
      let step = machine.next(answer, gate: gate)
      self.machine = machine
      switch step {
      case .call(.begin):
        if let error = scripted([.beginFatal: Self.fatal("_INCONSISTENT")]) {
          answer = .failed(error)
        } else {
          serial += 1
          unsent = []
          answer = .done
        }
      case .call(let call): return send(call)
      case .produce(let index): answer = produce(index)
      case .countReports: answer = .outstanding(0)
      case .takeReports:
        answer = .reports(undelivered)
        undelivered = []
      case .abortOnce: return send(.abort)
      case .pause(let nanoseconds):
        state = .pausing(until: broker.now.boot + nanoseconds)
        return
      case .ready:
        self.machine = nil
        return endpoint.producerReady()
      case .end(let outcome):
        let job = job
        self.machine = nil
        self.job = nil
        return endpoint.jobEnded(job, outcome)
      }
    }
  }

  private func produce(_ index: Int) -> TransactionMachine.Answer {
    guard let job else { return .done }
    let output = job.outputs[index]
    if identity.faults.strikes(.produceQueueFull, identity.actor) { return .full }
    if identity.faults.strikes(.produceFatal, identity.actor) { return .failed(Self.fatal("_FATAL")) }
    guard output.payloadBytes <= broker.settings.recordBytesMax else {
      return .failed(TransactionError(code: "MSG_SIZE_TOO_LARGE", message: "message size too large"))
    }
    unsent.append(output)
    return .done
  }

  private func send(_ call: TransactionCall) {
    var isRequestLost = false
    var isReplyLost = false
    var error: TransactionError?
    var takesEffect = false
    switch call {
    case .initialise:
      isRequestLost = strikes(.initRequestLost)
      isReplyLost = strikes(.initReplyLost)
      error = scripted([
        .initConcurrent: TransactionError(code: "CONCURRENT_TRANSACTIONS", message: "the last one is still ending")
      ])
    case .sendOffsets:
      isRequestLost = strikes(.offsetsRequestLost)
      isReplyLost = strikes(.offsetsReplyLost)
      error = scripted([
        .offsetsMessagesTimedOut: Self.abortable("_STATE"),
        .offsetsFencedInstance: Self.abortable("FENCED_INSTANCE_ID"),
      ])
    case .commit:
      isRequestLost = strikes(.commitRequestLost)
      isReplyLost = strikes(.commitReplyLost)
      guard committed != serial else { break }
      takesEffect = strikes(.commitFatalAfter)
      error =
        takesEffect
        ? Self.fatal("_INCONSISTENT")
        : scripted([
          .commitMessagesTimedOut: Self.abortable("_MSG_TIMED_OUT"),
          .commitConflict: TransactionError(code: "_CONFLICT", message: "another call (_CONFLICT)", isRetriable: true),
          .commitFatalBefore: Self.fatal("_INCONSISTENT"),
        ])
    case .abort:
      isRequestLost = strikes(.abortRequestLost)
      isReplyLost = strikes(.abortReplyLost)
      error = scripted([.abortInvalidState: Self.fatal("INVALID_TXN_STATE")])
    case .begin, .produce, .delivery: break
    }
    state = .calling(
      Call(
        call: call, arrivesAt: broker.now.boot + way(), isRequestLost: isRequestLost, isReplyLost: isReplyLost,
        scripted: error, takesEffect: takesEffect))
  }

  private func arrive(_ call: inout Call) {
    let now = broker.now.boot
    if call.isRequestLost || broker.isDown {
      call.reply = (Self.timedOut, now + Self.callNanoseconds)
      return
    }
    if let scripted = call.scripted, !call.takesEffect {
      call.reply = (scripted, now + way())
      return
    }
    let error = carryOut(call.call)
    if call.isReplyLost {
      call.reply = (Self.timedOut, now + Self.callNanoseconds)
    } else {
      call.reply = (error ?? call.scripted, now + way())
    }
  }

  private func carryOut(_ call: TransactionCall) -> TransactionError? {
    if case .initialise = call {
      producer = broker.transactions.initialise(identity.transactionalID)
      return nil
    }
    guard let producer else { return Self.fatal("_INCONSISTENT") }
    switch call {
    case .sendOffsets:
      if let error = flush(producer) { return error }
      guard let job else { return nil }
      return endpoint.addOffsets(job, by: producer, serial: serial)
    case .commit:
      let error = flush(producer) ?? broker.transactions.commit(by: producer, serial: serial)
      if error == nil { committed = serial }
      return error
    case .abort:
      unsent = []
      return broker.transactions.abort(by: producer)
    case .initialise, .begin, .produce, .delivery: return nil
    }
  }

  /// The library sends what it has.
  private func flush(_ producer: InMemoryTransactions.Producer) -> TransactionError? {
    defer { unsent = [] }
    return unsent.isEmpty ? nil : broker.transactions.write(unsent, by: producer, serial: serial)
  }
}

// MARK: - Faults

extension TransactionLink {
  private func strikes(_ kind: FaultKind) -> Bool { identity.faults.strikes(kind, identity.actor) }

  private func way() -> Int64 {
    identity.faults.amount(.way, identity.actor, below: identity.latencyMaxNanoseconds + 1)
  }

  /// The error of the first kind that strikes, in the order of the kinds.
  private func scripted(_ errors: [FaultKind: TransactionError]) -> TransactionError? {
    for kind in FaultKind.allCases {
      if let error = errors[kind], strikes(kind) { return error }
    }
    return nil
  }

  private static func fatal(_ code: String) -> TransactionError {
    TransactionError(code: code, message: "\(code)", isFatal: true)
  }

  private static func abortable(_ code: String) -> TransactionError {
    TransactionError(code: code, message: "\(code)", requiresAbort: true)
  }
}
