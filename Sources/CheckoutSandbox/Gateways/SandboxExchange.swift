// Where calls wait to be sent and replies wait to arrive. It has no thread: `SandboxThread` drives it in a process, a
// test or the simulator drives it in virtual time.

package import CheckoutCore
import Synchronization

/// One call to one of the services, with the way its answer goes back.
enum SandboxCall: Sendable {
  case inventory(GatewayCall<InventoryCommand>)
  case payment(GatewayCall<PaymentCommand>)
  case receipt(GatewayCall<ReceiptCommand>)

  var notAfter: BootTime {
    switch self {
    case .inventory(let call): call.notAfter
    case .payment(let call): call.notAfter
    case .receipt(let call): call.notAfter
    }
  }

  /// The reply that says `trouble`.
  func reply(_ trouble: CallTrouble) -> GatewayReply {
    switch self {
    case .inventory(let call): .inventory(callID: call.id, .trouble(trouble))
    case .payment(let call): .payment(callID: call.id, .trouble(trouble))
    case .receipt(let call): .receipt(callID: call.id, .trouble(trouble))
    }
  }
}

/// The three services behind their gateways: calls go in, `advance` sends what waits and delivers what is due.
///
/// Any thread may submit and withdraw; one at a time advances.
package final class SandboxExchange: Sendable {
  /// The gateways a worker is given.
  package let inventory: SandboxInventoryGateway
  /// Charges, look-ups, voids and refunds.
  package let payments: SandboxPaymentGateway
  /// Receipts, one for each key.
  package let receipts: SandboxReceiptGateway

  /// `outages` is asked before each batch of calls, on the thread that advances; `onArrival` is called after each submit, on
  /// the submitter's thread.
  package init(
    ledger: any SandboxLedger, settings: SandboxSettings = SandboxSettings(),
    network: SandboxNetwork = SandboxNetwork(), clock: SandboxClock,
    outages: @escaping @Sendable () -> SandboxOutages = { SandboxOutages() },
    onArrival: @escaping @Sendable () -> Void = {}
  ) {
    let core = ExchangeCore(
      ledger: ledger, rules: SandboxRules(settings: settings), network: network, clock: clock, outages: outages,
      onArrival: onArrival)
    self.core = core
    inventory = SandboxInventoryGateway(core: core)
    payments = SandboxPaymentGateway(core: core, traits: settings.paymentTraits)
    receipts = SandboxReceiptGateway(core: core, keyWindow: settings.keyWindow)
  }

  private let core: ExchangeCore

  /// Sends everything that waits, delivers every reply that is due by the boot clock, and answers when the next one
  /// is due (nil: nothing is on its way).
  @discardableResult
  package func advance() -> BootTime? { core.advance() }

  /// When the next reply is due; nil: nothing is on its way. Calls not yet sent are due at once.
  package var nextDue: BootTime? { core.nextDue }

  /// The caller's process dies: calls not sent and replies on their way are gone; what was sent stays done.
  package func dropEverything() { core.dropEverything() }
}

/// The tables behind an exchange, shared by its three gateways.
final class ExchangeCore: Sendable {
  private struct Waiting {
    let call: SandboxCall
    let sink: GatewaySink
  }

  private struct State {
    var unsent: [Waiting] = []
    var arriving = ArrivalQueue()
    var draws: NetworkDraws
  }

  private let ledger: any SandboxLedger
  private let rules: SandboxRules
  private let clock: SandboxClock
  private let outages: @Sendable () -> SandboxOutages
  private let onArrival: @Sendable () -> Void
  private let state: Mutex<State>

  init(
    ledger: any SandboxLedger, rules: SandboxRules, network: SandboxNetwork, clock: SandboxClock,
    outages: @escaping @Sendable () -> SandboxOutages, onArrival: @escaping @Sendable () -> Void
  ) {
    self.ledger = ledger
    self.rules = rules
    self.clock = clock
    self.outages = outages
    self.onArrival = onArrival
    state = Mutex(State(draws: NetworkDraws(network)))
  }

  func submit(_ calls: [SandboxCall], sink: @escaping GatewaySink) {
    guard !calls.isEmpty else { return }
    state.withLock { state in
      state.unsent.append(contentsOf: calls.map { Waiting(call: $0, sink: sink) })
    }
    onArrival()
  }

