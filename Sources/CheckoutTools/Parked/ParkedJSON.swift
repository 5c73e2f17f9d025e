// Parked attempts for machines: one object each.

package import CheckoutCore
import CheckoutWire

extension ParkedItem {
  /// One line of JSON; `now` gives the age.
  package func json(at now: Timestamp) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.field("checkout_id", row.identity.checkoutID)
    writer.field("merchant_id", row.identity.merchantID)
    writer.field("idempotency_key", row.identity.idempotencyKey)
    writer.field("reason", parked.reason.rawValue)
    writer.field("detail", parked.detail)
    writer.field("parked_at", parked.at)
    writer.field("age_seconds", age(at: now).nanoseconds / 1_000_000_000)
    writer.field("state", row.state.name)
    writer.amount(row)
    writer.payment(row)
    writer.field("holds_money", row.holdsMoney)
    writer.key("open_obligations")
    writer.beginArray()
    for obligation in row.openObligations { writer.string(obligation.rawValue) }
    writer.endArray()
    writer.field("reservation_id", ifPresent: row.reservationID)
    writer.field("receipt_url", ifPresent: row.receipt.url)
    writer.field("cancel_requested", row.cancel != nil)
    writer.field("row_version", row.version)
    if let history { writer.history(history) }
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension JSONWriter {
  /// Member `history`: every write with its steps.
  fileprivate mutating func history(_ writes: [RecordedWrite]) {
    key("history")
    beginArray()
    for write in writes {
      beginObject()
      field("version", write.version)
      field("at", write.at)
      key("steps")
      beginArray()
      for step in write.steps {
        beginObject()
        field("name", step.name)
        for detail in step.detail where detail.name != "name" {
          key(named: detail.name)
          string(detail.value)
        }
        endObject()
      }
      endArray()
      endObject()
    }
    endArray()
  }
}
