// At most so many calls to one service at one time, so that a slow or dead service takes no more than its part of the work in
// flight.
//
// Only calls that no journaled intent has announced wait here (reserve, confirm, release, receipt, look-ups): the time in the row of
// a charge, void or refund says when it was sent, and must stay true.

import CheckoutCore

/// The three services.
enum Service: String, Hashable, CaseIterable, Sendable {
  case inventory
  case payment
  case receipt

  init(_ command: SagaCall.Command) {
    switch command {
    case .inventory: self = .inventory
    case .payment: self = .payment
    case .receipt: self = .receipt
    }
  }
}

/// What became of a call that was to go out.
enum CallAdmission: Hashable, Sendable {
  /// It goes out with this turn.
  case sent
  /// It waits until another call to the service has ended.
  case waits
  /// Too many wait already.
  case refused
}

/// Each service's share of one desk's calls. Called on the worker's thread only.
struct ServiceShares {
  /// A call that waits for room.
  struct Waiting {
    let id: UInt64
    let call: SagaCall
    let merchantID: String
  }

  /// So many answers in a row that were none, and the service counts as away.
  private static let failuresOfAnOutage = 16

  /// Most calls to one service at one time; nil: no limit.
  private let callsMax: Int?
  /// Most calls that wait for one service.
  private let waitingMax: Int
  /// The service of each call in flight.
  private var inFlight: [UInt64: Service] = [:]
  private var counts: [Service: Int] = [:]
  private var waiting: [Service: [Waiting]] = [:]
  private var failures: [Service: Int] = [:]

  init(callsMax: Int?, waitingMax: Int) {
    self.callsMax = callsMax
    self.waitingMax = waitingMax
  }

  /// Lets a call go out, or wait for room.
  mutating func offer(_ id: UInt64, _ call: SagaCall, merchantID: String) -> CallAdmission {
    let service = Service(call.command)
    if let callsMax, call.mayWait, counts[service, default: 0] >= callsMax {
      // A service that answers works its queue off; one that does not must not fill the room with it.
      let isAway = failures[service, default: 0] >= Self.failuresOfAnOutage
      guard !isAway || waiting[service, default: []].count < waitingMax else { return .refused }
      waiting[service, default: []].append(Waiting(id: id, call: call, merchantID: merchantID))
      return .waits
    }
    begin(id, service)
    return .sent
  }

  private mutating func begin(_ id: UInt64, _ service: Service) {
    inFlight[id] = service
    counts[service, default: 0] += 1
  }

  /// True while calls for a hold or a receipt wait for room: more of them would be told "not now".
  var isCrowded: Bool { waiting[.inventory]?.isEmpty == false || waiting[.receipt]?.isEmpty == false }

  /// A call has been answered: gives those that may go out in its place.
  mutating func ended(_ id: UInt64) -> [Waiting] {
    guard let service = inFlight.removeValue(forKey: id) else { return [] }
    counts[service, default: 1] -= 1
    var next: [Waiting] = []
    while let callsMax, counts[service, default: 0] < callsMax, let first = waiting[service]?.first {
      waiting[service]?.removeFirst()
      begin(first.id, service)
      next.append(first)
    }
    return next
  }

  /// Takes back what waits for a service that has turned out to be away, beyond what may wait for one.
  mutating func shed(_ service: Service) -> [(id: UInt64, call: SagaCall)] {
    guard failures[service, default: 0] >= Self.failuresOfAnOutage else { return [] }
    let excess = (waiting[service]?.count ?? 0) - waitingMax
    guard excess > 0, let calls = waiting[service]?.suffix(excess).map({ ($0.id, $0.call) }) else { return [] }
    waiting[service]?.removeLast(excess)
    return calls
  }

  /// Takes a waiting call back; nil: it does not wait.
  mutating func takeBack(_ id: UInt64) -> SagaCall? {
    for service in Service.allCases {
      guard let index = waiting[service]?.firstIndex(where: { $0.id == id }) else { continue }
      return waiting[service]?.remove(at: index).call
    }
    return nil
  }

  /// Learns from an answer whether the service is away; true: it was, and is back with this answer.
  mutating func heard(_ service: Service, isTrouble: Bool) -> Bool {
    if isTrouble {
      failures[service, default: 0] += 1
      return false
    }
    return (failures.updateValue(0, forKey: service) ?? 0) >= Self.failuresOfAnOutage
  }
}

extension SagaCall {
  /// True for a call that no intent in the journal has announced.
  fileprivate var mayWait: Bool {
    switch operation {
    case .reserve, .confirm, .release, .receipt: true
    case .charge, .void, .refund: !hasEffect
    }
  }

  /// The answer "never sent" to it.
  var notSent: SagaEvent { answer(.notSent) }

  /// The answer "not now" to it, without asking the service.
  var crowded: SagaEvent { answer(.notApplied(.transient, detail: "many wait for the service")) }

  private func answer(_ trouble: CallTrouble) -> SagaEvent {
    switch command {
    case .inventory: .inventory(.trouble(trouble))
    case .payment: .payment(.trouble(trouble))
    case .receipt: .receipt(.trouble(trouble))
    }
  }
}

extension GatewayReply {
  /// Whose answer it is, to which call, and whether the service was of no use.
  var summary: (id: UInt64, service: Service, event: SagaEvent, isTrouble: Bool) {
    switch self {
    case .inventory(let id, let reply):
      if case .trouble(let trouble) = reply { return (id, .inventory, .inventory(reply), trouble.isOutage) }
      return (id, .inventory, .inventory(reply), false)
    case .payment(let id, let reply):
      if case .trouble(let trouble) = reply { return (id, .payment, .payment(reply), trouble.isOutage) }
      return (id, .payment, .payment(reply), false)
    case .receipt(let id, let reply):
      if case .trouble(let trouble) = reply { return (id, .receipt, .receipt(reply), trouble.isOutage) }
      return (id, .receipt, .receipt(reply), false)
    }
  }
}

extension CallTrouble {
  /// True for what a service that is away answers, or does not.
  fileprivate var isOutage: Bool {
    switch self {
    case .notApplied(.transient, _), .unknown, .misconfigured: true
    case .notApplied(.permanent, _), .notSent: false
    }
  }
}
