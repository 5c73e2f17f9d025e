// An event as bytes, and the topic it goes to.
package import CheckoutCore

/// The topics of the pipeline by what they are for; configuration gives them names.
package enum TopicRole: Hashable, CaseIterable, Sendable {
  case requests
  case validated
  case rejections
  case outcomes
  case pending
  case deadLetters

  /// The name without the configured prefix (`--topic-prefix`, default `checkout.`).
  package var suffix: String {
    switch self {
    case .requests: "requests"
    case .validated: "validated"
    case .rejections: "rejections"
    case .outcomes: "outcomes"
    case .pending: "pending"
    case .deadLetters: "dead-letters"
    }
  }
}

extension EventType {
  /// Where our own stages publish this type. (A cancellation comes in on `requests` and goes on to `validated`.)
  package var topic: TopicRole {
    switch self {
    case .requested: .requests
    case .cancelRequested, .validated, .refused: .validated
    case .rejected: .rejections
    case .completed, .failed, .cancelled, .receiptPendingNotice, .parked: .outcomes
    case .receiptPending, .chargeUnknown, .reservePending, .compensationPending, .parkedRetry, .parkedResolve:
      .pending
    }
  }
}

/// An event ready to be produced: the same event always gives the same bytes.
package struct EncodedEvent: Hashable, Sendable {
  /// One header; all of ours are text.
  package struct Header: Hashable, Sendable {
    /// Header name; ASCII.
    package let name: String
    /// Header value; text.
    package let value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Where it goes.
  package let topic: TopicRole
  /// The `checkout_id`.
  package let key: [UInt8]
  /// The JSON body.
  package let value: [UInt8]
  /// In a fixed order, trace last.
  package let headers: [Header]

  package init(topic: TopicRole, key: [UInt8], value: [UInt8], headers: [Header]) {
    self.topic = topic
    self.key = key
    self.value = value
    self.headers = headers
  }
}
