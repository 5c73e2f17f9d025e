// Reads back the part of a row that changes.

import CheckoutCore

extension JournalCodec {
  static func decodeOwedBy(_ details: JournalRowReader) throws(JournalRowProblem) -> OwedBy {
    if let event = try details.optionalString("owed_by_event") { return .event(event) }
    return .message(try details.position("owed_by_message"))
  }

  static func decodeDetails(_ details: JournalRowReader, into attempt: inout Attempt) throws(JournalRowProblem) {
    var reason: EndReason?
    if try details.optionalString("reason") != nil { reason = try details.choice("reason") }
    guard let state = AttemptState(name: try details.string("state"), reason: reason) else {
      throw details.problem("state")
    }
    attempt.state = state
    attempt.custody = try details.choice("custody")
    attempt.updatedAt = try details.time("updated_at")
    attempt.endedAt = try details.optionalTime("ended_at")
    if let handOver = details.object("hand_over") { attempt.handOver = try decodeHandOver(handOver) }
    attempt.waiting = []
    for waiter in details.objects("waiting") {
      attempt.waiting.append(
        Waiter(
          origin: Origin(try waiter.position("origin")), listedBy: try waiter.position("listed_by"),
          afterEnd: waiter.flag("after_end")))
    }
    attempt.holds = try decodeHolds(details)
    guard let charge = details.object("charge") else { throw details.problem("charge") }
    attempt.charge = try decodeCharge(charge)
    if let compensation = details.object("compensation") {
      attempt.compensation = try decodeCompensation(compensation)
    }
    attempt.receipt = Receipt(
      firstSentAt: try details.optionalTime("receipt_first_sent_at"), url: try details.optionalString("receipt_url"))
    try decodeTroubles(details, into: &attempt)
  }

  private static func decodeHandOver(_ handOver: JournalRowReader) throws(JournalRowProblem) -> HandOver {
    HandOver(
      eventID: try handOver.string("event_id"), type: try handOver.choice("type"),
      notBefore: try handOver.optionalTime("not_before"), noticeNumber: try handOver.optionalCount("notice_number"),
      at: try handOver.time("at"))
  }

  private static func decodeHolds(_ details: JournalRowReader) throws(JournalRowProblem) -> [Hold] {
    var holds: [Hold] = []
    for hold in details.objects("holds") {
      holds.append(
        Hold(
          generation: try hold.count("generation"), status: try hold.choice("status"),
          reservationID: try hold.optionalString("reservation_id"), expiresAt: try hold.optionalTime("expires_at")))
    }
    if holds.isEmpty { throw details.problem("holds") }
    return holds
  }

  private static func decodeCharge(_ charge: JournalRowReader) throws(JournalRowProblem) -> Charge {
    let status: Charge.Status
    switch try charge.string("status") {
    case "none": status = .none
    case "not_required": status = .notRequired
    case "sent": status = .sent
    case "captured":
      status = .captured(
        chargeID: try charge.string("charge_id"), amount: try charge.amount(minor: "amount_minor", currency: "currency")
      )
    case "authorised":
      status = .authorised(
        chargeID: try charge.string("charge_id"), amount: try charge.amount(minor: "amount_minor", currency: "currency")
      )
    case "declined": status = .declined(code: try charge.string("code"))
    case "action_required": status = .actionRequired(chargeID: try charge.string("charge_id"))
    case "refused": status = .refused(detail: try charge.string("detail"))
    case "absent": status = .absent
    default: throw charge.problem("status")
    }
    return Charge(
      status: status, firstSentAt: try charge.optionalTime("first_sent_at"),
      lastSentAt: try charge.optionalTime("last_sent_at"), settlesFrom: try charge.optionalTime("settles_from"),
      isNotApplied: charge.flag("not_applied"), everUnknown: charge.flag("ever_unknown"),
      personLooked: charge.flag("person_looked"))
  }

  private static func decodeCompensation(_ compensation: JournalRowReader) throws(JournalRowProblem) -> Compensation {
    let status: Compensation.Status
    switch try compensation.string("status") {
    case "owed": status = .owed
    case "sent": status = .sent
    case "done": status = .done(reference: try compensation.string("reference"))
    case "refused": status = .refused(detail: try compensation.string("detail"))
    default: throw compensation.problem("status")
    }
    return Compensation(
      kind: try compensation.choice("kind"), chargeID: try compensation.string("charge_id"),
      amount: try compensation.amount(minor: "amount_minor", currency: "currency"), status: status,
      firstSentAt: try compensation.optionalTime("first_sent_at"),
      lastSentAt: try compensation.optionalTime("last_sent_at"),
      settlesFrom: try compensation.optionalTime("settles_from"))
  }

  private static func decodeTroubles(
    _ details: JournalRowReader, into attempt: inout Attempt
  )
    throws(JournalRowProblem)
  {
    if let parked = details.object("parked") {
      attempt.parked = Parked(
        reason: try parked.choice("reason"), detail: try parked.string("detail"), at: try parked.time("at"),
        noticeBy: try parked.optionalString("notice_by") == nil ? nil : try parked.position("notice_by"))
    }
    if let cancel = details.object("cancel") {
      attempt.cancel = RecordedCancel(
        origin: Origin(try cancel.position("origin")), reason: try cancel.string("reason"), at: try cancel.time("at"))
    }
    if let retry = details.object("retry") {
      attempt.retry = RetrySchedule(
        since: try retry.time("since"), tries: try retry.count("tries"), nextAt: try retry.time("next_at"))
    }
    if let watch = details.object("watch") {
      var owed: Compensation?
      if let member = watch.object("owed") { owed = try decodeCompensation(member) }
      attempt.watch = Watch(
        lookUpsDone: try watch.count("look_ups_done"), nextAt: try watch.time("next_at"), owed: owed)
    }
    attempt.parkedNotices = try details.optionalCount("parked_notices") ?? 0
    attempt.receiptPendingNotices = try details.optionalCount("receipt_pending_notices") ?? 0
    attempt.lastTrouble = try details.optionalString("last_trouble")
    attempt.outOfStockLines = try details.strings("out_of_stock_lines")
  }
}
