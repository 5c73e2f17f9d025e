// What a message on `checkout.requests` turns out to be.
package import CheckoutCore

/// A message as consumed, in the few parts that decide what it is.
package struct InboundMessage: Sendable {
  /// One header; names and values are bytes, as Kafka has them.
  package typealias Header = (name: ArraySlice<UInt8>, value: ArraySlice<UInt8>?)

  /// Nil for a tombstone.
  package let value: ArraySlice<UInt8>?
  /// Those that mean something.
  package let headers: EventHeaders

  /// A message of its parts.
  package init(value: ArraySlice<UInt8>?, headers: EventHeaders) {
    self.value = value
    self.headers = headers
  }

  /// The same with all headers of a record, in its order; duplicates and nulls too.
  package init(value: ArraySlice<UInt8>?, headers: [Header]) {
    self.init(value: value, headers: EventHeaders(headers))
  }
}

/// The one thing a message is.
package enum Inbound: Hashable, Sendable {
  /// A null value: counted and skipped.
  case tombstone
  /// A request of the right shape, not yet validated.
  case request(InboundRequest)
  /// A cancellation of the right shape.
  case cancel(InboundCancel)
  /// Who it is about is known, but it is not of the right shape: to be answered by `checkout.rejected`.
  case refused(InboundRefusal)
  /// Nobody can be answered: to the dead letters. `redactedValue` replaces the bytes if they may hold a card number.
  case deadLetter(DeadLetterCode, detail: String, redactedValue: [UInt8]?)
}

/// A request and what travels with it.
package struct InboundRequest: Hashable, Sendable {
  /// The fields, of the right shape and not yet checked.
  package let request: CheckoutRequest
  /// What makes a repeat a repeat.
  package let fingerprint: Fingerprint
  /// The request's JSON object as received, without a byte order mark (structured mode: its `data`, written anew). Shares
  /// the message's memory: not to be kept longer than the message.
  package let requestJSON: ArraySlice<UInt8>
  /// Passed on to all that follows; nil if absent or malformed.
  package let trace: TraceContext?

  package init(request: CheckoutRequest, fingerprint: Fingerprint, requestJSON: ArraySlice<UInt8>, trace: TraceContext?)
  {
    self.request = request
    self.fingerprint = fingerprint
    self.requestJSON = requestJSON
    self.trace = trace
  }
}

/// A cancellation and what travels with it.
package struct InboundCancel: Hashable, Sendable {
  /// What is to be cancelled, and why.
  package let cancel: CancelRequest
  /// Passed on to all that follows; nil if absent or malformed.
  package let trace: TraceContext?

  package init(cancel: CancelRequest, trace: TraceContext?) {
    self.cancel = cancel
    self.trace = trace
  }
}

/// Why a message is answered without having been read further.
package struct InboundRefusal: Hashable, Sendable {
  /// Whom the answer is about.
  package let subject: EventSubject
  /// In the order of the fields in the design, card numbers last; never empty. `fail_fast` takes the first.
  package let refusals: [Refusal]
  /// True for a cancellation.
  package let isCancel: Bool
  /// Passed on to all that follows; nil if absent or malformed.
  package let trace: TraceContext?

  package init(subject: EventSubject, refusals: [Refusal], isCancel: Bool, trace: TraceContext?) {
    self.subject = subject
    self.refusals = refusals
    self.isCancel = isCancel
    self.trace = trace
  }
}
