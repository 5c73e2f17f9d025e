// The sweep: attempts that nobody works on any more get a new pending event. It publishes no outcome itself.

/// What a sweep does with one attempt.
package enum Swept: Hashable, Sendable {
  /// Leave it.
  case leave
  /// Write, then publish the pending event; on `conflict` leave it to the next sweep.
  case write(AttemptWrite)
  /// Publish the pending event again: the row waits for it already.
  case publish
}

extension WhoAnswers {
  /// An open attempt older than `sweep_age` whose lease is over is handed to a new pending event. While the row waits for
  /// a sweep's event, each sweep publishes it again. An ended one whose watch is due gets an event for its look-up.
  package func sweep(_ view: AttemptView, now: Timestamp) -> Swept {
    let row = view.attempt
    guard view.ownedUntil == nil, row.parked == nil else { return .leave }
    if row.hasEnded {
      guard let watch = row.watch, watch.nextAt <= now else { return .leave }
      return .publish
    }
    guard row.updatedAt + context.settings.sweepAge <= now else { return .leave }
    if let handOver = row.handOver, row.owedBy == .event(handOver.eventID) {
      if handOver.eventID == context.identifiers.sweepEvent(row.identity.attemptID, epoch: row.epoch) {
        return .publish
      }
      if let notBefore = handOver.notBefore, notBefore + context.settings.sweepAge > now { return .leave }
    }
    let next = changed(row, now) { next in
      next.owner = nil
      next.epoch += 1
      next.custody = .reconciliation
      let id = context.identifiers.sweepEvent(next.identity.attemptID, epoch: next.epoch)
      next.owedBy = .event(id)
      next.handOver = HandOver(eventID: id, type: next.pendingType, notBefore: nil, noticeNumber: nil, at: now)
    }
    return .write(
      AttemptWrite(
        row: next, expectedEpoch: row.epoch, writeID: "\(context.worker.text)/\(next.version)/swept",
        steps: [Step("swept", [])]))
  }
}
