// From decisions to events: everything that is published about an attempt is made here, from its row alone, so that a
// repeat is equal to the byte.

/// Makes the events of answers.
package struct Answers: Sendable {
  private let identifiers: Identifiers
  private let journalID: String

  /// `journalID` goes into pending events, so that another journal's worker refuses them.
  package init(identifiers: Identifiers, journalID: String) {
    self.identifiers = identifiers
    self.journalID = journalID
  }

  /// The events of an answer. Origin and subject are the message's own; used for refusals only. A refusal is not remembered:
  /// its time is that of its request, so that one given again is equal to the byte.
  package func events(
    _ answer: Answer, origin: Origin, subject: EventSubject, trace: TraceContext?
  ) -> [PipelineEvent] {
    switch answer {
    case .nothing: return []
    case .outcome(let row): return outcome(row)
    case .replayedOutcome(let row):
      return [
        event(
          row, identifiers.replayedEvent(row.outcomeType, of: row.origin), row.outcomeType, row.origin,
          at: row.endedAt, .outcome(row, replayed: true))
      ]
    case .copy(let row, let origin): return [copy(row, origin)]
    case .parked(let row): return [parked(row)]
    case .handOver(let row): return handOver(row)
    case .refuse(let failures):
      return [
        PipelineEvent(
          id: identifiers.event(.rejected, of: origin), type: .rejected, origin: origin,
          time: Timestamp(milliseconds: origin.position.timestampMilliseconds), subject: subject, trace: trace,
          body: .rejected(failures, nil))
      ]
    }
  }

  /// The events that end a machine's work.
  package func events(_ end: SagaEnd, _ row: Attempt) -> [PipelineEvent] {
    switch end {
    case .ended: outcome(row)
    case .handedOver: handOver(row)
    case .parked: [parked(row)]
    case .obligationsDone, .lost, .gaveUp: []
    }
  }

  /// The pending event of a sweep.
  package func swept(_ row: Attempt, at now: Timestamp) -> PipelineEvent {
    let id =
      row.hasEnded
      ? identifiers.watchEvent(row.identity.attemptID, epoch: row.epoch, lookUpsDone: row.watch?.lookUpsDone ?? 0)
      : identifiers.sweepEvent(row.identity.attemptID, epoch: row.epoch)
    let type: EventType = row.hasEnded ? .chargeUnknown : row.pendingType
    return event(
      row, id, type, row.origin, at: row.hasEnded ? row.watch?.nextAt : row.handOver?.at,
      .pendingWork(PendingWork(attempt: row.identity, notBefore: nil, journalID: journalID)))
  }

  private func outcome(_ row: Attempt) -> [PipelineEvent] {
    let own = event(
      row, identifiers.event(row.outcomeType, of: row.origin), row.outcomeType, row.origin, at: row.endedAt,
      .outcome(row, replayed: false))
    return [own] + row.waiting.filter { !$0.afterEnd }.map { copy(row, $0.origin) }
  }

  private func copy(_ row: Attempt, _ origin: Origin) -> PipelineEvent {
    event(
      row, identifiers.event(row.outcomeType, of: origin), row.outcomeType, origin, at: row.endedAt,
      .outcome(row, replayed: true))
  }

  private func parked(_ row: Attempt) -> PipelineEvent {
    event(
      row, identifiers.notice(.parked, of: row.origin, number: row.parkedNotices - 1), .parked, row.origin,
      at: row.parked?.at, .parked(row))
  }

  private func handOver(_ row: Attempt) -> [PipelineEvent] {
    guard let handOver = row.handOver else { return [] }
    var events = [
      event(
        row, handOver.eventID, handOver.type, row.origin, at: handOver.at,
        .pendingWork(PendingWork(attempt: row.identity, notBefore: handOver.notBefore, journalID: journalID)))
    ]
    if let number = handOver.noticeNumber {
      events.append(
        event(
          row, identifiers.notice(.receiptPendingNotice, of: row.origin, number: number), .receiptPendingNotice,
          row.origin, at: handOver.at, .receiptPending(row)))
    }
    return events
  }

  private func event(
    _ row: Attempt, _ id: String, _ type: EventType, _ origin: Origin, at time: Timestamp?,
    _ body: PipelineEvent.Body
  ) -> PipelineEvent {
    PipelineEvent(
      id: id, type: type, origin: origin, time: time ?? row.updatedAt, subject: EventSubject(row.identity),
      trace: row.trace, body: body)
  }
}

extension Attempt {
  /// The type of the ended attempt's outcome; an open one has none yet and says `failed`.
  package var outcomeType: EventType {
    switch state {
    case .completed: .completed
    case .cancelled: .cancelled
    case .failed, .reserving, .charging, .receipting, .receiptPending, .releasing, .refunding: .failed
    }
  }
}