  /// Takes back unsent calls for which `matches` holds; each is answered `notSent` before this returns.
  func withdraw(where matches: (SandboxCall) -> Bool) {
    let taken = state.withLock { state in
      let taken = state.unsent.filter { matches($0.call) }
      state.unsent.removeAll { matches($0.call) }
      return taken
    }
    for waiting in taken { waiting.sink([waiting.call.reply(.notSent)]) }
  }

  var nextDue: BootTime? {
    state.withLock { state in
      state.unsent.isEmpty ? state.arriving.nextDue : clock.boot()
    }
  }

  func dropEverything() {
    state.withLock { state in
      state.unsent = []
      state.arriving = ArrivalQueue()
    }
  }

  func advance() -> BootTime? {
    let boot = clock.boot()
    let batch = state.withLock { state in
      let batch = state.unsent.map { waiting in (waiting, state.draws.next()) }
      state.unsent = []
      return batch
    }
    if !batch.isEmpty {
      let answers = send(batch.map { ($0.0.call, $0.1.fate) }, at: boot)
      state.withLock { state in
        for (entry, answer) in zip(batch, answers) {
          let due = boot + (entry.1.latency + answer.delay)
          state.arriving.insert(answer.reply, to: entry.0.sink, due: due)
        }
      }
    }
    return deliver(until: clock.boot())
  }

  /// Delivers what is due, in order of time.
  private func deliver(until now: BootTime) -> BootTime? {
    let (due, next) = state.withLock { state in
      (state.arriving.take(until: now), state.unsent.isEmpty ? state.arriving.nextDue : now)
    }
    for arriving in due { arriving.sink([arriving.reply]) }
    return next
  }

  /// Carries a batch out in one transaction of the ledger.
  private func send(_ batch: [(SandboxCall, NetworkFate)], at boot: BootTime) -> [SandboxAnswer<GatewayReply>] {
    var answers: [SandboxAnswer<GatewayReply>] = []
    let outages = outages()
    do throws(LedgerProblem) {
      try ledger.transact { store throws(LedgerProblem) in
        answers = []
        let now = clock.now()
        for (call, fate) in batch {
          answers.append(try send(call, fate, outages.fault(of: call), in: store, at: now, boot: boot))
        }
      }
      return answers
    } catch {
      // The ledger rolled back: nothing of the batch was done.
      return batch.map { SandboxAnswer($0.0.reply(.notApplied(.transient, detail: error.description))) }
    }
  }

  private func send(
    _ call: SandboxCall, _ fate: NetworkFate, _ fault: SandboxOutages.Fault?, in store: any SandboxStore,
    at now: Timestamp, boot: BootTime
  ) throws(LedgerProblem) -> SandboxAnswer<GatewayReply> {
    if call.notAfter < boot { return SandboxAnswer(call.reply(.notSent)) }
    let lost = SandboxAnswer(
      call.reply(.unknown(detail: "no answer in time")), after: rules.settings.lostReplyAfter)
    switch fault {
    case .down: return SandboxAnswer(call.reply(.notApplied(.transient, detail: "the service is down")))
    case .silent: return lost
    case .refuse: return SandboxAnswer(call.reply(.notApplied(.permanent, detail: "the service refuses this")))
    case .unauthorised: return SandboxAnswer(call.reply(.misconfigured(detail: "401: unknown credentials")))
    case .loseReplies:
      _ = try answer(to: call, in: store, at: now)
      return lost
    case nil: break
    }
    switch fate {
    case .arrives: return try answer(to: call, in: store, at: now)
    case .transient: return SandboxAnswer(call.reply(.notApplied(.transient, detail: "the service is busy")))
    case .lostCall: return lost
    case .lostReply:
      _ = try answer(to: call, in: store, at: now)
      return lost
    }
  }

  private func answer(
    to call: SandboxCall, in store: any SandboxStore, at now: Timestamp
  )
    throws(LedgerProblem) -> SandboxAnswer<GatewayReply>
  {
    switch call {
    case .inventory(let call):
      let answer = try rules.perform(call, in: store, at: now)
      return SandboxAnswer(.inventory(callID: call.id, answer.reply), after: answer.delay)
    case .payment(let call):
      let answer = try rules.perform(call, in: store, at: now)
      return SandboxAnswer(.payment(callID: call.id, answer.reply), after: answer.delay)
    case .receipt(let call):
      let answer = try rules.perform(call, in: store, at: now)
      return SandboxAnswer(.receipt(callID: call.id, answer.reply), after: answer.delay)
    }
  }
}
