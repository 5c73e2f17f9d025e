// What the pipeline publishes, as values: Wire turns them into bytes, nothing else decides their content.

/// W3C trace context of the request, passed on unchanged to everything that follows from it.
package struct TraceContext: Hashable, Sendable {
  /// `traceparent`, already checked for form.
  package let parent: String
  /// `tracestate`; nil if absent.
  package let state: String?

  package init(parent: String, state: String?) {
    self.parent = parent
    self.state = state
  }
}

/// Whom an event is about.
package struct EventSubject: Hashable, Sendable {
  /// Scope of both other parts.
  package let merchantID: String
  /// Also the key of the Kafka message.
  package let checkoutID: String
  /// Nil for cancellations, and for requests refused because their key is missing or unusable.
  package let idempotencyKey: String?

  package init(merchantID: String, checkoutID: String, idempotencyKey: String?) {
    self.merchantID = merchantID
    self.checkoutID = checkoutID
    self.idempotencyKey = idempotencyKey
  }

  /// The subject of an attempt's events.
  package init(_ identity: AttemptIdentity) {
    self.init(
      merchantID: identity.merchantID, checkoutID: identity.checkoutID, idempotencyKey: identity.idempotencyKey)
  }
}

/// When and with which reference data validation decided, so that a replay can decide the same.
package struct Decision: Hashable, Sendable {
  /// Wall clock of the worker that decided.
  package let at: Timestamp
  /// The account and price data that were in force.
  package let referenceVersion: ReferenceVersion

  package init(at: Timestamp, referenceVersion: ReferenceVersion) {
    self.at = at
    self.referenceVersion = referenceVersion
  }
}

/// Work for reconciliation: ids only, no bodies.
package struct PendingWork: Hashable, Sendable {
  /// What is to be worked off.
  package let attempt: AttemptIdentity
  /// Not to be worked on before this (journal time); nil: at once.
  package let notBefore: Timestamp?
  /// The journal that knows the attempt.
  package let journalID: String

  package init(attempt: AttemptIdentity, notBefore: Timestamp?, journalID: String) {
    self.attempt = attempt
    self.notBefore = notBefore
    self.journalID = journalID
  }
}

/// How a person closes a parked attempt.
package enum ResolvedAs: String, Hashable, CaseIterable, Sendable {
  case completed
  case failed
  case cancelled
}

/// What a person says about a parked attempt.
package struct PersonsWord: Hashable, Sendable {
  /// The parked attempt.
  package let attempt: AttemptIdentity
  /// The version of the row the person looked at; another version refuses the word.
  package let rowVersion: Int64
  /// The journal that knows the attempt; another journal refuses the word.
  package let journalID: String
  /// Nil: retry.
  package let resolution: ResolvedAs?
  /// Who says so, for the history.
  package let who: String
  /// Why, for the history.
  package let note: String
  /// Evidence that money went back by another way (`--refunded-outside`); nil: none.
  package let refundedOutside: String?
  /// The address of a receipt that the customer got by another way; only together with `completed`.
  package let receiptURL: String?

  package init(
    attempt: AttemptIdentity, rowVersion: Int64, journalID: String, resolution: ResolvedAs?, who: String,
    note: String, refundedOutside: String?, receiptURL: String? = nil
  ) {
    self.attempt = attempt
    self.rowVersion = rowVersion
    self.journalID = journalID
    self.resolution = resolution
    self.who = who
    self.note = note
    self.refundedOutside = refundedOutside
    self.receiptURL = receiptURL
  }
}

/// One event to publish.
package struct PipelineEvent: Hashable, Sendable {
  /// The content, by kind. Attempts are large and stand apart, so that an event is quick to hand on.
  package enum Body: Hashable, Sendable {
    /// Validation to facade: accepted. The bytes are the request's JSON object as received (structured mode: its
    /// `data`), so that unknown fields are kept.
    case validated(requestJSON: ArraySlice<UInt8>, fingerprint: Fingerprint, Decision)
    /// Validation to facade: refused by rules that can change.
    case refused(fingerprint: Fingerprint, [Refusal], Decision)
    /// Validation to facade: a cancellation.
    case cancelRequested(CancelRequest)
    /// Outcome: refused. The decision is nil where the facade refuses.
    case rejected([Refusal], Decision?)
    /// Outcome of an ended attempt: completed, failed or cancelled, by `Attempt.state`.
    indirect case outcome(Attempt, replayed: Bool)
    /// Notice `checkout.receipt_pending`.
    indirect case receiptPending(Attempt)
    /// Notice `checkout.parked`; the answer to the request until a person has resolved it.
    indirect case parked(Attempt)
    /// Work for reconciliation.
    case pendingWork(PendingWork)
    /// A person's retry or resolve, for reconciliation.
    case personsWord(PersonsWord)
  }

  /// `ce_id`.
  package let id: String
  /// Decides the topic.
  package let type: EventType
  /// The message this follows from (`ce_origin`).
  package let origin: Origin
  /// `ce_time`: journal time; in validation the source record's timestamp.
  package let time: Timestamp
  /// Whom it is about.
  package let subject: EventSubject
  /// The request's, passed on; nil: it had none, or a malformed one.
  package let trace: TraceContext?
  /// The content.
  package let body: Body

  package init(
    id: String, type: EventType, origin: Origin, time: Timestamp, subject: EventSubject, trace: TraceContext?,
    body: Body
  ) {
    self.id = id
    self.type = type
    self.origin = origin
    self.time = time
    self.subject = subject
    self.trace = trace
    self.body = body
  }
}
