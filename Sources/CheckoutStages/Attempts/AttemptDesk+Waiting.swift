// Waits that end before their time: room is needed, or the service that was away is back.

import CheckoutCore
import WorkerEngine

/// Which services were away and are back, and since when.
struct Recoveries: Sendable {
  private var since: [Service: Timestamp] = [:]
  private var underWay: Set<Service> = []

  /// Journal time of the latest return; nil: it was never away.
  func last(_ service: Service) -> Timestamp? { since[service] }

  /// True while there may be more that waits only because the service was away.
  func isUnderWay(_ service: Service) -> Bool { underWay.contains(service) }

  /// True while any service works a backlog off.
  var isAnyUnderWay: Bool { !underWay.isEmpty }

  mutating func begin(_ service: Service, at now: Timestamp) {
    since[service] = now
    underWay.insert(service)
  }

  mutating func end(_ service: Service) { underWay.remove(service) }
}

extension AttemptDesk {
  /// What goes on with one answer of a service that is back; the next answers take more.
  private static let hurriedMax = 256

  /// Makes room where as many wait as may: those here longest, and for at least `rest`, go back to their topic's end, where
  /// they wait as well.
  mutating func relieve(atMost count: Int, restedFor rest: TimeSpan, _ turn: inout Turn) {
    var left = count
    for id in jobs.keys.sorted() where left > 0 {
      guard let job = jobs[id], job.isParked, job.call == nil, turn.now.bootTime >= job.admittedAt + rest else {
        continue
      }
      left -= 1
      if job.saga != nil { interrupt(id, .putBack, &turn) } else { askAnew(id, &turn) }
    }
  }

  /// The service was away and is back: what has waited since before, and only for it, goes on now. The payment service's
  /// waits can have a reason of their own (a look-up before its time says nothing), so they are kept.
  mutating func hurry(_ service: Service, _ turn: inout Turn) {
    var left = min(Self.hurriedMax, settings.serviceCallsMax ?? Self.hurriedMax)
    for id in jobs.keys.sorted() where left > 0 {
      guard let job = jobs[id], job.isParked, job.call == nil, waited(job, for: service) else { continue }
      left -= 1
      if job.saga != nil {
        interrupt(id, .serviceIsBack, &turn)
      } else {
        jobs[id]?.hurries = true
        askAnew(id, &turn)
      }
    }
    if left > 0 { recoveries.end(service) }
  }

  /// True for an item that waits because its service was away, and was told so before the service came back.
  func waited(_ job: AttemptJob, for service: Service) -> Bool {
    guard service != .payment, let back = recoveries.last(service) else { return false }
    if let row = job.saga?.row {
      return row.updatedAt < back && row.retry != nil && (job.troubledBy ?? row.service) == service
    }
    guard service == .receipt, case .pending(_, let work) = job.question, work.notBefore != nil else { return false }
    return job.type == .receiptPending && job.toldAt < back
  }
}

extension Attempt {
  /// The service its next step needs.
  fileprivate var service: Service {
    switch state {
    case .reserving, .releasing: .inventory
    case .receipting, .receiptPending: .receipt
    case .charging, .refunding, .completed, .failed, .cancelled: .payment
    }
  }
}
