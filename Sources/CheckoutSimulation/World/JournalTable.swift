// The rows behind the reference journal: one value, one method for each request, no clock of its own.

import CheckoutCore

/// The longest free text (trouble, park detail, steps) one write may carry; real journals have such limits too.
private let freeTextBytesMax = 1 << 20

/// Attempts, their history and the workers' leases.
struct JournalTable {
  private var rows: [AttemptID: Attempt] = [:]
  private var byCheckout: [CheckoutKey: [AttemptID]] = [:]
  private var histories: [AttemptID: [JournalHistoryEntry]] = [:]
  private var leases: [WorkerID: Timestamp] = [:]
  private var now = Timestamp(nanoseconds: .min)

  /// The journal's time at `time`: never before an earlier one.
  mutating func advance(to time: Timestamp) -> Timestamp {
    now = max(now, time)
    return now
  }

  /// Carries one request out.
  mutating func answer(_ request: JournalRequest, at now: Timestamp) -> JournalReply {
    JournalReply(id: request.id, result: result(of: request.command), at: now)
  }

  func attempts() -> [Attempt] {
    rows.values.sorted { $0.identity.attemptID.isOrdered(before: $1.identity.attemptID) }
  }

  func history(of attempt: AttemptID) -> [JournalHistoryEntry] { histories[attempt] ?? [] }

  private mutating func result(of command: JournalCommand) -> JournalResult {
    switch command {
    case .create(let write): return create(write)
    case .update(let write): return update(write)
    case .find(let id): return .found(rows[id].map(view))
    case .findCheckout(let checkout, let limit): return .listed(find(checkout, limit: limit))
    case .lease(let worker, let duration):
      let end = now + duration
      leases[worker] = end
      return .leased(until: end)
    case .giveUp(let worker, let ids):
      for id in ids where rows[id]?.owner == worker { rows[id]?.owner = nil }
      return .done
    case .endLease(let worker):
      leases[worker] = nil
      return .done
    case .sweep(let age, let time, let limit): return .listed(sweep(olderThan: age, now: time, limit: limit))
    }
  }

  private mutating func create(_ write: AttemptWrite) -> JournalResult {
    let id = write.row.identity.attemptID
    if let refusal = refusal(of: write) { return refusal }
    if let present = rows[id] { return isDone(write) ? .written : .exists(view(present)) }
    if write.row.blocksCheckout, let other = blocking(write.row.identity.checkout) { return .blocked(view(other)) }
    byCheckout[write.row.identity.checkout, default: []].append(id)
    apply(write)
    return .written
  }

  private mutating func update(_ write: AttemptWrite) -> JournalResult {
    let id = write.row.identity.attemptID
    if let refusal = refusal(of: write) { return refusal }
    guard let present = rows[id] else { return .conflict(nil) }
    guard present.version == write.row.version - 1, write.expectedEpoch ?? present.epoch == present.epoch else {
      return isDone(write) ? .written : .conflict(view(present))
    }
    if write.row.blocksCheckout, let other = blocking(write.row.identity.checkout), other.identity.attemptID != id {
      return .refused(detail: "another attempt of this checkout is open or paid")
    }
    apply(write, keepsOwnerless: present.owner == nil && present.epoch == write.row.epoch)
    return .written
  }

  private mutating func apply(_ write: AttemptWrite, keepsOwnerless: Bool = false) {
    let id = write.row.identity.attemptID
    rows[id] = write.row
    if keepsOwnerless { rows[id]?.owner = nil }
    let entry = JournalHistoryEntry(version: write.row.version, at: now, writeID: write.writeID, steps: write.steps)
    histories[id, default: []].append(entry)
  }

  /// True if exactly this write was applied before: its reply was lost, and it is repeated.
  private func isDone(_ write: AttemptWrite) -> Bool {
    histories[write.row.identity.attemptID]?.contains {
      $0.version == write.row.version && $0.writeID == write.writeID
    } ?? false
  }

  private func refusal(of write: AttemptWrite) -> JournalResult? {
    var bytes = (write.row.lastTrouble?.utf8.count ?? 0) + (write.row.parked?.detail.utf8.count ?? 0)
    for step in write.steps {
      bytes += step.name.utf8.count
      for detail in step.detail { bytes += detail.name.utf8.count + detail.value.utf8.count }
    }
    return bytes > freeTextBytesMax ? .refused(detail: "the row is too big") : nil
  }

  private func blocking(_ checkout: CheckoutKey) -> Attempt? {
    byCheckout[checkout]?.lazy.compactMap { rows[$0] }.first { $0.blocksCheckout }
  }

  /// The blocking attempt, then the others from the latest created back.
  private func find(_ checkout: CheckoutKey, limit: Int) -> [AttemptView] {
    let latestFirst = (byCheckout[checkout] ?? []).reversed().compactMap { rows[$0] }
    let all = latestFirst.filter(\.blocksCheckout) + latestFirst.filter { !$0.blocksCheckout }
    return all.prefix(max(1, limit)).map(view)
  }

  private func view(_ attempt: Attempt) -> AttemptView {
    AttemptView(attempt: attempt, ownedUntil: attempt.owner.flatMap { leases[$0] }.flatMap { $0 > now ? $0 : nil })
  }

  /// Due watches first but at most half, so that neither kind starves the other; of the open ones those that are not
  /// parked first, so that a pile of parked attempts hides nothing.
  private func sweep(olderThan age: Timestamp, now time: Timestamp, limit: Int) -> [AttemptView] {
    let all = attempts()
    let watched = all.filter { $0.hasEnded && ($0.watch.map { $0.nextAt <= time } ?? false) }
      .sorted { ($0.watch?.nextAt ?? .distantFuture) < ($1.watch?.nextAt ?? .distantFuture) }
    let open = all.filter { !$0.hasEnded && $0.updatedAt < age && view($0).ownedUntil == nil }
      .sorted { ($0.parked == nil ? 0 : 1, $0.updatedAt) < ($1.parked == nil ? 0 : 1, $1.updatedAt) }
    let watchedCount = min(watched.count, max(limit - open.count, (limit + 1) / 2))
    let listed = watched.prefix(max(0, watchedCount)) + open.prefix(max(0, limit - watchedCount))
    return listed.map(view)
  }
}

extension AttemptID {
  /// A fixed order, so that nothing depends on how a dictionary is laid out.
  fileprivate func isOrdered(before other: AttemptID) -> Bool {
    (merchantID, idempotencyKey) < (other.merchantID, other.idempotencyKey)
  }
}
