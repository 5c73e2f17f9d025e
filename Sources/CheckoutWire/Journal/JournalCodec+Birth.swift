// The part of a row that never changes: origin, fingerprint, trace, time of birth, and the request.

package import CheckoutCore

extension JournalCodec {
  /// What never changes of an attempt.
  package static func encodeBirth(_ attempt: Attempt) -> [UInt8] {
    var writer = JSONWriter(capacity: 1024)
    writer.beginObject()
    writer.field("v", formatVersion)
    writer.field("origin", attempt.origin.position.text)
    writer.field("fingerprint", attempt.fingerprint.text)
    writer.field("traceparent", ifPresent: attempt.trace?.parent)
    writer.field("tracestate", ifPresent: attempt.trace?.state)
    writer.field("created_at", attempt.createdAt.nanoseconds)
    writer.key("request")
    encode(attempt.request.request, into: &writer)
    writer.endObject()
    return writer.bytes
  }

  static func decodeBirth(_ birth: JournalRowReader, owedBy: OwedBy) throws(JournalRowProblem) -> Attempt {
    guard let member = birth.object("request"),
      let request = ValidatedRequest(readmitting: try decodeRequest(member))
    else { throw birth.problem("request") }
    var trace: TraceContext?
    if let parent = try birth.optionalString("traceparent") {
      trace = TraceContext(parent: parent, state: try birth.optionalString("tracestate"))
    }
    return Attempt(
      restoring: request, origin: Origin(try birth.position("origin")),
      fingerprint: Fingerprint(try birth.string("fingerprint")), trace: trace,
      createdAt: try birth.time("created_at"), owedBy: owedBy)
  }

  private static func encode(_ request: CheckoutRequest, into writer: inout JSONWriter) {
    writer.beginObject()
    writer.field("merchant_id", request.identity.merchantID)
    writer.field("checkout_id", request.identity.checkoutID)
    writer.field("idempotency_key", request.identity.idempotencyKey)
    writer.field("account_id", request.accountID)
    writer.field("email", ifPresent: request.email)
    writer.field("locale", ifPresent: request.locale)
    writer.field("currency", request.currency)
    encode(request.lines, request.discounts, into: &writer)
    writer.field("tax_minor", request.taxMinor)
    writer.field("shipping_minor", request.shippingMinor)
    writer.field("expected_total_minor", request.expectedTotalMinor)
    if let address = request.shippingAddress { encode(address, into: &writer) }
    if let payment = request.payment {
      writer.key("payment")
      writer.beginObject()
      writer.field("method_token", payment.methodToken)
      writer.field("method_type", payment.methodType)
      writer.field("capture", payment.capture.rawValue)
      writer.endObject()
    }
    writer.field("requested_at", request.requestedAt.nanoseconds)
    writer.field("expires_at", ifPresent: request.expiresAt?.nanoseconds)
    writer.field("livemode", request.livemode)
    writer.endObject()
  }

  private static func encode(
    _ lines: [CheckoutRequest.Line], _ discounts: [CheckoutRequest.Discount], into writer: inout JSONWriter
  ) {
    writer.key("items")
    writer.beginArray()
    for line in lines {
      writer.beginObject()
      writer.field("line_id", line.lineID)
      writer.field("sku", line.sku)
      writer.field("quantity", line.quantity)
      writer.field("unit_price_minor", line.unitPriceMinor)
      writer.field("title", ifPresent: line.title)
      writer.endObject()
    }
    writer.endArray()
    if discounts.isEmpty { return }
    writer.key("discounts")
    writer.beginArray()
    for discount in discounts {
      writer.beginObject()
      writer.field("code", discount.code)
      writer.field("amount_minor", discount.amountMinor)
      writer.endObject()
    }
    writer.endArray()
  }

  private static func encode(_ address: CheckoutRequest.Address, into writer: inout JSONWriter) {
    writer.key("shipping_address")
    writer.beginObject()
    writer.field("name", address.name)
    writer.field("line1", address.line1)
    writer.field("line2", ifPresent: address.line2)
    writer.field("city", address.city)
    writer.field("region", ifPresent: address.region)
    writer.field("postal_code", ifPresent: address.postalCode)
    writer.field("country", address.country)
    writer.endObject()
  }

  private static func decodeRequest(_ request: JournalRowReader) throws(JournalRowProblem) -> CheckoutRequest {
    var lines: [CheckoutRequest.Line] = []
    for line in request.objects("items") {
      lines.append(
        CheckoutRequest.Line(
          lineID: try line.string("line_id"), sku: try line.string("sku"), quantity: try line.integer("quantity"),
          unitPriceMinor: try line.integer("unit_price_minor"), title: try line.optionalString("title")))
    }
    var discounts: [CheckoutRequest.Discount] = []
    for discount in request.objects("discounts") {
      discounts.append(
        CheckoutRequest.Discount(
          code: try discount.string("code"), amountMinor: try discount.integer("amount_minor")))
    }
    return CheckoutRequest(
      identity: AttemptIdentity(
        merchantID: try request.string("merchant_id"), checkoutID: try request.string("checkout_id"),
        idempotencyKey: try request.string("idempotency_key")),
      accountID: try request.string("account_id"), email: try request.optionalString("email"),
      locale: try request.optionalString("locale"), currency: try request.string("currency"), lines: lines,
      discounts: discounts, taxMinor: try request.integer("tax_minor"),
      shippingMinor: try request.integer("shipping_minor"),
      expectedTotalMinor: try request.integer("expected_total_minor"),
      shippingAddress: try decodeAddress(request), payment: try decodePayment(request),
      requestedAt: try request.time("requested_at"), expiresAt: try request.optionalTime("expires_at"),
      livemode: request.flag("livemode"))
  }

  private static func decodeAddress(
    _ request: JournalRowReader
  )
    throws(JournalRowProblem) -> CheckoutRequest.Address?
  {
    guard let address = request.object("shipping_address") else { return nil }
    return CheckoutRequest.Address(
      name: try address.string("name"), line1: try address.string("line1"),
      line2: try address.optionalString("line2"), city: try address.string("city"),
      region: try address.optionalString("region"), postalCode: try address.optionalString("postal_code"),
      country: try address.string("country"))
  }

  private static func decodePayment(
    _ request: JournalRowReader
  )
    throws(JournalRowProblem) -> CheckoutRequest.Payment?
  {
    guard let payment = request.object("payment") else { return nil }
    return CheckoutRequest.Payment(
      methodToken: try payment.string("method_token"), methodType: try payment.string("method_type"),
      capture: try payment.choice("capture"))
  }
}
