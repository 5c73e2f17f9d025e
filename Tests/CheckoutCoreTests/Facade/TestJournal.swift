// A journal in memory, as strict as the real ones about versions, epochs and one attempt for each checkout.

import CheckoutCore

/// Rows and leases; checks each write against the promises no write may break.
struct TestJournal {
  private(set) var rows: [AttemptID: Attempt] = [:]
  private var created: [AttemptID] = []
  private(set) var writes: [AttemptWrite] = []
  var leases: [WorkerID: Timestamp] = [:]
  /// Names of steps whose next write is refused as bad data.
  var refusesSteps: Set<String> = []
  /// Promises broken so far.
  private(set) var violations: [String] = []

  var attempts: [Attempt] { created.compactMap { rows[$0] } }

  mutating func answer(_ command: JournalCommand, at now: Timestamp) -> JournalResult {
    switch command {
    case .create(let write): return create(write, now)
    case .update(let write): return update(write, now)
    case .find(let id): return .found(rows[id].map { view($0, now) })
    case .findCheckout(let checkout, let limit):
      let latestFirst = attempts.reversed().filter { $0.identity.checkout == checkout }
      let ordered = latestFirst.filter(\.blocksCheckout) + latestFirst.filter { !$0.blocksCheckout }
      return .listed(ordered.prefix(limit).map { view($0, now) })
    case .lease(let worker, let duration):
      leases[worker] = now + duration
      return .leased(until: now + duration)
    case .giveUp(let worker, let ids):
      for id in ids where rows[id]?.owner == worker { rows[id]?.owner = nil }
      return .done
    case .endLease(let worker):
      leases[worker] = nil
      return .done
    case .sweep: return .listed(attempts.map { view($0, now) })
    }
  }

  func view(_ row: Attempt, _ now: Timestamp) -> AttemptView {
    let until = row.owner.flatMap { leases[$0] }
    return AttemptView(attempt: row, ownedUntil: until.flatMap { $0 > now ? $0 : nil })
  }

  private mutating func create(_ write: AttemptWrite, _ now: Timestamp) -> JournalResult {
    let id = write.row.identity.attemptID
    if let present = rows[id] { return .exists(view(present, now)) }
    if let other = blocking(write.row.identity.checkout) { return .blocked(view(other, now)) }
    created.append(id)
    apply(write)
    return .written
  }

  private mutating func update(_ write: AttemptWrite, _ now: Timestamp) -> JournalResult {
    let id = write.row.identity.attemptID
    guard let present = rows[id] else { return .conflict(nil) }
    guard present.version == write.row.version - 1, write.expectedEpoch ?? present.epoch == present.epoch else {
      return .conflict(view(present, now))
    }
    if let step = write.steps.first(where: { refusesSteps.contains($0.name) }) {
      refusesSteps.remove(step.name)
      return .refused(detail: "bad data")
    }
    if write.row.blocksCheckout, let other = blocking(write.row.identity.checkout), other.identity.attemptID != id {
      return .refused(detail: "another attempt of this checkout is open or paid")
    }
    check(present, write.row)
    apply(write)
    return .written
  }

  private mutating func apply(_ write: AttemptWrite) {
    rows[write.row.identity.attemptID] = write.row
    writes.append(write)
  }

  private func blocking(_ checkout: CheckoutKey) -> Attempt? {
    attempts.first { $0.identity.checkout == checkout && $0.blocksCheckout }
  }

  /// Payment only moves forward, ends stay, epochs never fall.
  private mutating func check(_ before: Attempt, _ after: Attempt) {
    func complain(_ text: String) { violations.append("\(text): \(before.charge.status) → \(after.charge.status)") }
    switch before.charge.status {
    case .captured: if after.charge.status != before.charge.status { complain("a capture was forgotten") }
    case .authorised:
      if case .captured = after.charge.status { break }
      if after.charge.status != before.charge.status { complain("an authorisation was forgotten") }
    case .sent, .actionRequired, .declined, .refused, .absent, .notRequired:
      if after.charge.status == .none, before.charge.firstSentAt != before.charge.lastSentAt {
        complain("a charge that was sent again was forgotten")
      }
    case .none: break
    }
    if before.hasEnded, after.state != before.state { violations.append("an end was changed: \(after.state)") }
    if after.epoch < before.epoch { violations.append("the epoch fell") }
    if !after.waiting.filter({ !$0.afterEnd }).starts(with: before.waiting.filter { !$0.afterEnd }) {
      violations.append("a waiting origin was forgotten")
    }
    if case .done = before.compensation?.status, after.compensation == nil, before.charge.isOpen == false {
      violations.append("a compensation was forgotten")
    }
  }
}
