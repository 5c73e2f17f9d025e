// Answers for machines: one JSON object each.

import CheckoutCore
import CheckoutWire
import WorkerEngine

extension MessageAnswer {
  /// One line of JSON; `name` says which message it answers.
  package func json(name: String) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.field("message", name)
    writer.field("id", id)
    switch content {
    case .deadLetter(let code):
      writer.field("answer", "dead_letter")
      writer.field("code", code)
    case .outcome(let type, let view), .notice(let type, let view):
      writer.field("answer", type.rawValue)
      writer.field("checkout_id", view.subject.checkoutID)
      writer.key("codes")
      writer.beginArray()
      for code in view.codes { writer.string(code) }
      writer.endArray()
      writer.field("amount_minor", ifPresent: view.amountMinor)
      writer.field("currency", ifPresent: view.currency)
      writer.field("payment_status", ifPresent: view.paymentStatus)
      writer.field("receipt_url", ifPresent: view.receiptURL)
      writer.field("replayed", view.replayed)
    }
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension SubmittedMessage {
  /// The key for a table: text, or what stands in its place.
  package var keyText: String {
    guard let key else { return "(no key)" }
    return String(validating: key.slice, as: UTF8.self) ?? "(binary key)"
  }
}
