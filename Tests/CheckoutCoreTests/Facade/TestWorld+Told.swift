// What a test reads off the world afterwards.

import CheckoutCore

extension TestWorld {
  /// The first attempt's row.
  var row: Attempt? { journal.attempts.first }

  /// What was published, in order, without the prefix; copies carry a star, refusals their first code.
  var story: [String] {
    published.map { event in
      let name = String(event.type.rawValue.dropFirst("checkout.".count))
      switch event.body {
      case .outcome(_, let replayed): return replayed ? name + "*" : name
      case .rejected(let refusals, _): return name + " " + (refusals.first?.code.rawValue ?? "")
      case .validated, .refused, .cancelRequested, .receiptPending, .parked, .pendingWork, .personsWord: return name
      }
    }
  }

  /// The calls put on the wire; look-ups carry a question mark.
  var operations: [String] { calls.map { $0.operation.rawValue + ($0.hasEffect ? "" : "?") } }

  /// The answers to the message with this number.
  func answers(to message: Int) -> [String] {
    zip(published, story).filter { $0.0.origin == messages[message].origin && $0.0.type.isOutcome }.map(\.1)
  }

  /// Asks for the checkout to be cancelled, now; returns the message's number.
  @discardableResult
  func cancel() -> Int {
    put(.cancel(CheckoutKey(merchantID: "shop-eu", checkoutID: "chk_000001")))
  }

  /// A person's word about the first attempt as it is now.
  func tell(_ resolution: ResolvedAs?, refundedOutside: String? = nil, version: Int64? = nil) {
    guard let row else { return }
    put(
      .word(
        PersonsWord(
          attempt: row.identity, rowVersion: version ?? row.version, journalID: "journal-1", resolution: resolution,
          who: "ana", note: "", refundedOutside: refundedOutside)), origin: row.origin)
  }

  /// Lets `span` go by and sweeps.
  func sweep(after span: TimeSpan) {
    now = now + span
    sweep()
    run()
  }
}

extension TestPayments {
  /// What was authorised is captured by somebody else.
  mutating func captureAuthorised() {
    for index in entries.indices where entries[index].status == .authorised { entries[index].status = .captured }
  }
}
