// The part of a row that changes: who answers, and where the saga stands. Members that say nothing are left out.

package import CheckoutCore

extension JournalCodec {
  /// What changes of an attempt, except `version`, `epoch` and `owner`.
  package static func encodeDetails(_ attempt: Attempt) -> [UInt8] {
    var writer = JSONWriter(capacity: 768)
    writer.beginObject()
    writer.field("v", formatVersion)
    writer.field("state", attempt.state.name)
    writer.field("reason", ifPresent: attempt.state.reason?.rawValue)
    writer.field("updated_at", attempt.updatedAt.nanoseconds)
    writer.field("ended_at", ifPresent: attempt.endedAt?.nanoseconds)
    encodeAnswering(attempt, into: &writer)
    encodeHolds(attempt.holds, into: &writer)
    encode(attempt.charge, into: &writer)
    if let compensation = attempt.compensation { encode(compensation, as: "compensation", into: &writer) }
    writer.field("receipt_first_sent_at", ifPresent: attempt.receipt.firstSentAt?.nanoseconds)
    writer.field("receipt_url", ifPresent: attempt.receipt.url)
    encodeTroubles(attempt, into: &writer)
    writer.endObject()
    return writer.bytes
  }

  private static func encodeAnswering(_ attempt: Attempt, into writer: inout JSONWriter) {
    writer.field("custody", attempt.custody.rawValue)
    switch attempt.owedBy {
    case .message(let position): writer.field("owed_by_message", position.text)
    case .event(let id): writer.field("owed_by_event", id)
    }
    if let handOver = attempt.handOver {
      writer.key("hand_over")
      writer.beginObject()
      writer.field("event_id", handOver.eventID)
      writer.field("type", handOver.type.rawValue)
      writer.field("not_before", ifPresent: handOver.notBefore?.nanoseconds)
      writer.field("notice_number", ifPresent: handOver.noticeNumber.map { Int64($0) })
      writer.field("at", handOver.at.nanoseconds)
      writer.endObject()
    }
    if attempt.waiting.isEmpty { return }
    writer.key("waiting")
    writer.beginArray()
    for waiter in attempt.waiting {
      writer.beginObject()
      writer.field("origin", waiter.origin.position.text)
      writer.field("listed_by", waiter.listedBy.text)
      writer.field("after_end", waiter.afterEnd)
      writer.endObject()
    }
    writer.endArray()
  }

  private static func encodeHolds(_ holds: [Hold], into writer: inout JSONWriter) {
    writer.key("holds")
    writer.beginArray()
    for hold in holds {
      writer.beginObject()
      writer.field("generation", Int64(hold.generation))
      writer.field("status", hold.status.rawValue)
      writer.field("reservation_id", ifPresent: hold.reservationID)
      writer.field("expires_at", ifPresent: hold.expiresAt?.nanoseconds)
      writer.endObject()
    }
    writer.endArray()
  }

  private static func encode(_ charge: Charge, into writer: inout JSONWriter) {
    writer.key("charge")
    writer.beginObject()
    switch charge.status {
    case .none: writer.field("status", "none")
    case .notRequired: writer.field("status", "not_required")
    case .sent: writer.field("status", "sent")
    case .captured(let id, let amount): encodeMoney("captured", id, amount, into: &writer)
    case .authorised(let id, let amount): encodeMoney("authorised", id, amount, into: &writer)
    case .declined(let code):
      writer.field("status", "declined")
      writer.field("code", code)
    case .actionRequired(let id):
      writer.field("status", "action_required")
      writer.field("charge_id", id)
    case .refused(let detail):
      writer.field("status", "refused")
      writer.field("detail", detail)
    case .absent: writer.field("status", "absent")
    }
    writer.field("first_sent_at", ifPresent: charge.firstSentAt?.nanoseconds)
    writer.field("last_sent_at", ifPresent: charge.lastSentAt?.nanoseconds)
    writer.field("settles_from", ifPresent: charge.settlesFrom?.nanoseconds)
    if charge.isNotApplied { writer.field("not_applied", true) }
    if charge.everUnknown { writer.field("ever_unknown", true) }
    if charge.personLooked { writer.field("person_looked", true) }
    writer.endObject()
  }

  private static func encodeMoney(_ status: String, _ id: String, _ amount: Amount, into writer: inout JSONWriter) {
    writer.field("status", status)
    writer.field("charge_id", id)
    writer.field("amount_minor", amount.minor)
    writer.field("currency", amount.currency.code)
  }

  private static func encode(_ compensation: Compensation, as name: StaticString, into writer: inout JSONWriter) {
    writer.key(name)
    writer.beginObject()
    writer.field("kind", compensation.kind.rawValue)
    writer.field("charge_id", compensation.chargeID)
    writer.field("amount_minor", compensation.amount.minor)
    writer.field("currency", compensation.amount.currency.code)
    switch compensation.status {
    case .owed: writer.field("status", "owed")
    case .sent: writer.field("status", "sent")
    case .done(let reference):
      writer.field("status", "done")
      writer.field("reference", reference)
    case .refused(let detail):
      writer.field("status", "refused")
      writer.field("detail", detail)
    }
    writer.field("first_sent_at", ifPresent: compensation.firstSentAt?.nanoseconds)
    writer.field("last_sent_at", ifPresent: compensation.lastSentAt?.nanoseconds)
    writer.field("settles_from", ifPresent: compensation.settlesFrom?.nanoseconds)
    writer.endObject()
  }

  private static func encodeTroubles(_ attempt: Attempt, into writer: inout JSONWriter) {
    if let parked = attempt.parked {
      writer.key("parked")
      writer.beginObject()
      writer.field("reason", parked.reason.rawValue)
      writer.field("detail", parked.detail)
      writer.field("at", parked.at.nanoseconds)
      writer.field("notice_by", ifPresent: parked.noticeBy?.text)
      writer.endObject()
    }
    if let cancel = attempt.cancel {
      writer.key("cancel")
      writer.beginObject()
      writer.field("origin", cancel.origin.position.text)
      writer.field("reason", cancel.reason)
      writer.field("at", cancel.at.nanoseconds)
      writer.endObject()
    }
    if let retry = attempt.retry {
      writer.key("retry")
      writer.beginObject()
      writer.field("since", retry.since.nanoseconds)
      writer.field("tries", Int64(retry.tries))
      writer.field("next_at", retry.nextAt.nanoseconds)
      writer.endObject()
    }
    if let watch = attempt.watch {
      writer.key("watch")
      writer.beginObject()
      writer.field("look_ups_done", Int64(watch.lookUpsDone))
      writer.field("next_at", watch.nextAt.nanoseconds)
      if let owed = watch.owed { encode(owed, as: "owed", into: &writer) }
      writer.endObject()
    }
    if attempt.parkedNotices > 0 { writer.field("parked_notices", Int64(attempt.parkedNotices)) }
    if attempt.receiptPendingNotices > 0 {
      writer.field("receipt_pending_notices", Int64(attempt.receiptPendingNotices))
    }
    writer.field("last_trouble", ifPresent: attempt.lastTrouble)
    if attempt.outOfStockLines.isEmpty { return }
    writer.key("out_of_stock_lines")
    writer.beginArray()
    for line in attempt.outOfStockLines { writer.string(line) }
    writer.endArray()
  }
}
