// Attempts for tests of journals: a plain one, and rows that between them use every case of every field.

package import CheckoutCore

/// Makes attempts. Times count from 2026-11-30T12:00:00Z.
package enum SampleAttempts {
  /// The start of all samples.
  package static let start = Timestamp(milliseconds: 1_796_040_000_000)

  /// A new attempt of `checkout` under `key`, for the customer with this e-mail address.
  package static func new(
    _ key: String, checkout: String = "chk_000001", owner: WorkerID = WorkerID("worker-a/1"), at: Timestamp = start,
    email: String = "ana@example.com"
  ) -> Attempt? {
    guard let request = ValidatedRequest(readmitting: request(key, checkout: checkout, email: email)) else {
      return nil
    }
    return Attempt(
      request: request, origin: Origin(position(1)), fingerprint: Fingerprint("1:00ff"), trace: nil,
      message: position(2), owner: owner, at: at)
  }

  /// A place on `checkout.requests`.
  package static func position(_ offset: Int64) -> Position {
    Position(topic: "checkout.requests", partition: 3, offset: offset, timestampMilliseconds: 1_796_040_000_123)
  }

  /// Rows that use every case of every enum and every optional, each under a key and a checkout of its own.
  package static func everyShape() -> [Attempt] {
    guard let euro = Currency(code: "EUR"), let plain = new("key-of-the-plain-attempt", checkout: "chk_plain") else {
      return []
    }
    let money = Amount(minor: 9038, currency: euro)
    return [plain] + states(money) + charges(money) + compensations(money) + marks(money)
  }

  private static func numbered(_ kind: String, _ number: Int, _ change: (inout Attempt) -> Void) -> Attempt? {
    guard var attempt = new("key-of-\(kind)-\(number)-0000", checkout: "chk_\(kind)_\(number)") else { return nil }
    change(&attempt)
    return attempt
  }

  private static func states(_ money: Amount) -> [Attempt] {
    var states: [AttemptState] = [.reserving, .charging, .receipting, .receiptPending, .completed, .cancelled]
    for reason in EndReason.allCases { states += [.releasing(reason), .refunding(reason), .failed(reason)] }
    return states.enumerated().compactMap { index, state in
      numbered("state", index) { $0.state = state }
    }
  }

  private static func charges(_ money: Amount) -> [Attempt] {
    let statuses: [Charge.Status] = [
      .none, .notRequired, .sent, .captured(chargeID: "ch_1", amount: money),
      .authorised(chargeID: "ch_2", amount: money),
      .declined(code: "insufficient_funds"), .actionRequired(chargeID: "ch_3"),
      .refused(detail: "no \"such\" method\n"),
      .absent,
    ]
    return statuses.enumerated().compactMap { index, status in
      numbered("charge", index) {
        $0.charge = Charge(
          status: status, firstSentAt: index % 2 == 0 ? start + .seconds(1) : nil,
          lastSentAt: index % 3 == 0 ? start + .seconds(2) : nil,
          settlesFrom: index % 4 == 0 ? start + .seconds(3) : nil, isNotApplied: index % 4 == 1,
          everUnknown: index % 2 == 1, personLooked: index % 3 == 1)
      }
    }
  }

  private static func compensations(_ money: Amount) -> [Attempt] {
    let statuses: [Compensation.Status] = [
      .owed, .sent, .done(reference: "re_1"), .done(reference: ""), .refused(detail: "no"),
    ]
    return statuses.enumerated().compactMap { index, status in
      numbered("compensation", index) {
        $0.compensation = Compensation(
          kind: index % 2 == 0 ? .refund : .void, chargeID: "ch_1", amount: money, status: status,
          firstSentAt: index == 0 ? nil : start + .seconds(3), lastSentAt: index == 0 ? nil : start + .seconds(4),
          settlesFrom: index == 1 ? start + .seconds(5) : nil)
      }
    }
  }

  private static func marks(_ money: Amount) -> [Attempt] {
    var rows: [Attempt?] = ParkReason.allCases.enumerated().map { index, reason in
      numbered("parked", index) {
        $0.parked = Parked(
          reason: reason, detail: "é \u{1F9FE} \\ detail", at: start + .seconds(5),
          noticeBy: index % 2 == 0 ? position(9) : nil)
        $0.parkedNotices = index
      }
    }
    rows += EventType.allCases.enumerated().map { index, type in
      numbered("handover", index) {
        $0.custody = .reconciliation
        $0.owedBy = .event("event-\(index)")
        $0.handOver = HandOver(
          eventID: "event-\(index)", type: type, notBefore: index % 2 == 0 ? nil : start + .seconds(60),
          noticeNumber: index % 3 == 0 ? index : nil, at: start + .seconds(6))
      }
    }
    rows += Hold.Status.allCases.enumerated().map { index, status in
      numbered("hold", index) {
        $0.holds = [
          Hold(
            generation: 1, status: status, reservationID: index == 0 ? nil : "res_1", expiresAt: start + .seconds(900)),
          Hold(generation: 2, status: .intended),
        ]
      }
    }
    rows.append(numbered("full", 1) { fill(&$0, money) })
    return rows.compactMap { $0 }
  }

  /// Sets everything that can be set.
  private static func fill(_ attempt: inout Attempt, _ money: Amount) {
    attempt.epoch = 7
    attempt.owner = nil
    attempt.waiting = [
      Waiter(origin: Origin(position(11)), listedBy: position(12), afterEnd: false),
      Waiter(origin: Origin(position(13)), listedBy: position(14), afterEnd: true),
    ]
    attempt.state = .failed(.requestExpired)
    attempt.receipt = Receipt(firstSentAt: start + .seconds(7), url: "https://receipts.example/r/1?a=b&c=\u{201C}")
    attempt.cancel = RecordedCancel(origin: Origin(position(15)), reason: "requested_by_customer", at: start)
    attempt.retry = RetrySchedule(since: start, tries: 4, nextAt: start + .seconds(9))
    attempt.watch = Watch(
      lookUpsDone: 2, nextAt: start + .hours(24),
      owed: Compensation(kind: .refund, chargeID: "ch_9", amount: money, status: .sent, firstSentAt: start))
    attempt.parkedNotices = 3
    attempt.receiptPendingNotices = 1
    attempt.lastTrouble = "the service is busy"
    attempt.outOfStockLines = ["1", "line \u{2028} two"]
    attempt.updatedAt = start + TimeSpan(nanoseconds: 1)
    attempt.endedAt = start + TimeSpan(nanoseconds: 2)
  }

  private static func request(_ key: String, checkout: String, email: String) -> CheckoutRequest {
    CheckoutRequest(
      identity: AttemptIdentity(merchantID: "shop-eu", checkoutID: checkout, idempotencyKey: key),
      accountID: "acct_7781", email: email, locale: "de-DE", currency: "EUR",
      lines: [
        CheckoutRequest.Line(lineID: "1", sku: "SKU-RED-42", quantity: 2, unitPriceMinor: 1999, title: "Red mug"),
        CheckoutRequest.Line(lineID: "2", sku: "SKU-BLU-7", quantity: 1, unitPriceMinor: 4550, title: nil),
      ],
      discounts: [CheckoutRequest.Discount(code: "WELCOME", amountMinor: 100)], taxMinor: 100, shippingMinor: 490,
      expectedTotalMinor: 9038,
      shippingAddress: CheckoutRequest.Address(
        name: "Ana Kr\u{FC}ger", line1: "Hauptstr. 5", line2: nil, city: "Berlin", region: nil, postalCode: "10115",
        country: "DE"),
      payment: CheckoutRequest.Payment(methodToken: "pm_tok_visa_ok", methodType: "card", capture: .automatic),
      requestedAt: Timestamp(nanoseconds: 1_796_040_000_123_456_789), expiresAt: start + .seconds(1800), livemode: false
    )
  }
}

extension AttemptWrite {
  /// A write of `row` that looks at no epoch, with one step.
  package convenience init(_ row: Attempt, _ writeID: String, epoch: Int64? = nil) {
    self.init(row: row, expectedEpoch: epoch, writeID: writeID, steps: [Step("wrote", [Step.Detail("id", writeID)])])
  }
}

extension Attempt {
  /// The next version, changed.
  package func next(_ change: (inout Attempt) -> Void = { _ in }) -> Attempt {
    var attempt = self
    attempt.version += 1
    change(&attempt)
    return attempt
  }

  /// A new attempt's four states on a good day, itself first.
  package var goodDay: [Attempt] {
    let charging = next { $0.state = .charging }
    let receipting = charging.next { $0.state = .receipting }
    return [self, charging, receipting, receipting.next { $0.state = .completed }]
  }
}
